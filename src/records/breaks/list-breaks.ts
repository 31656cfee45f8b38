import type { Knex } from 'knex';
import { type AgeBucket, ageBucket, ageBuckets } from '../../domain/age-buckets.js';
import type { BreakKind } from '../../domain/breaks/breaks.js';
import { dueAt, dueHours, type Severity, severities } from '../../domain/breaks/findings.js';
import { fromJsonText, type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { compareText } from '../../domain/record-state.js';
import type { EntityKind, EntityRef } from '../../domain/records.js';
import { type BreakDetail, type BreakView, breakShape, breakStepShape } from '../../domain/views/proof-shapes.js';
import { recordAction } from '../actions/record-action.js';
import { type Filters, given, isRowId, type Page, type PageQuery, pageById } from '../database/paging.js';
import { raw, rowsOf, sql, tableOf } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';

export interface BreakFilters extends Filters<'kind' | 'severity' | 'status' | 'entityKind' | 'entityId' | 'shared'> {
  /** `nobody`: those without one. */
  owner?: string | undefined;
  /** `true`: only those that are not closed, and were due; else only others. */
  overdue?: string | undefined;
  /** Opened within, both included; ISO 8601. */
  openedFrom?: string | undefined;
  openedTo?: string | undefined;
  /** Only those that are open or acknowledged. */
  unclosed?: boolean;
  age?: AgeBucket | undefined;
  /** Only these. */
  ids?: readonly string[] | undefined;
}

export type BreakRow = RowOf<Omit<BreakView, 'entity' | 'evidence' | 'age' | 'ageDays' | 'dueAt' | 'overdue'>> & {
  entity_kind: EntityKind;
  entity_id: string;
  evidence: string;
};

const DAY_MS = 86_400_000;
const UNCLOSED = ['open', 'acknowledged'];
export const isClosed = ({ status }: Pick<BreakView, 'status'>): boolean => !UNCLOSED.includes(status);
/** As a filter: the breaks that nobody has. */
const NOBODY = 'nobody';
/** SQL of the hours in which one is due. */
const HOURS = `CASE severity ${Object.entries(dueHours)
  .map(([severity, hours]) => `WHEN '${severity}' THEN ${hours}`)
  .join(' ')} END`;

export async function listBreaks(
  db: Knex,
  query: PageQuery & BreakFilters,
  now = new Date(),
): Promise<Page<BreakView>> {
  return pageById(chosen(db, query, now), query, (row: BreakRow) => breakView(row, now));
}

function chosen(db: Knex, query: BreakFilters, now: Date): Knex.QueryBuilder {
  const rows = db('breaks').where(given(query, 'kind', 'severity', 'status', 'entityKind', 'entityId', 'shared'));
  if (query.ids !== undefined) void rows.whereIn('id', query.ids.filter(isRowId));
  if (query.unclosed) void rows.whereIn('status', UNCLOSED);
  if (query.owner === NOBODY) void rows.whereNull('owner');
  else if (query.owner !== undefined) void rows.where({ owner: query.owner });
  if (query.openedFrom !== undefined) void rows.where('opened_at', '>=', query.openedFrom);
  // A millisecond has more moments than its first.
  if (query.openedTo !== undefined)
    void rows.whereRaw(`opened_at < ?::timestamptz + interval '1 millisecond'`, [query.openedTo]);
  if (query.overdue !== undefined) {
    const isOverdue = `status IN ('open', 'acknowledged') AND opened_at + make_interval(hours => ${HOURS}) < ?::timestamptz`;
    void rows.whereRaw(query.overdue === 'true' ? isOverdue : `NOT (${isOverdue})`, [now]);
  }
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
  return rows;
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
  const due = dueAt(row.severity, row.opened_at.getTime());
  return viewOf(breakShape, row, {
    entity: { kind: row.entity_kind, id: row.entity_id },
    evidence: fromJsonText(row.evidence),
    dueAt: new Date(due).toISOString(),
    overdue: row.resolved_at === null && due < now.getTime(),
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

/** Breaks of one kind that share what their evidence says, each opened within an hour of the one before: what a storm or an outage leaves. */
export interface BreakCause {
  kind: BreakKind;
  /** They are about records of that kind. */
  entityKind: EntityKind;
  /** What `sharedOf` says of each. */
  shared: string;
  /** The worst of them. */
  severity: Severity;
  count: number;
  /** Opened: the first and the last. */
  from: Date;
  to: Date;
  /** Nobody is at so many. */
  unowned: number;
}

const MOST_CAUSES = 100;
const SEVERITIES = raw(`ARRAY[${severities.map((one) => `'${one}'`).join(', ')}]`);

/** What is not closed, by what it has in common: the worst first, then the oldest. */
export async function breakCauses(db: Knex): Promise<BreakCause[]> {
  return rowsOf<BreakCause>(db)`
    SELECT kind, entity_kind AS "entityKind", shared, (${SEVERITIES})[min(rank)] AS severity, count(*)::integer AS count,
           min(opened_at) AS from, max(opened_at) AS to, (count(*) FILTER (WHERE owner IS NULL))::integer AS unowned
    FROM (
      SELECT *, sum(CASE WHEN begins THEN 1 ELSE 0 END) OVER (PARTITION BY kind, entity_kind, shared ORDER BY opened_at, id) AS cause FROM (
        SELECT id, kind, entity_kind, shared, owner, opened_at, array_position(${SEVERITIES}, severity) AS rank,
               opened_at - lag(opened_at) OVER (PARTITION BY kind, entity_kind, shared ORDER BY opened_at, id) > interval '1 hour' AS begins
        FROM breaks WHERE status IN ('open', 'acknowledged')
      ) AS unclosed
    ) AS caused GROUP BY kind, entity_kind, shared, cause
    ORDER BY min(rank), min(opened_at), kind, entity_kind, shared LIMIT ${MOST_CAUSES}`;
}

/** Of a cause all that is not closed; who opens later is not in it. `from` and `to` as the filters take them. */
export const ofCause = ({
  kind,
  entityKind,
  shared,
  from,
  to,
}: Record<'kind' | 'entityKind' | 'shared' | 'from' | 'to', string>): BreakFilters => ({
  kind,
  entityKind,
  shared,
  openedFrom: from,
  openedTo: to,
  unclosed: true,
});

/** Ids of what the filters leave; as many as one decision may be about, and one more. */
export async function breakIds(db: Knex, query: BreakFilters, now = new Date()): Promise<string[]> {
  return chosen(db, query, now)
    .orderBy('id')
    .limit(MOST_DECIDED + 1)
    .pluck('id');
}

/** How many of those that the filters leave were closed already, by how. */
export async function countClosed(
  db: Knex,
  query: BreakFilters,
  now = new Date(),
): Promise<{ status: BreakView['status']; count: number }[]> {
  return chosen(db, { ...query, unclosed: false }, now)
    .whereNotIn('status', UNCLOSED)
    .groupBy('status')
    .orderBy('status')
    .select('status', db.raw('count(*)::integer AS count'));
}

export type BreakDecision = 'acknowledge' | 'resolve' | 'write_off' | { owner: string | null };

export type DecideBreakResult =
  | { outcome: 'done'; break: BreakView }
  /** It was closed before: nothing is changed. */
  | { outcome: 'closed'; break: BreakView }
  | { outcome: 'not_found' };

interface Decided {
  actor: string;
  note: string | null;
  now?: Date;
}

/** What a person decides about a break; who it was and why is kept as a step. */
export async function decideBreak(
  db: Knex,
  id: string,
  decision: BreakDecision,
  about: Decided,
): Promise<DecideBreakResult> {
  return db.transaction((trx) => decideIn(trx, id, decision, about));
}

/** So many at once. */
export const MOST_DECIDED = 1_000;

/** The same of many, all or none; those that were closed before are left as they are. */
export async function decideBreaks(
  db: Knex,
  ids: readonly string[],
  decision: BreakDecision,
  about: Decided,
): Promise<{ done: number; left: number }> {
  if (ids.length > MOST_DECIDED) throw new RangeError(`at most ${MOST_DECIDED} breaks at once`);
  return db.transaction(async (trx) => {
    let done = 0;
    // In one order, so that two who decide at once wait for each other.
    for (const id of [...new Set(ids)].sort((a, b) => a.length - b.length || compareText(a, b)))
      if ((await decideIn(trx, id, decision, about)).outcome === 'done') done += 1;
    return { done, left: ids.length - done };
  });
}

const statusAfter = { acknowledge: 'acknowledged', resolve: 'resolved', write_off: 'written_off' } as const;

const actionOf = { acknowledge: 'acknowledge break', resolve: 'resolve break', write_off: 'write off break' } as const;

async function decideIn(
  trx: Knex.Transaction,
  id: string,
  decision: BreakDecision,
  { actor, note, now = new Date() }: Decided,
): Promise<DecideBreakResult> {
  if (!isRowId(id)) return { outcome: 'not_found' };
  const row = await trx<BreakRow>('breaks').where({ id }).forUpdate().first();
  if (row === undefined) return { outcome: 'not_found' };
  const action = typeof decision === 'string' ? actionOf[decision] : 'assign break';
  const about = { actor, action, target: `break ${id}`, reason: note };
  if (isClosed(row)) {
    await recordAction(trx, { ...about, outcome: 'refused', details: { status: row.status } });
    return { outcome: 'closed', break: breakView(row, now) };
  }
  const after = changed(row, decision, { actor, now });
  const { status, resolved_at, owner } = after;
  await trx<BreakRow>('breaks').where({ id }).update({ status, resolved_at, owner });
  const step = typeof decision === 'string' ? status : owner === null ? 'unassigned' : `assigned to ${owner}`;
  await trx('break_steps').insert({ break_id: id, action: step, actor, note, at: now });
  const details = { kind: row.kind, entity: `${row.entity_kind} ${row.entity_id}`, owner };
  await recordAction(trx, { ...about, outcome: 'done', details });
  return { outcome: 'done', break: breakView(after, now) };
}

/** Who acknowledges a break that nobody has is at it. */
function changed(row: BreakRow, decision: BreakDecision, { actor, now }: { actor: string; now: Date }): BreakRow {
  if (typeof decision !== 'string') return { ...row, owner: decision.owner };
  const status = statusAfter[decision];
  if (status === 'acknowledged') return { ...row, status, resolved_at: null, owner: row.owner ?? actor };
  return { ...row, status, resolved_at: now };
}
