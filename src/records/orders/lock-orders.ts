import type { Knex } from 'knex';
import { textArray } from '../database/array-parameter.js';
import type { OrderRow } from './order-row.js';

export interface TouchedOrder {
  /** As the database holds it (database-text.ts). */
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
  const references = touched.map((order) => order.reference);
  const inserted = await trx.raw<{ rows: { reference: string }[] }>(
    `INSERT INTO orders (reference, status, release_safe, release_reason, created_at)
     SELECT reference, 'awaiting_payment', false, 'awaiting_payment', coalesce(since::timestamptz, now())
     FROM unnest(?::text[], ?::text[]) AS touched (reference, since) ORDER BY reference
     ON CONFLICT (reference) DO UPDATE SET reference = excluded.reference WHERE false RETURNING reference`,
    [textArray(references), textArray(touched.map((order) => order.since))],
  );
  const created = new Set(inserted.rows.map((row) => row.reference));
  const { rows } = await trx.raw<{ rows: OrderRow[] }>('SELECT * FROM orders WHERE reference = ANY (?::text[])', [
    textArray(references),
  ]);
  return new Map(rows.map((row) => [row.reference, { row, isNew: created.has(row.reference) }]));
}
