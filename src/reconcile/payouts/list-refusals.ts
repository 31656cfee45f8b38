import type { Watermark } from '../../records/runs/watermarks.js';

const HOUR_MS = 3_600_000;
/** A list that was there is withdrawn once it was refused for so long, so often, and never for long without being asked for. */
const WITHDRAWN_MS = 24 * HOUR_MS;
const LEAST_REFUSALS = 12;
const LONGEST_PAUSE_MS = 6 * HOUR_MS;

/** What is noted of one more refusal; `at` in ms of our clock. */
export function refusedAgain(mark: Watermark | undefined, at: number): Watermark {
  const [since, last] = [mark?.['since'], mark?.['at']];
  const isNear = typeof last === 'number' && at - last <= LONGEST_PAUSE_MS;
  const goesOn = typeof since === 'number' && (isNear || withdrawnSince(mark) !== null);
  return goesOn ? { since, at, count: countOf(mark) + 1 } : { since: at, at, count: 1 };
}

/** The first of the refusals by which the list is withdrawn; null: it is not. */
export function withdrawnSince(mark: Watermark | undefined): number | null {
  const [since, at] = [mark?.['since'], mark?.['at']];
  if (typeof since !== 'number' || typeof at !== 'number' || countOf(mark) < LEAST_REFUSALS) return null;
  return at - since >= WITHDRAWN_MS ? since : null;
}

/** One that was noted before refusals were counted. */
function countOf(mark: Watermark | undefined): number {
  return Number(mark?.['count'] ?? LEAST_REFUSALS);
}
