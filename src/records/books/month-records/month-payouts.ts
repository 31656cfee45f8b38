import type { Knex } from 'knex';
import { bookedLines, exact, lookedUp, type MonthQuery, type MonthRow, monthRows, utc, worth } from './month-query.js';

/** What went to somebody, or into fiat: not fees, and not where it came from. */
const GIVEN = `account IN ('equity:withdrawals', 'equity:transfers', 'equity:conversion', 'income:refunds')`;

const CALLED_REFUND = 'lower(payout_type) = ANY (CAST(:refundWords AS text[]))';

/** Payouts that are no refunds, made or booked in the month, by asset. */
export function monthPayouts(trx: Knex.Transaction, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  return monthRows(trx, payouts('NOT'), about);
}

/** Refunds made or booked in the month, by asset: by the contract's word for them, or booked as such. All of one stands here. */
export function monthRefunds(trx: Knex.Transaction, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  return monthRows(trx, payouts(''), about);
}

const payouts = (isRefund: '' | 'NOT'): string => `
  WITH lines AS MATERIALIZED (${bookedLines} AND record_kind = 'payout' AND NOT memo),
  booked AS (
    SELECT record_id AS id, asset_code, min(date)::text AS date, bool_or(bool_or(account = 'income:refunds')) OVER (PARTITION BY record_id) AS refunds,
           coalesce(sum(amount) FILTER (WHERE ${GIVEN}), 0) AS given,
           coalesce(sum(amount) FILTER (WHERE account LIKE 'expenses:fees:%'), 0) AS fee,
           coalesce(-sum(amount) FILTER (WHERE account LIKE 'assets:%'), 0) AS paid,
           ${worth(GIVEN)} AS value
    FROM lines GROUP BY record_id, asset_code
  ), ids AS (
    SELECT id FROM booked UNION SELECT id FROM payouts WHERE created_at >= :from AND created_at < :to
  )
  SELECT ids.id, payout_type AS type, status, merchant_reference AS "order", payment_intent_id AS payment,
         ${utc('created_at')} AS "createdAt", date AS "bookedOn", coalesce(booked.asset_code, payouts.asset_code) AS asset,
         CASE WHEN booked.asset_code IS NULL OR booked.asset_code = payouts.asset_code THEN ${exact('payouts.amount')} END AS amount,
         ${exact('given')} AS booked, ${exact('fee')} AS fee, ${exact('paid')} AS paid, ${exact('value')} AS value, txid
  FROM ids LEFT JOIN ${lookedUp('payouts', 'id', 'ids.id')} ON true LEFT JOIN booked ON booked.id = ids.id
  WHERE ${isRefund} coalesce(${CALLED_REFUND} OR refunds, refunds, false)
  ORDER BY created_at NULLS LAST, ids.id COLLATE "C", coalesce(booked.asset_code, payouts.asset_code) COLLATE "C"`;
