import type { Knex } from 'knex';
import type { BreakKind } from '../domain/breaks/breaks.js';
import type { Severity } from '../domain/breaks/findings.js';
import { rowsOf } from './database/statements.js';

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
export async function lastCompleteRuns(db: Knex, kinds: readonly string[]): Promise<{ kind: string; at: Date }[]> {
  return rowsOf<{ kind: string; at: Date }>(db)`
    SELECT kind, at FROM unnest(${kinds}::text[]) AS asked (kind)
    CROSS JOIN LATERAL (SELECT finished_at AS at FROM runs
      WHERE runs.kind = asked.kind AND status = 'succeeded' AND complete ORDER BY id DESC LIMIT 1) AS last`;
}
