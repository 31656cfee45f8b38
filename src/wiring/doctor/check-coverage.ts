import { kinds } from '../../reconcile/deps.js';
import { type Coverage, coverage } from '../../records/runs/coverage.js';
import { type Check, type DoctorParts, finding, ok, unknown } from './check.js';

/** A line per kind: complete up to when, and what keeps it from being more. */
export async function checkCoverage({ db }: DoctorParts): Promise<Check[]> {
  return (await coverage(db, kinds, new Date())).map(checkOf);
}

function checkOf({ kind, provenSince, completeUntil, ageSeconds, reason, unread }: Coverage): Check {
  const until =
    completeUntil === null ? 'no complete run yet' : `complete as of ${completeUntil} (${ageSeconds} s ago)`;
  const since = provenSince === null ? '' : `, proven since ${provenSince}`;
  const gaps = unread.length === 0 ? '' : `, ${unread.length} gaps`;
  const found = `${until}${since}${gaps}${reason === null ? '' : `: ${reason}`}`;
  if (reason === null) return ok(kind, found);
  // What the service does not offer is nobody's to mend here.
  if (reason.startsWith('degraded: ')) return unknown(kind, found);
  return finding(kind, found, `tallyhook reconcile ${kind}`);
}
