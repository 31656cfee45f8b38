import type { Knex } from 'knex';
import { exact, lookedUp, type MonthQuery, type MonthRow, monthRows, utc } from './month-query.js';

/**
 * Orders registered in the month, or with a payment, deposit, invoice or refund that was made or booked in it, by the links that
 * orders are derived from; as they stand.
 */
export function monthOrders(trx: Knex.Transaction, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  return monthRows(trx, ORDERS, about);
}

const made = (kind: string, table: string): string =>
  `SELECT '${kind}' AS kind, id FROM ${table} WHERE created_at >= :from AND created_at < :to`;

const ORDERS = `
  WITH made AS (
    ${made('payment_intent', 'payment_intents')} UNION ${made('payin', 'payins')}
    UNION ${made('invoice', 'invoices')} UNION ${made('payout', 'payouts')}
    UNION SELECT record_kind, record_id FROM entries
      WHERE month = :month AND record_kind IN ('payment_intent', 'payin', 'payout')
  ), intents AS (
    SELECT DISTINCT payment_intent_id AS id FROM made
    CROSS JOIN ${lookedUp('family_links', 'id', 'made.id AND family_links.kind = made.kind')}
  ), touched AS (
    SELECT reference FROM orders WHERE registered_at >= :from AND registered_at < :to
    UNION SELECT reference FROM intents CROSS JOIN ${lookedUp('payment_orders', 'payment_intent_id', 'intents.id')}
    UNION SELECT merchant_reference FROM made CROSS JOIN ${lookedUp('invoices', 'id', 'made.id')} WHERE kind = 'invoice'
    UNION SELECT merchant_reference FROM made CROSS JOIN ${lookedUp('payouts', 'id', 'made.id')} WHERE kind = 'payout'
  )
  SELECT orders.reference AS "order", status, ${utc('registered_at')} AS "registeredAt", ${exact('expected_amount')} AS "expectedAmount",
         expected_currency AS "expectedCurrency", array_to_string(payment_intents, ' ') AS payments,
         array_to_string(invoices, ' ') AS invoices, array_to_string(refunds, ' ') AS refunds,
         CASE WHEN release_safe THEN 'yes' ELSE 'no' END AS "releaseSafe", release_reason AS "releaseReason",
         ${utc('release_proven_at')} AS "provenAt"
  FROM touched CROSS JOIN ${lookedUp('orders', 'reference', 'touched.reference')}
  ORDER BY registered_at NULLS LAST, orders.reference COLLATE "C"`;
