import type { Knex } from 'knex';
import { exact, type MonthQuery, type MonthRow, monthRows, utc } from './month-query.js';

/** Orders registered in the month, or with a payment, invoice or refund that was made or booked in it; as they stand. */
export function monthOrders(trx: Knex.Transaction, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  return monthRows(trx, ORDERS, about);
}

const IN_MONTH = 'created_at >= :from AND created_at < :to';
const booked = (kind: string): string =>
  `SELECT record_id FROM entries WHERE month = :month AND record_kind = '${kind}'`;

const ORDERS = `
  WITH touched AS (
    SELECT reference FROM orders WHERE registered_at >= :from AND registered_at < :to
    UNION SELECT merchant_reference FROM payment_intents WHERE ${IN_MONTH}
    UNION SELECT merchant_reference FROM payment_intents WHERE id IN (${booked('payment_intent')})
    UNION SELECT merchant_reference FROM invoices WHERE ${IN_MONTH}
    UNION SELECT merchant_reference FROM payouts WHERE ${IN_MONTH}
    UNION SELECT merchant_reference FROM payouts WHERE id IN (${booked('payout')})
  )
  SELECT reference AS "order", status, ${utc('registered_at')} AS "registeredAt", ${exact('expected_amount')} AS "expectedAmount",
         expected_currency AS "expectedCurrency", array_to_string(payment_intents, ' ') AS payments,
         array_to_string(invoices, ' ') AS invoices, array_to_string(refunds, ' ') AS refunds,
         CASE WHEN release_safe THEN 'yes' ELSE 'no' END AS "releaseSafe", release_reason AS "releaseReason",
         ${utc('release_proven_at')} AS "provenAt"
  FROM orders JOIN touched USING (reference) ORDER BY registered_at NULLS LAST, reference COLLATE "C"`;
