import type { Knex } from 'knex';
import type { Attributed, InTransit, Opening } from '../../domain/books/balance-entries.js';
import { attributionSteps } from '../balances/balance-views.js';
import { milliseconds, raw, rowOf, rowsOf, run, sql, type Trx, tableOf } from '../database/statements.js';

/** Assets whose books are open, with the moment in ms. */
export async function openedAssets(trx: Knex): Promise<Map<string, number>> {
  const rows = await trx<{ asset_code: string; opened_at: Date }>('opened_assets');
  return new Map(rows.map((row) => [row.asset_code, row.opened_at.getTime()]));
}

/**
 * Opens the books of assets whose opening position was taken since, and reads again all that moved them after it. What
 * stood then is inside the opening: no change and no entry shows it, so all orders are matched anew. Under the lock of the books.
 */
export async function openAssets(trx: Trx): Promise<Opening[]> {
  const rows = await rowsOf<Omit<Opening, 'at'> & { at: Date }>(trx)`
    INSERT INTO opened_assets (asset_code, balance, opened_at)
    SELECT asset_code, opening_balance, opening_at FROM balance_proofs
    WHERE opening_balance IS NOT NULL AND opening_at IS NOT NULL ORDER BY asset_code
    ON CONFLICT DO NOTHING
    RETURNING asset_code AS "assetCode", trim_scale(balance)::text AS balance, opened_at AS at`;
  if (rows.length === 0) return [];
  await run(trx)`
    INSERT INTO posting_due (record_kind, record_id)
    SELECT record_kind, record_id FROM movements
    WHERE asset_code = ANY (${rows.map(({ assetCode }) => assetCode)}::text[]) AND delta IS DISTINCT FROM base
    UNION SELECT 'payment_intent', id FROM payment_intents WHERE irregular_status <> 'none'
    ON CONFLICT DO NOTHING`;
  await trx('match_progress').update({ seq: 0 });
  return rows.map(inMs);
}

/** Of all assets whose books are open. */
export async function openings(trx: Knex): Promise<Opening[]> {
  const rows = await rowsOf<Omit<Opening, 'at'> & { at: Date }>(trx)`
    SELECT asset_code AS "assetCode", trim_scale(balance)::text AS balance, opened_at AS at FROM opened_assets ORDER BY asset_code`;
  return rows.map(inMs);
}

function inMs<Row extends { at: Date }>(row: Row): Omit<Row, 'at'> & { at: number } {
  return { ...row, at: row.at.getTime() };
}

/** Openings that are not what a balance is proven from, or that are to come; in words. The service's clock may be a day ahead of ours. */
export async function unprovenOpenings(
  trx: Knex,
): Promise<{ assetCode: string; opened: string; proven: string | null }[]> {
  return rowsOf<{ assetCode: string; opened: string; proven: string | null }>(trx)`
    SELECT asset_code AS "assetCode", trim_scale(opened.balance) || ' at ' || (to_json(opened.opened_at) #>> '{}') AS opened,
           trim_scale(opening_balance) || ' at ' || (to_json(opening_at) #>> '{}') AS proven
    FROM opened_assets AS opened LEFT JOIN balance_proofs USING (asset_code)
    WHERE (opened.balance, opened.opened_at) IS DISTINCT FROM (opening_balance, opening_at)
      OR opened.opened_at > now() + interval '1 day' ORDER BY asset_code`;
}

export interface SubWalletOpening extends Opening {
  account: string;
}

/** What sub-wallets held at the opening: those of whole assets, and those of single ones. */
export async function subWalletOpenings(
  trx: Knex,
  assets: readonly string[],
  accounts: readonly { account: string; assetCode: string }[],
): Promise<SubWalletOpening[]> {
  if (assets.length + accounts.length === 0) return [];
  const single = tableOf('single', accounts, { account: 'text', asset: ['text', ({ assetCode }) => assetCode] });
  const rows = await rowsOf<Omit<SubWalletOpening, 'at'> & { at: Date }>(trx)`
    SELECT account_id AS account, asset_code AS "assetCode", trim_scale(sum(base))::text AS balance, opened_at AS at
    FROM movements JOIN opened_assets USING (asset_code)
    WHERE account_id IS NOT NULL AND part = 'explained' AND base <> 0
      AND (asset_code = ANY (${assets}::text[])
        OR (account_id, asset_code) IN (SELECT * FROM ${single}))
    GROUP BY account_id, asset_code, opened_at ORDER BY asset_code, account_id`;
  return rows.map(inMs);
}

