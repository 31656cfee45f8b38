import type { Knex } from 'knex';
import { type AgeBucket, ageBucket, ageBuckets } from '../../domain/age-buckets.js';
import type { BreakKind } from '../../domain/breaks/breaks.js';
import type { Severity } from '../../domain/breaks/findings.js';
import { fromJsonText, type JsonObject, objectFromJsonText } from '../../domain/json.js';
import type { EntityKind, EntityRef } from '../../domain/records.js';
import { type BreakDetail, type BreakView, breakShape, breakStepShape } from '../../domain/views/proof-shapes.js';
import { recordAction } from '../actions/record-action.js';
import { type Filters, given, isRowId, type Page, type PageQuery, pageById } from '../database/paging.js';
import { raw, rowsOf, sql, tableOf } from '../database/statements.js';
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

function breakView(row: BreakRow, now: Date): BreakView {
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

/** Breaks about any of them that nobody has closed yet, newest first. */
export async function openBreaksOf(db: Knex, entities: readonly EntityRef[], now = new Date()): Promise<BreakView[]> {
  const rows = await rowsOf<BreakRow>(db)`
    SELECT breaks.* FROM breaks JOIN ${tableOf('asked', entities, { kind: 'text', id: 'text' })}
      ON entity_kind = asked.kind AND entity_id = asked.id
    WHERE status IN ('open', 'acknowledged') ORDER BY breaks.id DESC`;
  return rows.map((row) => breakView(row, now));
}

/** What the open breaks of a kind rest on, by the id of the record that each is about; `ids` null: all there are. */
export async function openEvidence(
  db: Knex,
  kind: BreakKind,
  entityKind: EntityKind,
  ids: readonly string[] | null,
): Promise<Map<string, JsonObject>> {
  if (ids?.length === 0) return new Map();
  const rows = await rowsOf<{ entity_id: string; evidence: string }>(db)`
    SELECT entity_id, evidence FROM breaks
    WHERE kind = ${kind} AND entity_kind = ${entityKind} AND status IN ('open', 'acknowledged')
      ${ids === null ? raw('') : sql`AND entity_id = ANY (${ids}::text[])`}`;
  return new Map(rows.map((row) => [row.entity_id, objectFromJsonText(row.evidence)]));
}

export type BreakDecision = 'acknowledge' | 'resolve' | 'write_off';

export type DecideBreakResult =
  | { outcome: 'done'; break: BreakView }
  /** It was closed before: nothing is changed. */
  | { outcome: 'closed'; break: BreakView }
  | { outcome: 'not_found' };

const statusAfter = { acknowledge: 'acknowledged', resolve: 'resolved', write_off: 'written_off' } as const;

const actionOf = { acknowledge: 'acknowledge break', resolve: 'resolve break', write_off: 'write off break' } as const;

/** What a person decides about a break; who it was and why is kept as a step. */
export async function decideBreak(
  db: Knex,
  id: string,
  decision: BreakDecision,
  { actor, note, now = new Date() }: { actor: string; note: string | null; now?: Date },
): Promise<DecideBreakResult> {
  if (!isRowId(id)) return { outcome: 'not_found' };
  return db.transaction(async (trx) => {
    const row = await trx<BreakRow>('breaks').where({ id }).forUpdate().first();
    if (row === undefined) return { outcome: 'not_found' };
    const about = { actor, action: actionOf[decision], target: `break ${id}`, reason: note };
    if (row.status !== 'open' && row.status !== 'acknowledged') {
      await recordAction(trx, { ...about, outcome: 'refused', details: { status: row.status } });
      return { outcome: 'closed', break: breakView(row, now) };
    }
    const status = statusAfter[decision];
    const after: BreakRow = { ...row, status, resolved_at: status === 'acknowledged' ? null : now };
    await trx<BreakRow>('breaks').where({ id }).update({ status, resolved_at: after.resolved_at });
    await trx('break_steps').insert({ break_id: id, action: status, actor, note, at: now });
    const details = { kind: row.kind, entity: `${row.entity_kind} ${row.entity_id}` };
    await recordAction(trx, { ...about, outcome: 'done', details });
    return { outcome: 'done', break: breakView(after, now) };
  });
}
