import type { Knex } from 'knex';
import type { AlertFacts } from '../../domain/alerts/facts.js';
import type { Money } from '../../domain/family/money.js';
import { groupedPairs } from '../../domain/grouped.js';
import { isAmount, sumAmounts } from '../../domain/money.js';
import { NAMED_TYPE } from '../../domain/state/new-payout-type.js';
import { rowsOf } from '../database/statements.js';
import { readMoving } from './balance-records.js';

/** Those beyond are not added up, so what is missing is not put down to them. */
const MOST_PAYOUTS = 500;

/**
 * Types of payouts that no class of the contract has, whose break nobody has closed, and by asset what all such payouts took at
 * most: their amount and their fee, whoever bore it.
 */
export async function newPayoutFacts(
  db: Knex,
): Promise<Pick<AlertFacts, 'newPayoutTypes' | 'newPayouts'> & { taken: Map<string, string> }> {
  const open = await rowsOf<{ type: string }>(db)`
    SELECT substr(entity_id, length(${NAMED_TYPE}::text) + 1) AS type FROM breaks
    WHERE status IN ('open', 'acknowledged') AND kind = 'contract_violation' AND entity_kind = 'payout'
      AND starts_with(entity_id, ${NAMED_TYPE}) ORDER BY id`;
  const types = open.map(({ type }) => type);
  const newPayouts = await payoutsOfTypes(db, types);
  if (types.length === 0) return { newPayoutTypes: types, newPayouts, taken: new Map() };
  const payouts = await rowsOf<{ id: string }>(db)`
    SELECT id FROM payouts WHERE lower(payout_type) = ANY (${types}::text[]) ORDER BY created_at DESC, id DESC LIMIT ${MOST_PAYOUTS}`;
  const records = await readMoving(
    db,
    'payout',
    payouts.map(({ id }) => id),
  );
  const moved = records.flatMap(({ record }): [string, string][] => {
    const { assetCode, amount, feeAmount } = record?.fields ?? {};
    if (typeof assetCode !== 'string' || !isAmount(amount)) return [];
    return [[assetCode, sumAmounts([amount, isAmount(feeAmount) ? feeAmount : '0'])]];
  });
  return {
    newPayoutTypes: types,
    newPayouts,
    taken: new Map([...groupedPairs(moved)].map(([asset, some]) => [asset, sumAmounts(some)])),
  };
}

/** How many payouts of the types are at the service, how the first of them writes its type, and a sum for each asset. */
export async function payoutsOfTypes(
  db: Knex,
  types: readonly string[],
): Promise<{ word: string; count: number; money: Money[] }> {
  if (types.length === 0) return { word: '', count: 0, money: [] };
  const rows = await rowsOf<Money & { word: string; count: number }>(db)`
    SELECT min(payout_type) AS word, count(*)::integer AS count, coalesce(sum(amount), 0)::text AS amount, coalesce(asset_code, '') AS currency
    FROM payouts WHERE lower(payout_type) = ANY (${types}::text[]) AND absent_since IS NULL GROUP BY asset_code ORDER BY asset_code`;
  const money = rows.map(({ amount, currency }) => ({ amount: sumAmounts([amount]), currency }));
  return { word: rows[0]?.word ?? types[0] ?? '', count: rows.reduce((sum, { count }) => sum + count, 0), money };
}
