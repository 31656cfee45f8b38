import type { Knex } from 'knex';
import type { ReceivedRange } from '../../domain/family/money.js';
import { orderStatuses, type ReleaseReason } from '../../domain/orders/reason-words.js';
import type { OrderDetail, OrderView } from '../../domain/views/order-shapes.js';
import { textArray } from '../database/array-parameter.js';
import {
  atMicroseconds,
  cut,
  type Filters,
  given,
  markOf,
  microseconds,
  type Page,
  type PageQuery,
  takeOf,
  timeKeyOf,
  within,
} from '../database/paging.js';
import { columnOf, rowsOf, sql } from '../database/statements.js';
import { countCarriers, lookAlikes } from '../family/references.js';
import { relatedOrders } from '../family/shown-records.js';
import { adoptedAtOf } from '../installation.js';
import { ORDER_SEQ, orderView, type PlacedOrderRow, paidAndHeld } from '../order-row.js';

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

export interface OrderFilters extends Filters<'status' | 'paymentIntentId' | 'txid'>, ReceivedRange {
  /** As `namedReferences` reads them. */
  reference?: readonly string[] | undefined;
  /** Only orders of which the feed shows a change since then. */
  updatedSince?: Date | undefined;
  safe?: boolean | undefined;
  /** Only those that Overview counts as held. */
  paidAndHeld?: boolean | undefined;
  reason?: ReleaseReason | undefined;
}

/** Newest first, paged by key; filters combine. Throws `CursorError`. */
export async function listOrders(db: Knex, query: PageQuery & OrderFilters): Promise<Page<OrderView>> {
  const take = takeOf(query);
  const among = await referencesOf(db, query);
  // A part that is found first, whatever else is asked for: walking the list for a few among a million would read all of it.
  const few = '(SELECT * FROM orders WHERE reference = ANY (?::text[]) OFFSET 0) AS orders';
  const rows = db<PlacedOrderRow & { created: string }>(among === null ? 'orders' : db.raw(few, [textArray(among)]))
    .select('orders.*', db.raw(ORDER_SEQ), db.raw(`${microseconds('created_at')} AS created`))
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'reference', order: 'desc' },
    ])
    .where(given(query, 'status'))
    .limit(take + 1);
  void within(rows, query, 'orders.created_at');
  const { safe, updatedSince, reason, assetCode, receivedFrom, receivedTo } = query;
  if (assetCode !== undefined) void rows.where('received_asset', assetCode);
  if (receivedFrom !== undefined) void rows.where('received_amount', '>=', receivedFrom);
  if (receivedTo !== undefined) void rows.where('received_amount', '<=', receivedTo);
  if (reason !== undefined) {
    void rows.where('release_reason', reason);
    // In words that an index has: a reason that is a status is that of orders with this status.
    if (orderStatuses.some((status) => status === reason)) void rows.where('status', reason);
    else if (reason === 'proven') void rows.where({ release_safe: true, status: 'paid' });
    else void rows.whereRaw("release_reason <> status AND release_reason <> 'proven'");
  }
  if (safe !== undefined) void rows.where('release_safe', safe);
  if (query.paidAndHeld === true) {
    const { text, values } = paidAndHeld(await adoptedAtOf(db));
    void rows.whereRaw(text, values as string[]);
  }
  // As an index has it: only what is paid is safe.
  if (safe === true) void rows.where('status', 'paid');
  if (updatedSince !== undefined) void rows.where('updated_at', '>=', updatedSince);
  const [at, reference = ''] = timeKeyOf(query, 2) ?? [];
  if (at !== undefined) {
    const { text, values } = sql`(created_at, reference) < (${atMicroseconds(at)}, ${reference})`;
    void rows.whereRaw(text, values as string[]);
  }
  const [since, last = ''] = timeKeyOf({ cursor: query.above }, 2) ?? [];
  if (since !== undefined) {
    const { text, values } = sql`(created_at, reference) > (${atMicroseconds(since)}, ${last})`;
    void rows.whereRaw(text, values as string[]);
  }
  const page = (await rows) as (PlacedOrderRow & { created: string })[];
  const keyOf = (row: (typeof page)[number]) => [row.created, row.reference];
  const { items, nextCursor } = cut(page, take, keyOf);
  return { items: items.map(orderView), nextCursor, ...markOf(query, page, keyOf) };
}

interface Asked {
  reference?: readonly string[] | undefined;
  paymentIntentId?: string | undefined;
  txid?: string | undefined;
}

/** The references that orders are asked for by: those that fit each of what is given. Null: nothing is given. */
async function referencesOf(db: Knex, { reference, paymentIntentId, txid }: Asked): Promise<string[] | null> {
  const given = [
    ...(reference === undefined ? [] : [reference]),
    ...(paymentIntentId === undefined ? [] : [await ofRecords(db, 'payment_intent', [paymentIntentId])]),
    ...(txid === undefined ? [] : [await ofTransaction(db, txid)]),
  ];
  const [first, ...others] = given.map((references) => new Set(references));
  if (first === undefined) return null;
  return [...first].filter((one) => others.every((references) => references.has(one)));
}

/**
 * Several are what they are. One alone is the order of this reference, where there is one; else what stands between its commas:
 * so that a reference with a comma never stands for another order.
 */
export async function namedReferences(db: Knex, given: readonly string[]): Promise<readonly string[]> {
  const [one = ''] = given;
  if (given.length > 1 || !one.includes(',')) return given;
  const known: unknown = await db('orders').where({ reference: one }).first('reference');
  return known === undefined ? one.split(',') : given;
}

/** The orders that the records belong to, or could belong to where the service says it of two. */
async function ofRecords(
  db: Knex,
  kind: 'payment_intent' | 'payin' | 'payout',
  ids: readonly string[],
): Promise<string[]> {
  return [...(await relatedOrders(db, kind, ids)).values()].flat();
}

/** The orders of the payins and the refunds of a transaction on a chain; a refund without a link is its reference's. */
async function ofTransaction(db: Knex, txid: string): Promise<string[]> {
  const [payins, payouts] = await Promise.all([
    columnOf<string>(db)`SELECT id FROM payins WHERE txid = ${txid}`,
    rowsOf<{ id: string; reference: string | null }>(
      db,
    )`SELECT id, merchant_reference AS reference FROM payouts WHERE txid = ${txid}`,
  ]);
  const ids = payouts.map(({ id }) => id);
  const unlinked = columnOf<string>(db)`
    SELECT reference FROM orders
    WHERE reference = ANY (${payouts.flatMap(({ reference }) => reference ?? [])}::text[]) AND refunds && ${ids}::text[]`;
  const found = await Promise.all([ofRecords(db, 'payin', payins), ofRecords(db, 'payout', ids), unlinked]);
  return found.flat();
}
