import type { Knex } from 'knex';
import type { AccountTotal } from './account-totals.js';

/** More would be no page: with many sub-wallets, an account is asked for by its name. */
const MOST_ROWS = 200;

/**
 * The same as `accountTotals`, out of the sums that are kept by month: for display. `more`: there are more than are shown.
 */
export async function monthTotals(
  db: Knex,
  month: string,
  { account, assetCode }: { account?: string | undefined; assetCode?: string | undefined } = {},
): Promise<{ totals: AccountTotal[]; more: boolean }> {
  const { rows } = await db.raw<{ rows: (Omit<AccountTotal, 'assetCode'> & { asset_code: string })[] }>(
    `SELECT account, asset_code,
            trim_scale(coalesce(sum(amount) FILTER (WHERE month < ?), 0))::text AS opening,
            trim_scale(coalesce(sum(amount) FILTER (WHERE month = ?), 0))::text AS activity,
            trim_scale(sum(amount))::text AS closing
     FROM account_months
     WHERE month <= ? AND account = coalesce(?::text, account)
       AND asset_code = coalesce(?::text, asset_code)
     GROUP BY account, asset_code ORDER BY account COLLATE "C", asset_code COLLATE "C" LIMIT ?`,
    [month, month, month, account ?? null, assetCode ?? null, MOST_ROWS + 1].map((value) => value as string),
  );
  const totals = rows.map(({ asset_code, ...row }) => ({ ...row, assetCode: asset_code }));
  return { totals: totals.slice(0, MOST_ROWS), more: totals.length > MOST_ROWS };
}

/** The newest month that has entries; null: nothing is posted. */
export async function newestMonth(db: Knex): Promise<string | null> {
  const row = await db('entries').max('month as month').first();
  return typeof row?.month === 'string' ? row.month : null;
}
