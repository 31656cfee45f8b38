import type { Knex } from 'knex';
import type { MonthValue } from '../../domain/books/carried-report.js';
import { raw, rowsOf, type Sql, sql } from '../database/statements.js';

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
    ${totalsUntil(month, raw('entry_lines JOIN entries ON entries.id = entry_id'))} AND NOT memo ${BY_ACCOUNT}`;
}

/** Each by `amount` and `month` of a table. */
const totalsUntil = (month: string, table: Sql, more: Sql = raw('')) => sql`
  SELECT account,
         trim_scale(coalesce(sum(amount) FILTER (WHERE month < ${month}), 0))::text AS opening,
         trim_scale(coalesce(sum(amount) FILTER (WHERE month = ${month}), 0))::text AS activity,
         trim_scale(sum(amount))::text AS closing, asset_code AS "assetCode" ${more}
  FROM ${table} WHERE month <= ${month}`;

const BY_ACCOUNT = raw('GROUP BY account, asset_code ORDER BY account COLLATE "C", asset_code COLLATE "C"');

/** Sums that are kept by month, each with what is kept of its value in the currency. */
const keptIn = (currency: string) => sql`
  account_months LEFT JOIN (SELECT account, asset_code, month, value, lines AS valued FROM account_values WHERE currency = ${currency})
    AS account_values USING (account, asset_code, month)`;

/** Of each account in a month of the books (YYYY-MM). Memos count nowhere. */
export const accountValues = (db: Knex, month: string, currency: string) =>
  valuesIn(db, sql`${keptIn(currency)} WHERE month = ${month}`);

/** Of each month until then, the oldest first. `of`: these accounts alone. */
export const valuesUntil = (db: Knex, month: string, currency: string, of: readonly string[] | null = null) =>
  valuesIn(
    db,
    sql`${keptIn(currency)} WHERE month <= ${month} AND ${of === null ? raw('true') : sql`account = ANY (${of}::text[])`}`,
  );

async function valuesIn(db: Knex, from: Sql): Promise<MonthValue[]> {
  return rowsOf<MonthValue>(db)`
    SELECT month, account, CASE WHEN sum(valued) > 0 THEN trim_scale(sum(value))::text END AS value,
           (sum(lines) - coalesce(sum(valued), 0))::integer AS unpriced
    FROM ${from} GROUP BY month, account ORDER BY month, account COLLATE "C"`;
}

/** The same as `accountTotals`, out of the sums that are kept by month. */
export async function keptTotals(db: Knex, month: string): Promise<AccountTotal[]> {
  return rowsOf<AccountTotal>(db)`${totalsUntil(month, raw('account_months'))} ${BY_ACCOUNT}`;
}

export async function firstMonths(db: Knex): Promise<{ account: string; assetCode: string; month: string }[]> {
  return rowsOf<{ account: string; assetCode: string; month: string }>(db)`
    SELECT account, asset_code AS "assetCode", min(month) AS month FROM account_months
    GROUP BY account, asset_code ORDER BY account COLLATE "C", asset_code COLLATE "C"`;
}

/** What it was worth: exact sums of its lines at their own rates, of which `unpriced` until the month's end have none. */
export interface TotalWorth extends AccountTotal {
  openingValue: string;
  activityValue: string;
  closingValue: string;
  unpriced: number;
}

interface Wanted {
  account?: string | undefined;
  assetCode?: string | undefined;
  /** Left out: all. */
  most?: number;
}

/** The same as `keptTotals`, with values in the currency. `more`: there are more than were asked for. */
export async function monthTotals(
  db: Knex,
  { month, currency }: { month: string; currency: string },
  { account, assetCode, most }: Wanted = {},
): Promise<{ totals: TotalWorth[]; more: boolean }> {
  const totals = await rowsOf<TotalWorth>(db)`
    ${totalsUntil(month, keptIn(currency), valuesOf(month))} AND account = coalesce(${account ?? null}::text, account)
      AND asset_code = coalesce(${assetCode ?? null}::text, asset_code) ${BY_ACCOUNT}
      LIMIT ${most === undefined ? null : most + 1}::integer`;
  return { totals: totals.slice(0, most), more: most !== undefined && totals.length > most };
}

const valuesOf = (month: string) => sql`,
  trim_scale(coalesce(sum(value) FILTER (WHERE month < ${month}), 0))::text AS "openingValue",
  trim_scale(coalesce(sum(value) FILTER (WHERE month = ${month}), 0))::text AS "activityValue",
  trim_scale(coalesce(sum(value), 0))::text AS "closingValue",
  (sum(lines) - coalesce(sum(valued), 0))::integer AS unpriced`;

/** The newest month that has entries; null: nothing is posted. */
export async function newestMonth(db: Knex): Promise<string | null> {
  const row = await db('entries').max('month as month').first();
  return typeof row?.month === 'string' ? row.month : null;
}
