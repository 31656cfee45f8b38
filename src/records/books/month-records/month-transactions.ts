import type { Knex } from 'knex';
import { exact, lookedUp, type MonthQuery, type MonthRow, monthRows, utc } from './month-query.js';

/** What moved in sub-wallets, made or booked in the month. */
export function monthTransactions(trx: Knex.Transaction, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  return monthRows(trx, TRANSACTIONS, about);
}

const TRANSACTIONS = `
  WITH ids AS (
    SELECT id FROM transactions WHERE created_at >= :from AND created_at < :to
    UNION SELECT record_id FROM entries WHERE month = :month AND record_kind = 'transaction'
  )
  SELECT transactions.id, account_id AS account, type, asset_code AS asset, ${exact('amount')} AS amount, ${exact('fee_amount')} AS fee,
         ${utc('created_at')} AS "createdAt"
  FROM ids CROSS JOIN ${lookedUp('transactions', 'id', 'ids.id')}
  ORDER BY created_at NULLS LAST, transactions.id COLLATE "C"`;
