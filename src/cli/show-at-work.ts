import { duration } from '../domain/in-words.js';
import { createProgressLine, type Terminal } from './print.js';

const SILENT_MS = 2_000;
const EVERY_MS = 250;

/** What the work comes to. On a terminal, once it takes longer than two seconds, a line says what is at work, and for how long. */
export async function showAtWork<T>(what: string, work: Promise<T>, terminal: Terminal = process.stderr): Promise<T> {
  const began = performance.now();
  const line = createProgressLine(terminal);
  const timer = setInterval(() => {
    const ms = performance.now() - began;
    if (ms >= SILENT_MS) line.show(() => `${what}: ${duration(ms / 1_000)}`);
  }, EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    line.clear();
  }
}
