import type { Knex } from 'knex';
import { distinctValues, rowsOf, run, type Trx } from '../database/statements.js';

export interface KnownAsset {
  assetCode: string;
  /** Proven to be zero since it was first read, and nothing here moved it: nobody holds it. */
  idle: boolean;
}

/** Every asset that anything here has to do with, the ones whose balance was asked for longest ago first. */
export async function knownAssets(db: Knex): Promise<KnownAsset[]> {
  return rowsOf<KnownAsset>(db)`
    WITH moved (asset_code) AS MATERIALIZED (${distinctValues('movements', 'asset_code')})
    SELECT asset_code AS "assetCode", coalesce(opening_balance = 0 AND balance = 0 AND frozen = 0 AND unexplained = 0
        AND unproven IS NULL, false)
      AND NOT EXISTS (SELECT FROM moved WHERE moved.asset_code = known.asset_code) AS idle FROM (
      SELECT id AS asset_code FROM assets WHERE absent_since IS NULL
      UNION SELECT id FROM balances
      UNION SELECT asset_code FROM moved
      UNION (${distinctValues('payins', 'asset_code')})
      UNION (${distinctValues('payouts', 'asset_code')})
      UNION (${distinctValues('transactions', 'asset_code')})
    ) AS known LEFT JOIN balance_proofs USING (asset_code)
    WHERE asset_code IS NOT NULL ORDER BY asked_at NULLS FIRST, asset_code`;
}

/** The public catalog was read once: before that, assets that nothing here speaks of would have no opening position. */
export const holdsCatalog = async (db: Knex): Promise<boolean> => (await db('assets').first('id')) !== undefined;

export interface SeenRate {
  assetCode: string;
  /** US dollars for one unit; null: the market could not price it, which the service writes as "0" (specification 2.8). */
  rate: string | null;
  /** Ms of the service's clock. */
  seenAt: number;
  source: string;
}

/** Keeps rates of polls that are saved already, where no newer one showed another. The same value again within the hour is not kept again. */
export async function keepRates(trx: Trx, rates: readonly SeenRate[]): Promise<void> {
  for (const { assetCode, rate, seenAt, source } of rates) {
    await run(trx)`
      INSERT INTO asset_rates (asset_code, rate, seen_at, source)
      SELECT id, ${rate}::numeric, to_timestamp(${seenAt}::float8 / 1000), ${source} FROM balances
      WHERE id = ${assetCode} AND shown_rate(shown) = coalesce(${rate}::numeric, 0) ON CONFLICT DO NOTHING`;
  }
}
