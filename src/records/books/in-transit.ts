import type { Knex } from 'knex';
import type { InTransit } from '../../domain/books/balance-entries.js';
import { accounts } from '../../domain/books/chart.js';
import { rowsOf } from '../database/statements.js';

/** What payouts left in transit, by asset and month of the books, without what was placed. */
export async function inTransitByMonth(trx: Knex): Promise<Map<string, InTransit[]>> {
  const rows = await rowsOf<{ asset_code: string; month: string; amount: string; day: string; last_at: Date }>(trx)`
    SELECT asset_code, month, trim_scale(sum(amount))::text AS amount, max(date)::text AS day, max(at) AS last_at
    FROM entry_lines JOIN entries ON entries.id = entry_id
    WHERE account = ${accounts.payoutsInTransit} AND record_kind <> 'placement' GROUP BY asset_code, month ORDER BY asset_code, month`;
  const found = new Map<string, InTransit[]>();
  for (const row of rows) {
    const asset = row.asset_code;
    const list = found.get(asset) ?? [];
    list.push({ month: row.month, amount: row.amount, day: row.day, lastAt: row.last_at.getTime() });
    found.set(asset, list);
  }
  return found;
}

export interface Unplaced {
  /** What the records themselves show of the operating balance. */
  explained: string;
  /** There are payouts of which no record says whose they are. */
  unnamed: boolean;
}

export async function unplacedOf(trx: Knex, assetCode: string): Promise<Unplaced> {
  const rows = await rowsOf<{ explained: string; unnamed: boolean }>(trx)`
    SELECT trim_scale(coalesce(sum(delta - base) FILTER (WHERE part = 'explained' AND account_id IS NULL), 0))::text
             AS explained,
           coalesce(bool_or(part = 'unplaced' AND account_id IS NULL AND delta IS DISTINCT FROM base), false) AS unnamed
    FROM movements WHERE asset_code = ${assetCode}`;
  return { explained: rows[0]?.explained ?? '0', unnamed: rows[0]?.unnamed ?? false };
}
