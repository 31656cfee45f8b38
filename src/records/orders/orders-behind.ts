import type { Knex } from 'knex';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';

/** Kinds of record that can belong to an order. */
export const orderedKinds = ['payment_intent', 'payin', 'invoice', 'payout'] as const;
export type OrderedKind = (typeof orderedKinds)[number];

/** The payment intents behind records, by the links that orders are derived from. */
const pairs: Readonly<Record<OrderedKind, string>> = {
  payment_intent: 'SELECT id, id AS intent_id FROM asked',
  payin: `SELECT id, payment_intent_id FROM payins WHERE id = ANY (SELECT id FROM asked)
    UNION SELECT payin_id, intent_id FROM payin_listings WHERE payin_id = ANY (SELECT id FROM asked)`,
  invoice: `SELECT id, payment_intent_id FROM invoices WHERE id = ANY (SELECT id FROM asked)
    UNION SELECT invoice_id, id FROM payment_intents WHERE invoice_id = ANY (SELECT id FROM asked)`,
  payout: `SELECT id, payment_intent_id FROM payouts WHERE id = ANY (SELECT id FROM asked)
    UNION (SELECT DISTINCT ON (payout_id) payout_id, payment_intent_id FROM refund_assignments
      WHERE payout_id = ANY (SELECT id FROM asked) ORDER BY payout_id, id DESC)
    UNION SELECT irregular_refund_payout_id, id FROM payment_intents
      WHERE irregular_refund_payout_id = ANY (SELECT id FROM asked)`,
};

/**
 * References of the orders that records belong to, by the record's id; one that is left out is linked with none. A payment
 * intent without a reference of its own has that of its invoice.
 */
export async function ordersBehind(
  db: Knex,
  kind: OrderedKind,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const own =
    kind === 'invoice' ? 'UNION SELECT id, merchant_reference FROM invoices WHERE id = ANY (SELECT id FROM asked)' : '';
  const { rows } = await db.raw<{ rows: { id: string; reference: string }[] }>(
    `WITH asked AS (SELECT DISTINCT unnest(?::text[]) AS id), pairs (id, intent_id) AS (${pairs[kind]}),
       named (id, reference) AS (
         SELECT pairs.id, coalesce(nullif(intent.merchant_reference, ''), invoice.merchant_reference)
         FROM pairs JOIN payment_intents AS intent ON intent.id = pairs.intent_id
         LEFT JOIN invoices AS invoice ON coalesce(intent.merchant_reference, '') = ''
           AND (invoice.id = intent.invoice_id OR invoice.payment_intent_id = intent.id)
         ${own})
     SELECT DISTINCT named.id, reference FROM named JOIN orders USING (reference) ORDER BY named.id, reference`,
    [textArray(ids.map(toDatabaseText))],
  );
  const found = new Map<string, string[]>();
  for (const row of rows) {
    const id = fromDatabaseText(row.id);
    found.set(id, [...(found.get(id) ?? []), fromDatabaseText(row.reference)]);
  }
  return found;
}

/** Ids of the payment intents behind records. */
export async function paymentsBehind(db: Knex, kind: OrderedKind, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.raw<{ rows: { intent_id: string }[] }>(
    `WITH asked AS (SELECT DISTINCT unnest(?::text[]) AS id), pairs (id, intent_id) AS (${pairs[kind]})
     SELECT DISTINCT intent_id FROM pairs WHERE intent_id IS NOT NULL`,
    [textArray(ids.map(toDatabaseText))],
  );
  return rows.map(({ intent_id }) => fromDatabaseText(intent_id));
}
