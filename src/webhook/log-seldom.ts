import type { Logger } from '../log.js';
import { describeError } from '../records/database/database-errors.js';

const PERIOD_MS = 30_000;

/**
 * For errors that come hundreds of times while something is down (a reconnecting client): the first is logged,
 * then one every 30 s with the number of those in between.
 */
export function logSeldom(log: Logger, message: string, about: object = {}): (error: unknown) => void {
  let quietUntil = 0;
  let suppressed = 0;
  return (error) => {
    const now = performance.now();
    if (now < quietUntil) {
      suppressed += 1;
      return;
    }
    log.warn({ ...about, error: describeError(error), suppressed }, message);
    quietUntil = now + PERIOD_MS;
    suppressed = 0;
  };
}
