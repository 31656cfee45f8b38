import type { Knex } from 'knex';
import { arrayText } from '../database/array-parameter.js';
import { prepared, raw, rowsOf, run, tableOf } from '../database/statements.js';
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
    SELECT * FROM orders WHERE reference = ANY (${touched.map(({ reference }) => reference)}::text[])
    ORDER BY reference FOR UPDATE`;
}

/** An order to be made. `since`: when it began, as far as is known: text for a `timestamptz`; null: now. */
export type NewOrder = OrderState & { since: string | null };

/**
 * Makes those orders that are not there, and locks the others as they are, all in one pass in the order of references.
 * Returns the references of those that were made.
 */
export async function insertOrders(trx: Knex.Transaction, orders: readonly NewOrder[]): Promise<Set<string>> {
  const { text, values } = tableOf('new', orders, {
    ...stateColumns,
    since: 'text',
    skeleton: ['text', ({ reference }) => skeletonKey(reference)],
  });
  const { rows } = await prepared<{ rows: { reference: string }[] }>(
    trx,
    'insert orders',
    `INSERT INTO orders (reference, status, release_safe, release_reason, release_proven_at,
       payment_intents, invoices, refunds, difference_amount, difference_currency, held_by_reports, refuted_at,
       created_at, reference_skeleton)
     SELECT reference, status, safe, reason, to_timestamp(proven_at / 1000.0), intents::text[], invoices::text[],
       refunds::text[], difference::numeric, currency, held, refuted::timestamptz[], coalesce(since::timestamptz, now()), skeleton
     FROM ${text} ORDER BY reference
     ON CONFLICT (reference) DO UPDATE SET reference = excluded.reference WHERE false RETURNING reference`,
    values as Buffer[],
  );
  return new Set(rows.map(({ reference }) => reference));
}

/** Writes what became of locked orders. */
export async function updateOrders(trx: Knex.Transaction, orders: readonly OrderState[]): Promise<void> {
  if (orders.length === 0) return;
  await run(trx)`
    UPDATE orders SET status = new.status, release_safe = new.safe, release_reason = new.reason,
      release_proven_at = to_timestamp(new.proven_at / 1000.0),
      payment_intents = new.intents::text[], invoices = new.invoices::text[], refunds = new.refunds::text[],
      difference_amount = new.difference::numeric, difference_currency = new.currency,
      updated_at = CASE WHEN (${TOLD}) IS DISTINCT FROM (${NEWLY_TOLD}) THEN now() ELSE updated_at END,
      held_by_reports = new.held, refuted_at = new.refuted::timestamptz[]
    FROM ${tableOf('new', orders, stateColumns)} WHERE orders.reference = new.reference`;
}

/** What the feed of changes shows of an order, beside what the store registered: it is updated where that is other than before. */
const TOLD = raw(`orders.status, release_safe, release_reason, payment_intents, orders.invoices, orders.refunds,
  difference_amount, difference_currency`);
const NEWLY_TOLD =
  raw(`new.status, new.safe, new.reason, new.intents::text[], new.invoices::text[], new.refunds::text[],
  new.difference::numeric, new.currency`);

const stateColumns = {
  reference: 'text',
  status: 'text',
  safe: ['boolean', (order: OrderState) => order.release_safe],
  reason: ['text', (order: OrderState) => order.release_reason],
  proven_at: ['float8', (order: OrderState) => order.release_proven_at?.getTime() ?? null],
  intents: ['text', (order: OrderState) => arrayText(order.payment_intents)],
  invoices: ['text', (order: OrderState) => arrayText(order.invoices)],
  refunds: ['text', (order: OrderState) => arrayText(order.refunds)],
  difference: ['text', (order: OrderState) => order.difference_amount],
  currency: ['text', (order: OrderState) => order.difference_currency],
  held: ['boolean', (order: OrderState) => order.held_by_reports],
  refuted: ['text', (order: OrderState) => arrayText(order.refuted_at.map((at) => at.toISOString()))],
} as const;
