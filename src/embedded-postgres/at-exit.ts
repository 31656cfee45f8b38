import { constants } from 'node:os';

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
const works = new Set<() => void>();

/**
 * Runs `work`, which may wait for nothing, should the process end before the returned function is called: by process.exit,
 * by an error that nobody caught, or by a signal that nobody else listens to.
 */
export function atExit(work: () => void): () => void {
  if (works.size === 0) {
    process.on('exit', runAll);
    // First of all, when those who listen once still count.
    for (const signal of SIGNALS) process.prependListener(signal, exitUnheard);
  }
  works.add(work);
  return () => {
    if (!works.delete(work) || works.size > 0) return;
    process.off('exit', runAll);
    for (const signal of SIGNALS) process.off(signal, exitUnheard);
  };
}

function runAll(): void {
  for (const work of works) work();
}

/** A signal with a listener does not end the process by itself any more. */
function exitUnheard(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
}
