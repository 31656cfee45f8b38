import type { Knex } from 'knex';
import { type AgeBucket, ageBucket, ageBuckets } from '../../domain/age-buckets.js';
import type { BreakKind } from '../../domain/breaks/breaks.js';
import { dueAt, dueHours, type Severity, severities } from '../../domain/breaks/findings.js';
import { fromJsonText, type JsonObject, objectFromJsonText } from '../../domain/json.js';
import type { EntityKind, EntityRef } from '../../domain/records.js';
import {
  type BreakCause,
  type BreakDetail,
  type BreakView,
  breakShape,
  breakStepShape,
} from '../../domain/views/proof-shapes.js';
import { type Filters, given, isRowId, type Page, type PageQuery, pageById, within } from '../database/paging.js';
import { firstOf, raw, rowsOf, type Sql, sql, tableOf, utc } from '../database/statements.js';
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
export const UNCLOSED = ['open', 'acknowledged'];
export const isClosed = ({ status }: Pick<BreakView, 'status'>): boolean => !UNCLOSED.includes(status);
/** As a filter of the status: closed ones, too. */
export const ANY = 'any';
/** As a filter: the breaks that nobody has. */
export const NOBODY = 'nobody';
/** SQL of the hours in which one is due. */
const HOURS = `CASE severity ${Object.entries(dueHours)
  .map(([severity, hours]) => `WHEN '${severity}' THEN ${hours}`)
  .join(' ')} END`;

export async function listBreaks(
  db: Knex,
  query: PageQuery & BreakFilters,
  now = new Date(),
): Promise<Page<BreakView>> {
  return pageById(within(chosen(db, query, now), query, 'opened_at'), query, (row: BreakRow) => breakView(row, now));
}

export function chosen(db: Knex, query: BreakFilters, now: Date): Knex.QueryBuilder {
  const rows = db('breaks').where(given(query, 'kind', 'severity', 'entityKind', 'entityId', 'shared'));
  if (query.status !== undefined && query.status !== ANY) void rows.where({ status: query.status });
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

export function breakView(row: BreakRow, now: Date): BreakView {
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

export interface UnclosedCount {
  severity: Severity;
  age: AgeBucket;
  count: number;
}

/** How many are open or acknowledged, by severity and age. */
export async function countUnclosed(db: Knex, now: Date): Promise<UnclosedCount[]> {
  const rows = await rowsOf<{ severity: Severity; days: number; count: number }>(db)`
    SELECT severity, floor(extract(epoch FROM ${now}::timestamptz - opened_at) / 86400)::integer AS days, count(*)::integer AS count
    FROM breaks WHERE status IN ('open', 'acknowledged') GROUP BY 1, 2`;
  return rows.map(({ severity, days, count }) => ({ severity, age: ageBucket(days), count }));
}

/** Breaks about any of them that nobody has closed yet, newest first. */
export async function openBreaksOf(db: Knex, entities: readonly EntityRef[]): Promise<BreakView[]> {
  const rows = await rowsOf<BreakRow>(db)`
    SELECT breaks.* FROM breaks JOIN ${tableOf('asked', entities, { kind: 'text', id: 'text' })}
      ON entity_kind = asked.kind AND entity_id = asked.id
    WHERE status IN ('open', 'acknowledged') ORDER BY breaks.id DESC`;
  const now = new Date();
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

const MOST_CAUSES = 100;
const SEVERITIES = raw(`ARRAY[${severities.map((one) => `'${one}'`).join(', ')}]`);
const IS_UNCLOSED = raw(`status IN ('open', 'acknowledged')`);

/** What is not closed, by what it has in common: the worst first, then the oldest. */
export async function breakCauses(db: Knex): Promise<BreakCause[]> {
  return rowsOf<BreakCause>(db)`
    ${causesOf(IS_UNCLOSED, raw('true'))}
    ORDER BY min(rank), min(opened_at), kind, entity_kind, shared LIMIT ${MOST_CAUSES}`;
}

/** What came together with a break and is not closed, whether that one is or not; null: nothing, or there is no such break. */
export async function causeOfBreak(db: Knex, id: string): Promise<BreakCause | null> {
  if (!isRowId(id)) return null;
  const alike = sql`(kind, entity_kind, shared) = (SELECT kind, entity_kind, shared FROM breaks WHERE id = ${id})`;
  const found = await firstOf<BreakCause>(db)`
    ${causesOf(sql`${alike} AND (${IS_UNCLOSED} OR id = ${id})`, sql`bool_or(id = ${id}) AND bool_or(${IS_UNCLOSED})`)}`;
  return found ?? null;
}

/** Of these breaks, each opened within an hour of the one before: what a storm or an outage leaves. Closed ones join, and count for nothing. */
function causesOf(which: Sql, having: Sql): Sql {
  const first = raw(
    `(array_agg(id::text ORDER BY opened_at, id) FILTER (WHERE status IN ('open', 'acknowledged')))[1]`,
  );
  return sql`
    SELECT ${first} AS id, kind, entity_kind AS "entityKind", shared,
           (${SEVERITIES})[min(rank) FILTER (WHERE ${IS_UNCLOSED})] AS severity,
           (count(*) FILTER (WHERE ${IS_UNCLOSED}))::integer AS count,
           ${raw(utc(`min(opened_at) FILTER (WHERE status IN ('open', 'acknowledged'))`))} AS "openedFrom",
           ${raw(utc(`max(opened_at) FILTER (WHERE status IN ('open', 'acknowledged'))`))} AS "openedTo",
           (count(*) FILTER (WHERE ${IS_UNCLOSED} AND owner IS NULL))::integer AS unowned
    FROM (
      SELECT *, sum(CASE WHEN begins THEN 1 ELSE 0 END) OVER (PARTITION BY kind, entity_kind, shared ORDER BY opened_at, id) AS cause FROM (
        SELECT id, kind, entity_kind, shared, owner, status, opened_at, array_position(${SEVERITIES}, severity) AS rank,
               opened_at - lag(opened_at) OVER (PARTITION BY kind, entity_kind, shared ORDER BY opened_at, id) > interval '1 hour' AS begins
        FROM breaks WHERE ${which}
      ) AS alike
    ) AS caused GROUP BY kind, entity_kind, shared, cause HAVING ${having}`;
}

/** Which breaks it has, as the filters of their list take it. */
export type CauseRange = Record<'kind' | 'entityKind' | 'shared' | 'openedFrom' | 'openedTo', string>;

/** Of a cause all that is not closed; what opens later is not in it. */
export const ofCause = ({ kind, entityKind, shared, openedFrom, openedTo }: CauseRange): BreakFilters => {
  return { kind, entityKind, shared, openedFrom, openedTo, unclosed: true };
};
