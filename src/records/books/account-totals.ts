import type { Knex } from 'knex';
import { exact, raw, rowsOf, sql } from '../database/statements.js';
import { linesOfMost, spanOf } from './month-query.js';

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
  return rowsOf<AccountTotal>(db)`
    ${totalsUntil(month, 'entry_lines JOIN entries ON entries.id = entry_id')} AND NOT memo ${BY_ACCOUNT}`;
}

/** Each by `amount` and `month` of a table. */
const totalsUntil = (month: string, table: string) => sql`
  SELECT account,
         trim_scale(coalesce(sum(amount) FILTER (WHERE month < ${month}), 0))::text AS opening,
         trim_scale(coalesce(sum(amount) FILTER (WHERE month = ${month}), 0))::text AS activity,
         trim_scale(sum(amount))::text AS closing, asset_code AS "assetCode"
  FROM ${raw(table)} WHERE month <= ${month}`;

const BY_ACCOUNT = raw('GROUP BY account, asset_code ORDER BY account COLLATE "C", asset_code COLLATE "C"');

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
     FROM (${linesOfMost} AND NOT memo) AS lines GROUP BY account ORDER BY account COLLATE "C"`,
    { month, currency, ...(await spanOf(trx, month)) },
  );
  return rows;
}

/** The same as `accountTotals`, out of the sums that are kept by month. */
export async function keptTotals(db: Knex, month: string): Promise<AccountTotal[]> {
  return rowsOf<AccountTotal>(db)`${totalsUntil(month, 'account_months')} ${BY_ACCOUNT}`;
}

/** Of each account and asset the first month with a line. */
export async function firstMonths(db: Knex): Promise<{ account: string; assetCode: string; month: string }[]> {
  return rowsOf<{ account: string; assetCode: string; month: string }>(db)`
    SELECT account, asset_code AS "assetCode", min(month) AS month FROM account_months
    GROUP BY account, asset_code ORDER BY account COLLATE "C", asset_code COLLATE "C"`;
}

/** More would be no page: with many sub-wallets, an account is asked for by its name. */
const MOST_ROWS = 200;

/** The same, for display. `more`: there are more than are shown. */
export async function monthTotals(
  db: Knex,
  month: string,
  { account, assetCode }: { account?: string | undefined; assetCode?: string | undefined } = {},
): Promise<{ totals: AccountTotal[]; more: boolean }> {
  const totals = await rowsOf<AccountTotal>(db)`
    ${totalsUntil(month, 'account_months')} AND account = coalesce(${account ?? null}::text, account)
      AND asset_code = coalesce(${assetCode ?? null}::text, asset_code) ${BY_ACCOUNT} LIMIT ${MOST_ROWS + 1}`;
  return { totals: totals.slice(0, MOST_ROWS), more: totals.length > MOST_ROWS };
}

/** The newest month that has entries; null: nothing is posted. */
export async function newestMonth(db: Knex): Promise<string | null> {
  const row = await db('entries').max('month as month').first();
  return typeof row?.month === 'string' ? row.month : null;
}
