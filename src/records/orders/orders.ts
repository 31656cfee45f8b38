import type { Knex } from 'knex';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { definedOnly } from '../database/defined-only.js';
import { CursorError, cut, decodeCursor, type Page, type PageQuery, takeOf } from '../database/paging.js';
import { lookAlikes } from './look-alikes.js';
import { type OrderRow, type OrderView, orderView } from './order-row.js';
import { countCarriers } from './shared-references.js';

export type { OrderView } from './order-row.js';
export {
  InvalidOrderError,
  type OrderRegistration,
  registerOrder,
  withdrawRegistration,
} from './register-order.js';

/** An order, with what may be mistaken for it. */
export interface OrderDetail extends OrderView {
  /** References of other orders that look like this one's: the first hundred. */
  similarReferences: string[];
  /** How many carry the reference, where that is more than can be one order's; null: it is one order's. */
  sharedBy: { paymentIntents: number; invoices: number } | null;
}

/** By its reference, byte for byte. */
export async function getOrder(db: Knex, reference: string): Promise<OrderDetail | null> {
  const key = toDatabaseText(reference);
  const row = await db<OrderRow>('orders').where({ reference: key }).first();
  if (row === undefined) return null;
  const others = (await lookAlikes(db, [key])).get(key) ?? [];
  return {
    ...orderView(row),
    similarReferences: others.map(({ reference: other }) => fromDatabaseText(other)),
    sharedBy: row.status === 'shared_reference' ? await countCarriers(db, row.reference) : null,
  };
}

/** Newest first, paged by key. Throws `CursorError`. */
export async function listOrders(
  db: Knex,
  query: PageQuery & { status?: string | undefined; reference?: string | undefined },
): Promise<Page<OrderView>> {
  const take = takeOf(query);
  const rows = db<OrderRow & { created: string }>('orders')
    .select('*', db.raw('(extract(epoch FROM created_at) * 1000000)::bigint AS created'))
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'reference', order: 'desc' },
    ])
    .where(
      definedOnly({
        status: query.status,
        reference: query.reference === undefined ? undefined : toDatabaseText(query.reference),
      }),
    )
    .limit(take + 1);
  const page = (await (query.cursor === undefined ? rows : startAfter(rows, query.cursor))) as (OrderRow & {
    created: string;
  })[];
  const { items, nextCursor } = cut(page, take, (row) => [row.created, row.reference]);
  return { items: items.map(orderView), nextCursor };
}

function startAfter(rows: Knex.QueryBuilder, cursor: string): Knex.QueryBuilder {
  const [created = '', reference = ''] = decodeCursor(cursor, 2);
  if (!/^-?\d{1,18}$/.test(created)) throw new CursorError(cursor);
  return rows.whereRaw("(created_at, reference) < ('epoch'::timestamptz + ?::bigint * interval '1 microsecond', ?)", [
    created,
    reference,
  ]);
}
