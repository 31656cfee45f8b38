import type { Knex } from 'knex';
import { severities } from '../../domain/breaks/findings.js';
import type { BreakCause } from '../../domain/views/proof-shapes.js';
import { isRowId } from '../database/paging.js';
import { firstOf, raw, rowsOf, type Sql, sql, utc } from '../database/statements.js';
import type { BreakFilters } from './list-breaks.js';

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
