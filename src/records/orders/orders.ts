import type { Knex } from 'knex';
import type { OrderDetail, OrderView } from '../../domain/views/order-shapes.js';
import {
  atMicroseconds,
  cut,
  type Filters,
  given,
  microseconds,
  type Page,
  type PageQuery,
  takeOf,
  timeKeyOf,
} from '../database/paging.js';
import { sql } from '../database/statements.js';
import { countCarriers, lookAlikes } from '../family/references.js';
import { ORDER_SEQ, orderView, type PlacedOrderRow } from '../order-row.js';

export {
  InvalidOrderError,
  type OrderRegistration,
  registerOrder,
  withdrawRegistration,
} from './register-order.js';

/** By its reference, byte for byte. */
export async function getOrder(db: Knex, reference: string): Promise<OrderDetail | null> {
  const [row] = await db<PlacedOrderRow>('orders').where({ reference }).select('orders.*', db.raw(ORDER_SEQ));
  if (row === undefined) return null;
  const others = (await lookAlikes(db, [reference])).get(reference) ?? [];
  return {
    ...orderView(row),
    similarReferences: others.map(({ reference: other }) => other),
    sharedBy: row.status === 'shared_reference' ? await countCarriers(db, row.reference) : null,
  };
}

/** Newest first, paged by key. Throws `CursorError`. */
export async function listOrders(
  db: Knex,
  query: PageQuery & Filters<'status' | 'reference'>,
): Promise<Page<OrderView>> {
  const take = takeOf(query);
  const rows = db<PlacedOrderRow & { created: string }>('orders')
    .select('orders.*', db.raw(ORDER_SEQ), db.raw(`${microseconds('created_at')} AS created`))
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'reference', order: 'desc' },
    ])
    .where(given(query, 'status', 'reference'))
    .limit(take + 1);
  const [at, reference = ''] = timeKeyOf(query, 2) ?? [];
  if (at !== undefined) {
    const { text, values } = sql`(created_at, reference) < (${atMicroseconds(at)}, ${reference})`;
    void rows.whereRaw(text, values as string[]);
  }
  const page = (await rows) as (PlacedOrderRow & { created: string })[];
  const { items, nextCursor } = cut(page, take, (row) => [row.created, row.reference]);
  return { items: items.map(orderView), nextCursor };
}
