import type { Knex } from 'knex';
import type { BalanceSums } from '../../domain/balances/balance-proof.js';
import { addAmounts, subtractAmounts } from '../../domain/money.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';

interface Row {
  asset_code: string;
  explained: string;
  known: string;
  unplaced: string;
  unnamed: string;
  withdrawn: string;
  limits: string;
  unclear: string | null;
  unclear_count: string;
  moved_from: string | null;
}

/** Sums of what moved the operating balance of each asset since its opening. */
export interface AssetSums extends BalanceSums {
  /** Start of the newest reading that brought one of these effects, in ms of the service's clock. */
  movedFrom: number;
  /**
   * The sub-wallets' feeds may debit a payout that is no withdrawal here until it is confirmed: what is left over may be
   * that. Null: no such payout is under way, or nothing is told apart by those feeds.
   */
  untold: string | null;
}

const UNDER_WAY = 'payouts are under way: whose they are can not be told yet';

const none: AssetSums = {
  explained: '0',
  known: '0',
  attributed: '0',
  limit: '0',
  unclear: null,
  movedFrom: 0,
  untold: null,
};

/**
 * `payoutsListed`: the service's own list of payouts is read whole. Then the withdrawals of all balances together less those
 * that the sub-wallets' own movements show are the operating balance's, though no payout says whose it is.
 */
export async function sumMovements(
  db: Knex,
  assets: readonly string[],
  { payoutsListed }: { payoutsListed: boolean },
): Promise<Map<string, AssetSums>> {
  const { rows } = await db.raw<{ rows: Row[] }>(
    `SELECT asset_code,
       ${sum("part = 'explained' AND account_id IS NULL")} AS explained,
       ${sum("part = 'unobservable' AND account_id IS NULL")} AS known,
       ${sum("part = 'unplaced'")} AS unplaced,
       count(*) FILTER (WHERE part = 'unplaced' AND account_id IS NULL AND delta IS DISTINCT FROM base) AS unnamed,
       ${sum("operation = 'accountPayout' AND account_id IS NOT NULL")} AS withdrawn,
       trim_scale(coalesce(sum(limits) FILTER (WHERE part = 'unobservable' AND delta IS NULL AND base IS NULL
         AND NOT EXISTS (SELECT FROM payouts JOIN movements AS paid ON paid.record_kind = 'payout' AND paid.record_id = payouts.id
           WHERE paid.operation = 'settlement' AND payouts.payment_intent_id = movements.record_id)
         AND NOT EXISTS (SELECT FROM balance_attributions AS said
           WHERE said.asset_code = movements.asset_code AND said.at >= to_timestamp(moved_from / 1000.0))), 0))::text AS limits,
       min(why) FILTER (WHERE part = 'unclear' AND base IS NULL) AS unclear,
       count(*) FILTER (WHERE part = 'unclear' AND base IS NULL) AS unclear_count,
       max(moved_from) FILTER (WHERE account_id IS NULL) AS moved_from
     FROM movements WHERE asset_code = ANY (?::text[]) GROUP BY asset_code`,
    [textArray(assets.map(toDatabaseText))],
  );
  const attributed = await sumAttributed(db);
  const ofAll = await unclearOfAnyAsset(db);
  const underWay = await assetsUnderWay(db);
  const found = new Map(
    rows.map((row) => {
      const sums = sumsOf(row, payoutsListed);
      const isTold = row.unnamed === '0' || row.withdrawn === '0' || !underWay.has(row.asset_code);
      return [fromDatabaseText(row.asset_code), { ...sums, untold: isTold ? null : UNDER_WAY }];
    }),
  );
  return new Map(
    assets.map((asset) => {
      const sums = found.get(asset) ?? none;
      return [asset, { ...sums, attributed: attributed.get(asset) ?? '0', unclear: sums.unclear ?? ofAll }];
    }),
  );
}

/** What finance has attributed of each asset. */
export async function sumAttributed(db: Knex): Promise<Map<string, string>> {
  const { rows } = await db.raw<{ rows: { asset_code: string; sum: string }[] }>(
    'SELECT asset_code, trim_scale(sum(amount))::text AS sum FROM balance_attributions GROUP BY asset_code',
  );
  return new Map(rows.map((row) => [fromDatabaseText(row.asset_code), row.sum]));
}

/** What each sub-wallet's movements add up to; the service shows no balance of theirs (specification 2.5). */
export async function subWalletSums(
  db: Knex,
  accountId: string,
): Promise<{ assetCode: string; movements: number; sum: string }[]> {
  const { rows } = await db.raw<{ rows: { asset_code: string; sum: string; count: string }[] }>(
    `SELECT asset_code, trim_scale(sum(delta))::text AS sum, count(*) AS count FROM movements
     WHERE account_id = ? AND part = 'explained' GROUP BY asset_code ORDER BY asset_code`,
    [toDatabaseText(accountId)],
  );
  return rows.map((row) => ({
    assetCode: fromDatabaseText(row.asset_code),
    movements: Number(row.count),
    sum: row.sum,
  }));
}

function sum(condition: string): string {
  return `trim_scale(coalesce(sum(delta - base) FILTER (WHERE ${condition}), 0))::text`;
}

function sumsOf(row: Row, payoutsListed: boolean): AssetSums {
  const unnamed = Number(row.unnamed);
  const others = Number(row.unclear_count);
  const ofOperating = unnamed === 0 ? '0' : subtractAmounts(row.unplaced, row.withdrawn);
  const isTold = unnamed === 0 || payoutsListed;
  const why = isTold ? null : `${unnamed} payouts of which it is not shown which balance they debit`;
  const unclear = others === 0 ? null : `${others} records: ${row.unclear ?? 'unclear'}`;
  const reasons = [why, unclear].filter((reason) => reason !== null);
  return {
    explained: isTold ? addAmounts(row.explained, ofOperating) : row.explained,
    known: row.known,
    attributed: '0',
    limit: row.limits,
    unclear: reasons.length === 0 ? null : reasons.join('; '),
    movedFrom: Number(row.moved_from ?? 0),
    untold: null,
  };
}

async function assetsUnderWay(db: Knex): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { asset_code: string }[] }>(
    `SELECT DISTINCT asset_code FROM payouts WHERE absent_since IS NULL AND asset_code IS NOT NULL
       AND (status IS NULL OR status NOT IN ('confirmed', 'failed'))`,
  );
  return new Set(rows.map((row) => row.asset_code));
}

async function unclearOfAnyAsset(db: Knex): Promise<string | null> {
  const row = await db('movements').where({ part: 'unclear' }).whereNull('asset_code').whereNull('base').first('why');
  return row === undefined ? null : `a record that does not name its asset: ${String(row.why)}`;
}
