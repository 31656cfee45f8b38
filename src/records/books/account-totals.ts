import type { Knex } from 'knex';
import { rowsOf } from '../database/statements.js';
import { bookedLines, exact } from './month-query.js';

/** opening + activity = closing; signed decimal strings, a debit is positive. */
export interface AccountTotal {
  account: string;
  assetCode: string;
  opening: string;
  activity: string;
  closing: string;
}

/** Of each account and asset in a month of the books (YYYY-MM), in the order of their names. Memos count nowhere. */
export async function accountTotals(db: Knex, month: string): Promise<AccountTotal[]> {
  const rows = await rowsOf<Omit<AccountTotal, 'assetCode'> & { asset_code: string }>(db)`
    SELECT account, asset_code,
           trim_scale(coalesce(sum(amount) FILTER (WHERE month < ${month}), 0))::text AS opening,
           trim_scale(coalesce(sum(amount) FILTER (WHERE month = ${month}), 0))::text AS activity,
           trim_scale(sum(amount))::text AS closing
    FROM entry_lines JOIN entries ON entries.id = entry_id WHERE month <= ${month} AND NOT memo
    GROUP BY account, asset_code ORDER BY account COLLATE "C", asset_code COLLATE "C"`;
  return rows.map(({ asset_code, ...row }) => ({ ...row, assetCode: asset_code }));
}

/** What the lines of an account were worth at their own rates. */
export interface AccountValue {
  account: string;
  /** Exact; null: no line has a rate. */
  value: string | null;
  /** Lines without a rate of the currency; they are not in the value. */
  unpriced: number;
}

/** Of each account in a month of the books (YYYY-MM). Memos count nowhere. */
export async function accountValues(trx: Knex.Transaction, month: string, currency: string): Promise<AccountValue[]> {
  const { rows } = await trx.raw<{ rows: AccountValue[] }>(
    `SELECT account, ${exact('sum(amount * rate)')} AS value, (count(*) FILTER (WHERE rate IS NULL))::integer AS unpriced
     FROM (${bookedLines} AND NOT memo) AS lines GROUP BY account ORDER BY account COLLATE "C"`,
    { month, currency },
  );
  return rows;
}
