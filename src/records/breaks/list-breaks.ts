import type { Knex } from 'knex';
import { type AgeBucket, ageBucket, ageBuckets } from '../../domain/age-buckets.js';
import type { Severity } from '../../domain/breaks/findings.js';
import { fromJsonText } from '../../domain/json.js';
import type { EntityKind } from '../../domain/records.js';
import { type BreakDetail, type BreakView, breakShape, breakStepShape } from '../../domain/views/proof-shapes.js';
import { type Filters, given, type Page, type PageQuery, pageById } from '../database/paging.js';
import { isRowId } from '../database/row-id.js';
import { rowsOf } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';

export interface BreakFilters extends Filters<'kind' | 'severity' | 'status' | 'entityKind' | 'entityId'> {
  /** Only those that are open or acknowledged. */
  unclosed?: boolean;
  age?: AgeBucket | undefined;
}

export type BreakRow = RowOf<Omit<BreakView, 'entity' | 'evidence' | 'age' | 'ageDays'>> & {
  entity_kind: EntityKind;
  entity_id: string;
  evidence: string;
};

const DAY_MS = 86_400_000;

export async function listBreaks(
  db: Knex,
  query: PageQuery & BreakFilters,
  now = new Date(),
): Promise<Page<BreakView>> {
  const rows = db('breaks').where(given(query, 'kind', 'severity', 'status', 'entityKind', 'entityId'));
  if (query.unclosed) void rows.whereIn('status', ['open', 'acknowledged']);
  if (query.age !== undefined) {
    const [from, to] = ageBuckets[query.age];
    const age = 'coalesce(resolved_at, ?::timestamptz) - opened_at';
    void rows.whereRaw(`${age} >= make_interval(days => ?) AND ${age} < make_interval(days => ?)`, [
      now,
      from,
      now,
      to + 1,
    ]);
  }
  return pageById(rows, query, (row: BreakRow) => breakView(row, now));
}

/** One break and all that was done about it, oldest first. */
export async function getBreak(db: Knex, id: string, now = new Date()): Promise<BreakDetail | null> {
  if (!isRowId(id)) return null;
  const row = await db<BreakRow>('breaks').where({ id }).first();
  if (row === undefined) return null;
  const steps = await db('break_steps').where({ break_id: id }).orderBy('id');
  return { ...breakView(row, now), steps: steps.map((step) => viewOf(breakStepShape, step)) };
}

export function breakView(row: BreakRow, now: Date): BreakView {
  const ageDays = Math.floor(((row.resolved_at ?? now).getTime() - row.opened_at.getTime()) / DAY_MS);
  return viewOf(breakShape, row, {
    entity: { kind: row.entity_kind, id: row.entity_id },
    evidence: fromJsonText(row.evidence),
    age: ageBucket(ageDays),
    ageDays,
  });
}

/** How many are open or acknowledged, by severity and age. */
export async function countUnclosed(
  db: Knex,
  now: Date,
): Promise<{ severity: Severity; age: AgeBucket; count: number }[]> {
  const rows = await rowsOf<{ severity: Severity; days: number; count: number }>(db)`
    SELECT severity, floor(extract(epoch FROM ${now}::timestamptz - opened_at) / 86400)::integer AS days, count(*)::integer AS count
    FROM breaks WHERE status IN ('open', 'acknowledged') GROUP BY 1, 2`;
  return rows.map(({ severity, days, count }) => ({ severity, age: ageBucket(days), count }));
}
