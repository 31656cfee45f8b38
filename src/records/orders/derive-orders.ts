import type { Knex } from 'knex';
import type { Json } from '../../domain/json.js';
import { deriveOrder } from '../../domain/orders/order.js';
import type { OrderFacts } from '../../domain/orders/order-facts.js';
import { compareText } from '../../domain/record-state.js';
import { textField } from '../../domain/records.js';
import { arrayText, booleanArray, floatArray, textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import type { MergedRecord } from '../saving/stored-record.js';
import { loadOrderFacts, noRecords, type RecordsOfOrder } from './load-order-facts.js';
import { type LockedOrder, lockOrders, type TouchedOrder } from './lock-orders.js';
import { expectedOf, type OrderRow } from './order-row.js';

/** What became of an order. `before` is null where it was not known before. */
export interface DerivedRow {
  before: OrderRow | null;
  after: OrderRow;
  /** The row is other than before, or new. What is wrong with an order may change without that. */
  changed: boolean;
  records: RecordsOfOrder;
}

/** Locks the orders, derives each from its records as they stand now, and writes those that are other than before. */
export async function deriveOrders(
  trx: Knex.Transaction,
  touched: TouchedOrder[],
  inHand: MergedRecord[],
  kytWords?: OrderFacts['kytWords'],
): Promise<DerivedRow[]> {
  if (touched.length === 0) return [];
  const locked = await lockOrders(trx, touched);
  const records = await loadOrderFacts(
    trx,
    [...locked.values()].map(({ row }) => row),
    inHand,
  );
  const derived = [...locked.values()].map((order) =>
    derive(order, records.get(order.row.reference) ?? noRecords, kytWords),
  );
  await writeOrders(
    trx,
    derived.filter(({ changed }) => changed).map(({ after }) => after),
  );
  return derived;
}

function derive({ row, isNew }: LockedOrder, records: RecordsOfOrder, kytWords: OrderFacts['kytWords']): DerivedRow {
  const { intents, payins, invoices, refunds, refundIds } = records;
  const facts = {
    reference: fromDatabaseText(row.reference),
    expected: expectedOf(row),
    intents,
    payins,
    invoices,
    refunds,
  };
  const { status, release } = deriveOrder(kytWords === undefined ? facts : { ...facts, kytWords });
  const named = intents.flatMap(({ fields }) => textField(fields, 'invoiceId') ?? []);
  const after: OrderRow = {
    ...row,
    status,
    payment_intents: intents.map(({ id }) => toDatabaseText(id)),
    invoices: idList([...invoices.map(({ id }) => id), ...named]),
    refunds: idList(refundIds),
    release_safe: release.safe,
    release_reason: release.reason,
    release_proven_at: release.provenAt === null ? null : new Date(release.provenAt),
  };
  return { before: isNew ? null : row, after, changed: isNew || differs(row, after), records };
}

/** Each once, whatever the order in which they were found. */
function idList(ids: string[]): string[] {
  return [...new Set(ids)].sort(compareText).map(toDatabaseText);
}

function differs(before: OrderRow, after: OrderRow): boolean {
  return compared(before) !== compared(after);
}

function compared(row: OrderRow): string {
  const { status, payment_intents, invoices, refunds, release_safe, release_reason, release_proven_at } = row;
  return JSON.stringify([
    status,
    payment_intents,
    invoices,
    refunds,
    release_safe,
    release_reason,
    release_proven_at?.getTime() ?? null,
  ] satisfies Json[] | unknown[]);
}

async function writeOrders(trx: Knex.Transaction, rows: OrderRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `UPDATE orders SET status = new.status, release_safe = new.safe, release_reason = new.reason,
       release_proven_at = to_timestamp(new.proven_at / 1000.0), updated_at = now(),
       payment_intents = new.intents::text[], invoices = new.invoices::text[], refunds = new.refunds::text[]
     FROM unnest(?::text[], ?::text[], ?::boolean[], ?::text[], ?::float8[], ?::text[], ?::text[], ?::text[])
       AS new (reference, status, safe, reason, proven_at, intents, invoices, refunds)
     WHERE orders.reference = new.reference`,
    [
      textArray(rows.map((row) => row.reference)),
      textArray(rows.map((row) => row.status)),
      booleanArray(rows.map((row) => row.release_safe)),
      textArray(rows.map((row) => row.release_reason)),
      floatArray(rows.map((row) => row.release_proven_at?.getTime() ?? null)),
      textArray(rows.map((row) => arrayText(row.payment_intents))),
      textArray(rows.map((row) => arrayText(row.invoices))),
      textArray(rows.map((row) => arrayText(row.refunds))),
    ],
  );
}
