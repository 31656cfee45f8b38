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
    `SELECT carried.id, reference FROM (
       SELECT id, merchant_reference AS reference FROM payouts WHERE id = ANY (?::text[])
       UNION SELECT payout_id, name FROM reported_refunds WHERE payout_id = ANY (?::text[]) AND said_of = 'order'
     ) AS carried JOIN orders USING (reference)`,
    [asked, asked],
  );
  const { rows: reported } = await db.raw<{ rows: { id: string; intent: string }[] }>(
    `SELECT DISTINCT payout_id AS id, name AS intent FROM reported_refunds WHERE payout_id = ANY (?::text[]) AND said_of = 'payment'`,
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
