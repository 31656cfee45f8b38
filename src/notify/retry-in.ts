import { randomInt } from 'node:crypto';

const LONGEST_MS = 3_600_000;

/** Twice as long after each failure, up to an hour, and between half and all of that, so that not all come at once. */
export function retryInMs(failures: number, firstMs: number): number {
  const whole = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), LONGEST_MS);
  return Math.round(whole / 2) + randomInt(Math.ceil(whole / 2) + 1);
}
