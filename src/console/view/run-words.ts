import type { Run } from '../../domain/views/proof-shapes.js';
import { badge, badgesOf, duration, type Value } from './values.js';

export const runBadge = badgesOf<Run['status']>({ running: 'info', succeeded: 'good', failed: 'bad', aborted: 'bad' });

export function provenBadge({ status, complete }: Run): Value {
  if (status === 'running') return badge('not proven yet', 'info');
  return complete ? badge('proven', 'good') : badge('not proven', 'warn');
}

/** Why it is not complete, in words; null where it is, or still runs. */
export function whyOf({ status, complete, error, proof }: Run): string | null {
  if (complete || status === 'running') return null;
  if (error !== null) return error;
  return typeof proof['reason'] === 'string' ? proof['reason'] : 'what it set out to read was not proven to be read';
}

export function tookOf({ startedAt, finishedAt }: Run, now: Date): string {
  const end = finishedAt === null ? now : new Date(finishedAt);
  return duration(Math.max(0, Math.round((end.getTime() - Date.parse(startedAt)) / 1_000)));
}
