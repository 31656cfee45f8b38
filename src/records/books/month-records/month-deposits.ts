import type { Knex } from 'knex';
import { lookedUp, type MonthQuery, type MonthRow, monthRows, utc } from './month-query.js';

/** Deposits made or booked in the month. */
export function monthDeposits(trx: Knex.Transaction, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  return monthRows(trx, DEPOSITS, about);
}

const DEPOSITS = `
  WITH ids AS (
    SELECT id FROM payins WHERE created_at >= :from AND created_at < :to
    UNION SELECT record_id FROM entries WHERE month = :month AND record_kind = 'payin'
  )
  SELECT payins.id, payment_intent_id AS payment, status, kyt_status AS "kytStatus", asset_code AS asset, ${utc('created_at')} AS "createdAt"
  FROM ids CROSS JOIN ${lookedUp('payins', 'id', 'ids.id')} ORDER BY created_at NULLS LAST, payins.id COLLATE "C"`;
