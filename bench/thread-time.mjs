import { readFileSync } from 'node:fs';

const FILE = `/proc/self/task/${process.pid}/schedstat`;

/** Milliseconds of processor time of the main thread: what its event loop was held, whoever else wanted the core. */
export function threadTime() {
  return Number(readFileSync(FILE, 'utf8').split(' ')[0]) / 1e6;
}
