import type { Knex } from 'knex';
import { bookedLines, exact, type MonthQuery, type MonthRow, monthRows } from './month-query.js';

/** Each line of a fee that is posted in the month; a memo is known and moved nothing. */
export function monthFees(trx: Knex.Transaction, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  return monthRows(trx, FEES, about);
}

const FEES = `
  SELECT date::text AS date, entry_id::text AS entry, record_kind AS kind, record_id AS record, account, asset_code AS asset,
         CASE WHEN NOT memo THEN ${exact('amount')} END AS amount, CASE WHEN memo THEN ${exact('amount')} END AS memo,
         CASE WHEN NOT memo THEN ${exact('amount * rate')} END AS value
  FROM (${bookedLines}) AS lines WHERE account ~ '^(expenses|income):fees:' ORDER BY entry_id, line`;