/** SQL beside steps of attributions, `said`: whether the books say it. Each rebooking is a reversal and a correction. */
export const IS_BOOKED =
  raw(`EXISTS (SELECT FROM entries WHERE record_kind = 'attribution' AND record_id = said.id::text
  AND key = 'attribution' AND version > 2 * step)`);

/** Of what finance attributed and the books do not say yet, of assets whose books are open: the first that is to be posted of each. */
export const unpostedAttributions = (trx: Knex) => attributions(trx, sql`NOT ${IS_BOOKED} ORDER BY said.id, step`);

/** What they say last of each. */
export const postedAttributions = (trx: Knex) => attributions(trx, sql`${IS_BOOKED} ORDER BY said.id, step DESC`);

async function attributions(trx: Knex, which: ReturnType<typeof sql>): Promise<Attributed[]> {
  const rows = await rowsOf<Omit<Attributed, 'at'> & { at: Date }>(trx)`
    SELECT DISTINCT ON (said.id) said.id, asset_code AS "assetCode", trim_scale(said.amount)::text AS amount, said.contra, said.note, said.actor,
           own.at, to_char(own.booked_on, 'YYYY-MM-DD') AS day, decision, approved_by AS "approvedBy",
           CASE WHEN step > 0 THEN jsonb_build_object('id', rebooking::text, 'step', step, 'on', to_char(said.booked_on, 'YYYY-MM-DD')) END AS rebooked
    FROM ${attributionSteps} JOIN balance_attributions AS own USING (id, asset_code) JOIN opened_assets USING (asset_code)
    WHERE ${which}`;
  return rows.map(inMs);
}

/** Where a day's payouts are placed: on that day. Of a month that was closed before they were placed by days, with all of the month. */
export const TRANSIT_KEY = `CASE WHEN month IN (SELECT month FROM periods WHERE status = 'closed') AND (asset_code, month) NOT IN (
    SELECT record_id, month FROM entries WHERE record_kind = 'placement' AND length(key) > 7) THEN month
  ELSE day::text END`;

/** What payouts left in transit, by asset and day, without what was placed. */
export async function inTransit(trx: Knex): Promise<Map<string, InTransit[]>> {
  const rows = await rowsOf<{ asset_code: string } & InTransit>(trx)`
    SELECT asset_code, ${raw(TRANSIT_KEY)} AS key, trim_scale(sum(amount))::text AS amount, max(day)::text AS day,
           ${raw(milliseconds('max(last_at)'))} AS "lastAt"
    FROM transit_days GROUP BY asset_code, 2 ORDER BY asset_code, 2`;
  const found = new Map<string, InTransit[]>();
  for (const { asset_code: asset, ...one } of rows) found.set(asset, [...(found.get(asset) ?? []), one]);
  return found;
}

export interface Unplaced {
  /** What the records themselves show of the operating balance. */
  explained: string;
  /** There are payouts of which no record says whose they are. */
  unnamed: boolean;
}

export async function unplacedOf(trx: Knex, assetCode: string): Promise<Unplaced> {
  return rowOf<Unplaced>(trx)`
    SELECT trim_scale(coalesce(sum(delta - base) FILTER (WHERE part = 'explained' AND account_id IS NULL), 0))::text
             AS explained,
           coalesce(bool_or(part = 'unplaced' AND account_id IS NULL AND delta IS DISTINCT FROM base), false) AS unnamed
    FROM movements WHERE asset_code = ${assetCode}`;
}
