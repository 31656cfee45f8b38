import type { Knex } from 'knex';
import { exact, type MonthQuery, type MonthRow, monthRows, utc } from './month-query.js';

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
    UNION SELECT payment_intent_id FROM payins JOIN received USING (id)
    UNION SELECT intent_id FROM payin_listings JOIN received ON received.id = payin_id
    UNION SELECT payment_intent_id FROM payouts JOIN sent USING (id)
    UNION SELECT payment_intents.id FROM payment_intents JOIN sent ON sent.id = irregular_refund_payout_id
    UNION SELECT payment_intent_id FROM invoices JOIN billed USING (id)
    UNION SELECT payment_intents.id FROM payment_intents JOIN billed ON billed.id = invoice_id
  ), paid AS (
    SELECT id, invoice_id, nullif(merchant_reference, '') AS reference FROM payment_intents JOIN intents USING (id)
  ), touched AS (
    SELECT reference FROM orders WHERE registered_at >= :from AND registered_at < :to
    UNION SELECT reference FROM paid
    UNION SELECT merchant_reference FROM paid JOIN invoices ON invoices.id = invoice_id WHERE reference IS NULL
    UNION SELECT merchant_reference FROM paid JOIN invoices ON payment_intent_id = paid.id WHERE reference IS NULL
    UNION SELECT merchant_reference FROM invoices JOIN billed USING (id)
    UNION SELECT merchant_reference FROM payouts JOIN sent USING (id)
  )
  SELECT reference AS "order", status, ${utc('registered_at')} AS "registeredAt", ${exact('expected_amount')} AS "expectedAmount",
         expected_currency AS "expectedCurrency", array_to_string(payment_intents, ' ') AS payments,
         array_to_string(invoices, ' ') AS invoices, array_to_string(refunds, ' ') AS refunds,
         CASE WHEN release_safe THEN 'yes' ELSE 'no' END AS "releaseSafe", release_reason AS "releaseReason",
         ${utc('release_proven_at')} AS "provenAt"
  FROM orders JOIN touched USING (reference) ORDER BY registered_at NULLS LAST, reference COLLATE "C"`;
