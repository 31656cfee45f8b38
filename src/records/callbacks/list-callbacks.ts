import type { Knex } from 'knex';
import { fromJsonText } from '../../domain/json.js';
import { type CallbackView, callbackShape } from '../../domain/views/operation-shapes.js';
import { type Filters, given, type Page, type PageQuery, pageById, viewById } from '../database/paging.js';
import { type RowOf, viewOf } from '../database/view-of.js';

export type CallbackFilters = Filters<'status' | 'reference'>;

type Row = RowOf<Omit<CallbackView, 'data'>> & { data: string };

/** Newest first, paged by key. Throws `CursorError`. */
export async function listCallbacks(db: Knex, query: PageQuery & CallbackFilters): Promise<Page<CallbackView>> {
  return pageById(db('callbacks').where(given(query, 'status', 'reference')), query, callbackOf);
}

export async function getCallback(db: Knex, id: string): Promise<CallbackView | null> {
  return viewById(db('callbacks'), id, callbackOf);
}

function callbackOf(row: Row): CallbackView {
  // Of one that is not to be sent any more the column says nothing.
  const nextAttemptAt = row.status === 'pending' ? (row.next_attempt_at?.toISOString() ?? null) : null;
  return viewOf(callbackShape, row, { nextAttemptAt, data: fromJsonText(row.data) });
}
