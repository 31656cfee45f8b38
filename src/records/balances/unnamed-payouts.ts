import type { Knex } from 'knex';
import type { MovementTable } from '../../domain/balances/movement-table.js';
import { effectsOf } from '../../domain/balances/movements.js';
import {
  classifyUnnamed,
  type ShownDebit,
  type UnnamedPayouts,
  type WithdrawalInDoubt,
} from '../../domain/balances/unnamed-payouts.js';
import { isZero } from '../../domain/money.js';
import { milliseconds, raw, rowsOf } from '../database/statements.js';
import { readMoving } from './balance-records.js';

/** The predicate of the index payouts_in_hand, word for word. */
const UNDER_WAY = "absent_since IS NULL AND (status IS NULL OR status NOT IN ('confirmed', 'failed'))";
/** Of one asset; those beyond are in doubt, whatever they come to. */
const MOST_PAYOUTS = 200;
/** By how much our time of the opening, taken by what we think the service's clock is, may be before the service's own. */
const CLOCK_ERROR = '5 seconds';
const msOf = (column: string) => raw(`${milliseconds(column)} AS "createdAt"`);
/** Transactions read for each of them. */
const MOST_DEBITS = 200;

/**
 * Which withdrawals of an asset may be counted at different times by the balance and by the sub-wallets' transactions.
 * `stoodUntil`: the last of their withdrawals that stood when the books were opened; null: there was none.
 */
export async function unnamedPayouts(
  db: Knex,
  asset: string,
  { table, stoodUntil }: { table: MovementTable; stoodUntil: Date | null },
): Promise<UnnamedPayouts> {
  const underWay = await payoutsUnderWay(db, asset, table);
  const atOpening = stoodUntil === null ? [] : await payoutsAtOpening(db, asset, stoodUntil);
  const payouts = [...underWay.payouts, ...atOpening];
  const found = classifyUnnamed(payouts, payouts.length === 0 ? [] : await debitsAround(db, asset, payouts));
  return underWay.more ? { ...found, underWay: { ...found.underWay, most: null } } : found;
}

/** What they will debit is what they would if they were confirmed now (specification 3.4). */
async function payoutsUnderWay(
  db: Knex,
  asset: string,
  table: MovementTable,
): Promise<{ payouts: WithdrawalInDoubt[]; more: boolean }> {
  const rows = await rowsOf<{ id: string; createdAt: number | null }>(db)`
    SELECT id, ${msOf('created_at')} FROM payouts
    WHERE ${raw(UNDER_WAY)} AND asset_code = ${asset} ORDER BY id LIMIT ${MOST_PAYOUTS}`;
  const times = new Map(rows.map(({ id, createdAt }) => [id, createdAt]));
  const records = await readMoving(db, 'payout', [...times.keys()]);
  const payouts = records.flatMap(({ key, record }): WithdrawalInDoubt[] => {
    if (record === null || record.accountId === null) return [];
    const effects = effectsOf({ ...record, fields: { ...record.fields, status: 'confirmed' } }, table);
    const withdrawals = effects.filter(({ part, assetCode }) => part === 'unplaced' && assetCode === asset);
    const isUnclear = effects.some(({ part }) => part === 'unclear');
    if (withdrawals.length === 0 && !isUnclear) return [];
    const { id, accountId: account = null } = record;
    const debit = withdrawals[0]?.delta ?? null;
    return [{ id, account, debit, createdAt: times.get(key) ?? null, when: 'under_way' }];
  });
  return { payouts, more: rows.length === MOST_PAYOUTS };
}

/** Made before the books were opened, and confirmed since; a sub-wallet's debit of them could have stood already. */
async function payoutsAtOpening(db: Knex, asset: string, stoodUntil: Date): Promise<WithdrawalInDoubt[]> {
  return rowsOf<WithdrawalInDoubt>(db)`
    SELECT payouts.id, movements.account_id AS account, trim_scale(movements.delta)::text AS debit,
           ${msOf('payouts.created_at')}, 'at_opening' AS when
    FROM movements JOIN balance_proofs USING (asset_code)
      JOIN payouts ON movements.record_kind = 'payout' AND payouts.id = movements.record_id
    WHERE movements.asset_code = ${asset} AND movements.delta IS DISTINCT FROM movements.base
      AND movements.part = 'unplaced'
      AND movements.base = 0 AND (payouts.created_at <= opening_at
        OR payouts.created_at <= opening_at + interval '${raw(CLOCK_ERROR)}' AND payouts.first_seen_at <= opened_at)
      AND payouts.created_at <= ${stoodUntil}::timestamptz + interval '1 hour'
    ORDER BY payouts.created_at DESC LIMIT ${MOST_PAYOUTS}`;
}

/** The sub-wallets' withdrawals of the hour around each payout, and what of the payouts' ids they say. */
async function debitsAround(db: Knex, asset: string, payouts: readonly WithdrawalInDoubt[]): Promise<ShownDebit[]> {
  const times = payouts.flatMap(({ createdAt }) => createdAt ?? []);
  const rows = await rowsOf<Pick<ShownDebit, 'account' | 'delta' | 'createdAt'> & { base: string; shown: string }>(db)`
    SELECT DISTINCT ON (record_id) debit.account_id AS account, trim_scale(delta)::text AS delta, ${msOf('created_at')},
           trim_scale(base)::text AS base, shown
    FROM unnest(${times}::float8[]) AS asked (ms)
    CROSS JOIN LATERAL (
      SELECT record_id, movements.account_id, delta, base, created_at, shown
      FROM transactions JOIN movements ON record_kind = 'transaction' AND record_id = transactions.id
      WHERE transactions.asset_code = ${asset} AND operation = 'accountPayout' AND part = 'explained' AND delta < 0
        AND created_at BETWEEN to_timestamp(asked.ms / 1000) - interval '1 hour'
          AND to_timestamp(asked.ms / 1000) + interval '1 hour'
      ORDER BY created_at LIMIT ${MOST_DEBITS}
    ) AS debit`;
  const ids = payouts.map(({ id }) => [id, JSON.stringify(id)] as const);
  return rows.map(({ base, shown, ...debit }) => ({
    ...debit,
    stood: !isZero(base),
    names: ids.flatMap(([id, text]) => (shown.includes(text) ? [id] : [])),
  }));
}
