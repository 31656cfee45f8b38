import type { Knex } from 'knex';
import { objectFromJsonText } from '../../domain/json-text.js';
import { textField } from '../../domain/records.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import type { OrderRules } from '../orders/derive-orders.js';
import { rederiveOrders } from '../orders/rederive-releases.js';

/** The payment that an invoice names, by whichever source: by it the delivery history is asked. */
export async function paymentOfInvoice(db: Knex, id: string): Promise<string | null> {
  const row = await db<{ id: string; payment_intent_id: string | null; reported: string | null }>('invoices')
    .where({ id: toDatabaseText(id) })
    .first('payment_intent_id', 'reported');
  if (row === undefined) return null;
  if (row.payment_intent_id !== null) return fromDatabaseText(row.payment_intent_id);
  return row.reported === null ? null : textField(objectFromJsonText(row.reported), 'paymentIntentId');
}

/**
 * All that the delivery history has of a payout was read, by a reading that began at `at` (ms of the service's clock): what
 * reports said of its links until then, and it lacks, holds no order any more.
 */
export async function noteSearched(
  trx: Knex.Transaction,
  payout: string,
  at: number,
  rules: OrderRules,
): Promise<void> {
  const { rows } = await trx.raw<{ rows: { reference: string }[] }>(
    `WITH noted AS (
       UPDATE payouts SET searched_at = ? WHERE id = ? AND coalesce(searched_at, 0) < ?
       RETURNING reported_reference, reported_intent_id)
     SELECT reference FROM noted CROSS JOIN LATERAL (
       SELECT reported_reference AS reference UNION
       SELECT reference FROM payment_orders WHERE payment_intent_id = reported_intent_id) AS named JOIN orders USING (reference)`,
    [Math.floor(at), toDatabaseText(payout), Math.floor(at)],
  );
  const touched = rows.map(({ reference }) => ({ reference, since: null }));
  const cause = { source: { type: 'poll', ref: 'delivery history' }, serviceTime: at } as const;
  if (touched.length > 0) await rederiveOrders(trx, touched, rules, cause);
}
