import { duration } from '../in-words.js';
import type { CanaryFacts } from './facts.js';

/** Its age and its way in one line. */
export function canaryWords(canary: CanaryFacts | null): string {
  if (canary === null) return 'none is sent';
  const { secondsAgo, cameSecondsAgo, error, failures, answeredMs, storedMs, appliedMs } = canary;
  if (error === null)
    return `came back ${duration(secondsAgo)} ago: stored after ${storedMs} ms, answered ${answeredMs}, applied ${appliedMs}`;
  const came = cameSecondsAgo === null ? 'none came back yet' : `the last came back ${duration(cameSecondsAgo)} ago`;
  return `failed ${duration(secondsAgo)} ago, ${failures} in a row: ${error}; ${came}`;
}
