import type { Knex } from 'knex';
import { sameCurrency } from '../../domain/family/money.js';
import { compareAmounts } from '../../domain/money.js';
import { amountProblem, currencyProblem } from '../../domain/orders/expectation.js';
import type { KytWords } from '../../domain/orders/kyt.js';
import { AppError } from '../../errors.js';
import { autoResolveBreaks, openBreaks } from '../breaks/breaks.js';
import { appendChanges } from '../changes.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { definedOnly } from '../database/defined-only.js';
import { keyText } from '../database/key-text.js';
import { CursorError, cut, decodeCursor, type Page, type PageQuery, takeOf } from '../database/paging.js';
import { noFamily } from '../family/load.js';
import { findInstallation } from '../installation.js';
import { deriveOrders } from './derive-orders.js';
import { lockOrders } from './lock-orders.js';
import { orderBreaks, orderChanges } from './order-follow-up.js';
import { expectedOf, type OrderRow, type OrderView, orderView } from './order-row.js';
import { countCarriers } from './shared-references.js';

export type { OrderView } from './order-row.js';

/** What the store expects to be paid. */
export interface OrderRegistration {
  reference: string;
  /** A decimal string above zero. */
  amount: string;
  /** A code in upper case. */
  currency: string;
}

export type RegisterOrderResult =
  | { outcome: 'created' | 'unchanged'; order: OrderView }
  /** The order is registered with another amount or currency: nothing is changed. */
  | { outcome: 'conflict'; expected: OrderView['expected']; existing: OrderView };

/** A reference, amount or currency that no order can have. */
export class InvalidOrderError extends AppError {
  readonly code = 'invalid_order';
}

/** Registers what the store expects of an order; the same registration again changes nothing. */
export async function registerOrder(
  trx: Knex.Transaction,
  wanted: OrderRegistration,
  kytWords?: KytWords,
): Promise<RegisterOrderResult> {
  const reference = keyText(wanted.reference);
  if (reference === null || reference === '') throw new InvalidOrderError('A reference has 1 to 1,000 bytes');
  const problems = { amount: amountProblem(wanted.amount), currency: currencyProblem(wanted.currency) };
  for (const [field, problem] of Object.entries(problems))
    if (problem !== null) throw new InvalidOrderError(`${field}: ${problem}`);
  const touched = [{ reference, since: null }];
  const before = (await lockOrders(trx, touched)).get(reference);
  const expected = before === undefined ? null : expectedOf(before.row);
  if (before !== undefined && expected !== null) {
    const same =
      sameCurrency(expected.currency, wanted.currency) && compareAmounts(expected.amount, wanted.amount) === 0;
    const existing = orderView(before.row);
    return same ? { outcome: 'unchanged', order: existing } : { outcome: 'conflict', expected, existing };
  }
  await trx('orders')
    .where({ reference })
    .update({
      expected_amount: wanted.amount,
      expected_currency: toDatabaseText(wanted.currency),
      registered_at: trx.fn.now(),
    });
  const adoptedAt = (await findInstallation(trx))?.adoptedAt ?? new Date(0);
  const [derived] = await deriveOrders(trx, touched, [], { kytWords, adoptedAt });
  const after = await rowOf(trx, reference);
  const records = derived?.records ?? noFamily;
  const changed = { before: before?.isNew === false ? before.row : null, after, records };
  const { open, resolve } = orderBreaks(changed, { adoptedAt });
  await autoResolveBreaks(trx, resolve);
  await openBreaks(trx, open);
  await appendChanges(
    trx,
    orderChanges(changed, { source: { type: 'store', ref: 'registration' }, serviceTime: null }),
  );
  return { outcome: 'created', order: orderView(after) };
}

/** An order, with what may be mistaken for it. */
export interface OrderDetail extends OrderView {
  /** References of other orders that differ from this one's in upper and lower case alone. */
  similarReferences: string[];
  /** How many carry the reference, where that is more than can be one order's; null: it is one order's. */
  sharedBy: { paymentIntents: number; invoices: number } | null;
}

/** By its reference, byte for byte. */
export async function getOrder(db: Knex, reference: string): Promise<OrderDetail | null> {
  const key = toDatabaseText(reference);
  const rows = await db<OrderRow>('orders').whereRaw('lower(reference) = lower(?)', [key]).orderBy('reference');
  const row = rows.find((found) => found.reference === key);
  if (row === undefined) return null;
  const others = rows.filter((found) => found !== row);
  return {
    ...orderView(row),
    similarReferences: others.map((found) => fromDatabaseText(found.reference)),
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

async function rowOf(trx: Knex.Transaction, reference: string): Promise<OrderRow> {
  const row = await trx<OrderRow>('orders').where({ reference }).first();
  if (row === undefined) throw new Error('The row of a locked order is gone');
  return row;
}
