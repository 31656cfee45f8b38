import type { Knex } from 'knex';
import type { BreakKind } from '../domain/breaks/breaks.js';
import type { Severity } from '../domain/breaks/findings.js';

export interface OpenBreaks {
  kind: BreakKind;
  severity: Severity;
  count: number;
}

/** How many breaks nobody has closed yet, acknowledged ones included. Reads an index of the open ones only. */
export async function countOpenBreaks(db: Knex): Promise<OpenBreaks[]> {
  const { rows } = await db.raw<{ rows: OpenBreaks[] }>(
    `SELECT kind, severity, count(*)::integer AS count FROM breaks
     WHERE status IN ('open', 'acknowledged') GROUP BY kind, severity`,
  );
  return rows;
}

/** When the last complete run of each kind ended; kinds without one are left out. */
export async function lastCompleteRuns(db: Knex, kinds: readonly string[]): Promise<{ kind: string; at: Date }[]> {
  const { rows } = await db.raw<{ rows: { kind: string; at: Date }[] }>(
    `SELECT kind, at FROM unnest(?::text[]) AS asked (kind)
     CROSS JOIN LATERAL (SELECT finished_at AS at FROM runs
       WHERE runs.kind = asked.kind AND status = 'succeeded' AND complete ORDER BY id DESC LIMIT 1) AS last`,
    [[...kinds]],
  );
  return rows;
}
