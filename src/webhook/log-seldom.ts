import type { Logger } from '../log.js';
import { describeError } from '../records/database/database-errors.js';

const PERIOD_MS = 30_000;
const MOST_CAUSES = 8;

/**
 * For errors that come hundreds of times while something is down (a reconnecting client): the first is logged,
 * then one every 30 s with the number of those in between. Another cause is logged at once, eight times at most.
 */
export function logSeldom(log: Logger, message: string, about: object = {}): (error: unknown) => void {
  let quietUntil = 0;
  let suppressed = 0;
  let changes = 0;
  let last = '';
  return (error) => {
    const now = performance.now();
    const cause = describeError(error);
    const isQuiet = now < quietUntil;
    if (isQuiet && (cause === last || changes === MOST_CAUSES)) {
      suppressed += 1;
      return;
    }
    log.warn({ ...about, error: cause, suppressed }, message);
    quietUntil = now + PERIOD_MS;
    changes = isQuiet ? changes + 1 : 0;
    last = cause;
    suppressed = 0;
  };
}
