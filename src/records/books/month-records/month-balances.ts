import type { Knex } from 'knex';
import { accounts } from '../../../domain/books/chart.js';
import { fromDatabaseText } from '../../database/database-text.js';
import { accountTotals } from '../account-totals.js';
import { exact, type MonthRow, utc } from './month-query.js';

const unread: MonthRow = { balance: null, frozen: null, readAt: null, unexplained: null, unproven: null };

/** Of each asset: what the books of the month hold, and how the balance that the service shows is proven, as it stands. */
export async function monthBalances(trx: Knex.Transaction, month: string): Promise<MonthRow[]> {
  const totals = (await accountTotals(trx, month)).filter(({ account }) => account === accounts.operating);
  const { rows } = await trx.raw<{ rows: (MonthRow & { asset: string })[] }>(
    `SELECT asset_code AS asset, ${exact('balance')} AS balance, ${exact('frozen')} AS frozen, ${utc('agreed_at')} AS "readAt",
            ${exact('unexplained')} AS unexplained, unproven FROM balance_proofs`,
  );
  const proofs = new Map(rows.map((row) => [fromDatabaseText(row.asset), row]));
  const booked = new Map(totals.map((total) => [total.assetCode, total]));
  return [...new Set([...proofs.keys(), ...booked.keys()])].sort().map((asset) => {
    const { opening = '0', activity = '0', closing = '0' } = booked.get(asset) ?? {};
    return { ...unread, ...proofs.get(asset), asset, opening, activity, closing };
  });
}
