import type { Knex } from 'knex';
import type { BreakKind } from '../domain/breaks/breaks.js';
import type { Severity } from '../domain/breaks/findings.js';
import { raw, rowsOf, valueOf } from './database/statements.js';

export interface OpenBreaks {
  kind: BreakKind;
  severity: Severity;
  count: number;
}

/** How many breaks nobody has closed yet, acknowledged ones included. Reads an index of the open ones only. */
export async function countOpenBreaks(db: Knex): Promise<OpenBreaks[]> {
  return rowsOf<OpenBreaks>(db)`
    SELECT kind, severity, count(*)::integer AS count FROM breaks
    WHERE status IN ('open', 'acknowledged') GROUP BY kind, severity`;
}

/** When the last complete run of each kind ended; kinds without one are left out. */
export function lastCompleteRuns(db: Knex, kinds: readonly string[]): Promise<LastRun[]> {
  return lastRuns(db, kinds, "status = 'succeeded' AND complete");
}

/** When the newest run of each kind ended, however it did; kinds without one are left out. */
export function lastEndedRuns(db: Knex, kinds: readonly string[]): Promise<LastRun[]> {
  return lastRuns(db, kinds, "status <> 'running'");
}

interface LastRun {
  kind: string;
  at: Date;
}

function lastRuns(db: Knex, kinds: readonly string[], condition: string): Promise<LastRun[]> {
  return rowsOf<LastRun>(db)`
    SELECT kind, at FROM unnest(${kinds}::text[]) AS asked (kind)
    CROSS JOIN LATERAL (SELECT coalesce(finished_at, heartbeat_at) AS at FROM runs
      WHERE runs.kind = asked.kind AND ${raw(condition)} ORDER BY id DESC LIMIT 1) AS last`;
}

/** How many paid orders wait until a person says whose refund a payout is. */
export async function heldByRefund(db: Knex): Promise<number> {
  return valueOf<number>(db)`
    SELECT count(*)::integer AS n FROM orders WHERE release_reason = 'refund_unlinked'`;
}
