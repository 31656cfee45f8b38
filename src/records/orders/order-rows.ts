import type { Knex } from 'knex';
import { arrayText, booleanArray, floatArray, textArray } from '../database/array-parameter.js';
import { prepared, rowsOf } from '../database/statements.js';
import { skeletonKey } from '../family/references.js';
import { type OrderRow, type OrderState, untouchedOrder } from '../order-row.js';

export interface TouchedOrder {
  reference: string;
  /** When the order began, as far as is known: text for a `timestamptz`; null: now. */
  since: string | null;
}

export interface LockedOrder {
  row: OrderRow;
  isNew: boolean;
}

/** Locks the orders, creating those that are missing, in one pass in the order of references. */
export async function lockOrders(trx: Knex.Transaction, touched: TouchedOrder[]): Promise<Map<string, LockedOrder>> {
  if (touched.length === 0) return new Map();
  const created = await insertOrders(
    trx,
    touched.map(({ reference, since }) => ({ ...untouchedOrder(reference), since })),
  );
  const rows = await lockExisting(trx, touched);
  return new Map(rows.map((row) => [row.reference, { row, isNew: created.has(row.reference) }]));
}

/** Locks those that are there, in the order of references. */
export async function lockExisting(trx: Knex.Transaction, touched: readonly TouchedOrder[]): Promise<OrderRow[]> {
  if (touched.length === 0) return [];
  return rowsOf<OrderRow>(trx)`
    SELECT * FROM orders WHERE reference = ANY (${references(touched)}::text[]) ORDER BY reference FOR UPDATE`;
}

function references(touched: readonly TouchedOrder[]): Buffer {
  return textArray(touched.map(({ reference }) => reference));
}

/** An order to be made. `since`: when it began, as far as is known: text for a `timestamptz`; null: now. */
export type NewOrder = OrderState & { since: string | null };

/**
 * Makes those orders that are not there, and locks the others as they are, all in one pass in the order of references.
 * Returns the references of those that were made.
 */
export async function insertOrders(trx: Knex.Transaction, orders: readonly NewOrder[]): Promise<Set<string>> {
  const { rows } = await prepared<{ rows: { reference: string }[] }>(
    trx,
    'insert orders',
    `INSERT INTO orders (reference, status, release_safe, release_reason, release_proven_at,
       payment_intents, invoices, refunds, held_by_reports, refuted_at, created_at, reference_skeleton)
     SELECT reference, status, safe, reason, to_timestamp(proven_at / 1000.0), intents::text[], invoices::text[],
       refunds::text[], held, refuted::timestamptz[], coalesce(since::timestamptz, now()), skeleton
     FROM unnest(?::text[], ?::text[], ?::boolean[], ?::text[], ?::float8[], ?::text[], ?::text[], ?::text[],
       ?::boolean[], ?::text[], ?::text[], ?::text[])
       AS new (reference, status, safe, reason, proven_at, intents, invoices, refunds, held, refuted, since, skeleton)
     ORDER BY reference
     ON CONFLICT (reference) DO UPDATE SET reference = excluded.reference WHERE false RETURNING reference`,
    [
      ...arraysOf(orders),
      textArray(orders.map(({ since }) => since)),
      textArray(orders.map(({ reference }) => skeletonKey(reference))),
    ],
  );
  return new Set(rows.map(({ reference }) => reference));
}

/** Writes what became of locked orders. */
export async function updateOrders(trx: Knex.Transaction, orders: readonly OrderState[]): Promise<void> {
  if (orders.length === 0) return;
  await trx.raw(
    `UPDATE orders SET status = new.status, release_safe = new.safe, release_reason = new.reason,
       release_proven_at = to_timestamp(new.proven_at / 1000.0), updated_at = now(),
       payment_intents = new.intents::text[], invoices = new.invoices::text[], refunds = new.refunds::text[],
       held_by_reports = new.held, refuted_at = new.refuted::timestamptz[]
     FROM unnest(?::text[], ?::text[], ?::boolean[], ?::text[], ?::float8[], ?::text[], ?::text[], ?::text[],
       ?::boolean[], ?::text[])
       AS new (reference, status, safe, reason, proven_at, intents, invoices, refunds, held, refuted)
     WHERE orders.reference = new.reference`,
    arraysOf(orders),
  );
}

function arraysOf(orders: readonly OrderState[]): Buffer[] {
  return [
    textArray(orders.map((order) => order.reference)),
    textArray(orders.map((order) => order.status)),
    booleanArray(orders.map((order) => order.release_safe)),
    textArray(orders.map((order) => order.release_reason)),
    floatArray(orders.map((order) => order.release_proven_at?.getTime() ?? null)),
    textArray(orders.map((order) => arrayText(order.payment_intents))),
    textArray(orders.map((order) => arrayText(order.invoices))),
    textArray(orders.map((order) => arrayText(order.refunds))),
    booleanArray(orders.map((order) => order.held_by_reports)),
    textArray(orders.map((order) => arrayText(order.refuted_at.map((at) => at.toISOString())))),
  ];
}
