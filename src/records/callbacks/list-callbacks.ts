import type { Knex } from 'knex';
import { fromJsonText } from '../../domain/json.js';
import { type CallbackView, callbackShape } from '../../domain/views/operation-shapes.js';
import { type Filters, given, type Page, type PageQuery, pageById, viewById, within } from '../database/paging.js';
import { rowOf, run } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';

export type CallbackFilters = Filters<'status' | 'reference'>;

type Row = RowOf<Omit<CallbackView, 'data'>> & { data: string };

/** Newest first, paged by key. Throws `CursorError`. */
export async function listCallbacks(db: Knex, query: PageQuery & CallbackFilters): Promise<Page<CallbackView>> {
  return pageById(
    within(db('callbacks').where(given(query, 'status', 'reference')), query, 'created_at'),
    query,
    callbackOf,
  );
}

export async function getCallback(db: Knex, id: string): Promise<CallbackView | null> {
  return viewById(db('callbacks'), id, callbackOf);
}

function callbackOf(row: Row): CallbackView {
  // Of one that is not to be sent any more the column says nothing.
  const nextAttemptAt = row.status === 'pending' ? (row.next_attempt_at?.toISOString() ?? null) : null;
  return viewOf(callbackShape, row, { nextAttemptAt, data: fromJsonText(row.data) });
}

export interface CallbackBacklog {
  pending: number;
  dead: number;
  /** How long the change that waits longest has waited to be sent; 0 where none waits. */
  oldestSeconds: number;
}

/** What was not sent to the store yet. Reads indexes of what waits and what was given up only. */
export async function callbackBacklog(db: Knex): Promise<CallbackBacklog> {
  return rowOf<CallbackBacklog>(db)`
    SELECT count(*)::integer AS pending,
           greatest(coalesce(extract(epoch FROM now() - min(created_at)), 0), 0)::float8 AS "oldestSeconds",
           (SELECT count(*)::integer FROM callbacks WHERE status = 'dead') AS dead
    FROM callbacks WHERE status = 'pending'`;
}

/** Lets go of what was sent so long ago; the newest of each order stays. */
export async function pruneCallbacks(db: Knex, { days }: { days: number }): Promise<void> {
  await run(db)`
    DELETE FROM callbacks AS old WHERE id IN (
      SELECT id FROM callbacks AS sent WHERE status IN ('sent', 'superseded')
        AND created_at < now() - ${days}::integer * interval '1 day'
        AND EXISTS (SELECT FROM callbacks AS newer WHERE newer.reference = sent.reference AND newer.id > sent.id)
      ORDER BY id LIMIT 5000)`;
}
