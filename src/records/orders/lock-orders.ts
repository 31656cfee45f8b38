import type { Knex } from 'knex';
import { textArray } from '../database/array-parameter.js';
import { type OrderRow, untouchedOrder } from '../order-row.js';
import { insertOrders } from './write-orders.js';

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
  const { rows } = await trx.raw<{ rows: OrderRow[] }>(
    `SELECT * FROM orders WHERE reference = ANY (?::text[]) ORDER BY reference FOR UPDATE`,
    [references(touched)],
  );
  return rows;
}

function references(touched: readonly TouchedOrder[]): Buffer {
  return textArray(touched.map(({ reference }) => reference));
}
