import type { Knex } from 'knex';
import { exact, lookedUp, type MonthQuery, type MonthRow, monthRows, utc } from './month-query.js';

/**
 * Orders registered in the month, or with a payment, deposit, invoice or refund that was made or booked in it, by the links that
 * orders are derived from; as they stand.
 */
export function monthOrders(trx: Knex.Transaction, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  return monthRows(trx, ORDERS, about);
}

const IN_MONTH = 'created_at >= :from AND created_at < :to';
const booked = (kind: string): string =>
  `SELECT record_id FROM entries WHERE month = :month AND record_kind = '${kind}'`;

const ORDERS = `
  WITH billed AS (
    SELECT id FROM invoices WHERE ${IN_MONTH}
  ), received AS (
    SELECT id FROM payins WHERE ${IN_MONTH} UNION ${booked('payin')}
  ), sent AS (
    SELECT id FROM payouts WHERE ${IN_MONTH} UNION ${booked('payout')}
  ), intents AS (
    SELECT id FROM payment_intents WHERE ${IN_MONTH} UNION ${booked('payment_intent')}
    UNION SELECT payment_intent_id FROM received CROSS JOIN ${lookedUp('payins', 'id', 'received.id')}
    UNION SELECT intent_id FROM received CROSS JOIN ${lookedUp('payin_listings', 'payin_id', 'received.id')}
    UNION SELECT payment_intent_id FROM sent CROSS JOIN ${lookedUp('payouts', 'id', 'sent.id')}
    UNION SELECT payment_intents.id FROM sent CROSS JOIN ${lookedUp('payment_intents', 'irregular_refund_payout_id', 'sent.id')}
    UNION SELECT payment_intent_id FROM billed CROSS JOIN ${lookedUp('invoices', 'id', 'billed.id')}
    UNION SELECT payment_intents.id FROM billed CROSS JOIN ${lookedUp('payment_intents', 'invoice_id', 'billed.id')}
  ), paid AS (
    SELECT intents.id, invoice_id, nullif(merchant_reference, '') AS reference
    FROM intents CROSS JOIN ${lookedUp('payment_intents', 'id', 'intents.id')}
  ), touched AS (
    SELECT reference FROM orders WHERE registered_at >= :from AND registered_at < :to
    UNION SELECT reference FROM paid
    UNION SELECT merchant_reference FROM paid CROSS JOIN ${lookedUp('invoices', 'id', 'paid.invoice_id')} WHERE reference IS NULL
    UNION SELECT merchant_reference FROM paid CROSS JOIN ${lookedUp('invoices', 'payment_intent_id', 'paid.id')}
      WHERE reference IS NULL
    UNION SELECT merchant_reference FROM billed CROSS JOIN ${lookedUp('invoices', 'id', 'billed.id')}
    UNION SELECT merchant_reference FROM sent CROSS JOIN ${lookedUp('payouts', 'id', 'sent.id')}
  )
  SELECT orders.reference AS "order", status, ${utc('registered_at')} AS "registeredAt", ${exact('expected_amount')} AS "expectedAmount",
         expected_currency AS "expectedCurrency", array_to_string(payment_intents, ' ') AS payments,
         array_to_string(invoices, ' ') AS invoices, array_to_string(refunds, ' ') AS refunds,
         CASE WHEN release_safe THEN 'yes' ELSE 'no' END AS "releaseSafe", release_reason AS "releaseReason",
         ${utc('release_proven_at')} AS "provenAt"
  FROM touched CROSS JOIN ${lookedUp('orders', 'reference', 'touched.reference')}
  ORDER BY registered_at NULLS LAST, orders.reference COLLATE "C"`;
