import type { Knex } from 'knex';
import { fromDatabaseText } from '../database/database-text.js';
import { idTexts } from '../family/shown-records.js';
import { ordersBehind } from '../orders/orders-behind.js';

interface Row {
  id: string;
  reference: string;
}

/**
 * References of the orders that payouts concern, by the payout's id: those of the payments that own or name them, or that
 * reports say they are of, and those whose reference they carry.
 */
export async function ordersOfPayouts(db: Knex, ids: readonly string[]): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const asked = idTexts(ids);
  const { rows: carried } = await db.raw<{ rows: Row[] }>(
    `SELECT payouts.id, orders.reference FROM payouts JOIN orders
       ON orders.reference = payouts.merchant_reference OR orders.reference = payouts.reported_reference
     WHERE payouts.id = ANY (?::text[])`,
    [asked],
  );
  const { rows: reported } = await db.raw<{ rows: { id: string; intent: string }[] }>(
    `SELECT id, reported_intent_id AS intent FROM payouts
     WHERE id = ANY (?::text[]) AND reported_intent_id IS NOT NULL`,
    [asked],
  );
  const behind = await ordersBehind(db, 'payout', ids);
  const saidOf = await ordersBehind(
    db,
    'payment_intent',
    reported.map(({ intent }) => fromDatabaseText(intent)),
  );
  const found = new Map(ids.map((id) => [id, new Set(behind.get(id))]));
  for (const { id, reference } of carried) found.get(fromDatabaseText(id))?.add(fromDatabaseText(reference));
  for (const { id, intent } of reported)
    for (const reference of saidOf.get(fromDatabaseText(intent)) ?? []) found.get(fromDatabaseText(id))?.add(reference);
  return new Map([...found].map(([id, references]) => [id, [...references].sort()]));
}
