import type { Knex } from 'knex';
import { bookedLines, exact, lookedUp, type MonthQuery, type MonthRow, monthRows, utc, worth } from './month-query.js';

const EARNED = `account IN ('income:payments', 'equity:deposits', 'equity:transfers')`;

/**
 * Payments made or booked in the month, by asset: what came, what the service took and what the balance got. Deposits that are of
 * no payment stand here under their own id, so that what is booked of payments and deposits is here whole.
 */
export function monthPayments(trx: Knex.Transaction, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  return monthRows(trx, PAYMENTS, about);
}

const PAYMENTS = `
  WITH lines AS MATERIALIZED (${bookedLines} AND record_kind IN ('payment_intent', 'payin') AND NOT memo),
  owned AS (
    SELECT lines.*, CASE WHEN record_kind = 'payin' THEN coalesce(payment_intent_id, record_id) ELSE record_id END AS id
    FROM lines LEFT JOIN ${lookedUp('payins', 'id', "record_id AND record_kind = 'payin'")} ON true
  ), booked AS (
    SELECT id, asset_code, min(date)::text AS date,
           coalesce(-sum(amount) FILTER (WHERE ${EARNED}), 0) AS gross,
           coalesce(sum(amount) FILTER (WHERE account = 'expenses:fees:service'), 0) AS fee,
           coalesce(sum(amount) FILTER (WHERE account = 'assets:operating'), 0) AS net,
           coalesce(sum(amount) FILTER (WHERE account = 'assets:held:disputes'), 0) AS held,
           ${worth(EARNED, '-')} AS value
    FROM owned GROUP BY id, asset_code
  ), ids AS (
    SELECT id FROM booked UNION SELECT id FROM payment_intents WHERE created_at >= :from AND created_at < :to
  )
  SELECT ids.id, merchant_reference AS "order", status, irregular_status AS "irregularStatus", ${utc('created_at')} AS "createdAt",
         ${exact('amount_requested')} AS "requestedAmount", currency_requested AS "requestedCurrency", date AS "bookedOn",
         asset_code AS asset, ${exact('gross')} AS gross, ${exact('fee')} AS fee, ${exact('net')} AS net, ${exact('held')} AS held,
         ${exact('value')} AS value
  FROM ids LEFT JOIN ${lookedUp('payment_intents', 'id', 'ids.id')} ON true LEFT JOIN booked ON booked.id = ids.id
  ORDER BY created_at NULLS LAST, ids.id COLLATE "C", asset_code COLLATE "C"`;
