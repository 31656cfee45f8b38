import type { Knex } from 'knex';
import { fromJsonText } from '../../domain/json.js';
import { type CallbackView, callbackShape } from '../../domain/views/operation-shapes.js';
import { definedOnly } from '../database/defined-only.js';
import { type Page, type PageQuery, pageById } from '../database/paging.js';
import { isRowId } from '../database/row-id.js';
import { type RowOf, viewOf } from '../database/view-of.js';

export interface CallbackFilters {
  status?: string | undefined;
  reference?: string | undefined;
}

type Row = RowOf<Omit<CallbackView, 'data'>> & { data: string };

/** Newest first, paged by key. Throws `CursorError`. */
export async function listCallbacks(db: Knex, query: PageQuery & CallbackFilters): Promise<Page<CallbackView>> {
  const reference = query.reference;
  const rows = db('callbacks')
    .select('*')
    .where(definedOnly({ status: query.status, reference }));
  const { items, nextCursor } = await pageById<Row>(rows, query);
  return { items: items.map(callbackOf), nextCursor };
}

export async function getCallback(db: Knex, id: string): Promise<CallbackView | null> {
  if (!isRowId(id)) return null;
  const row = await db<Row>('callbacks').where({ id }).first();
  return row === undefined ? null : callbackOf(row);
}

function callbackOf(row: Row): CallbackView {
  // Of one that is not to be sent any more the column says nothing.
  const nextAttemptAt = row.status === 'pending' ? (row.next_attempt_at?.toISOString() ?? null) : null;
  return viewOf(callbackShape, row, { nextAttemptAt, data: fromJsonText(row.data) });
}
