import type { Knex } from 'knex';
import { distinctValues } from '../database/distinct-values.js';
import { raw, rowsOf } from '../database/statements.js';

export interface KnownAsset {
  assetCode: string;
  /** Proven to be zero since it was first read, and nothing here moved it: nobody holds it. */
  idle: boolean;
}

/** Every asset that anything here has to do with, the ones whose balance was asked for longest ago first. */
export async function knownAssets(db: Knex): Promise<KnownAsset[]> {
  const rows = await rowsOf<{ asset_code: string; idle: boolean }>(db)`
    WITH moved (asset_code) AS MATERIALIZED (${raw(distinctValues('movements', 'asset_code'))})
    SELECT asset_code, coalesce(opening_balance = 0 AND balance = 0 AND frozen = 0 AND unexplained = 0
        AND unproven IS NULL, false)
      AND NOT EXISTS (SELECT FROM moved WHERE moved.asset_code = known.asset_code) AS idle FROM (
      SELECT id AS asset_code FROM assets WHERE absent_since IS NULL
      UNION SELECT id FROM balances
      UNION SELECT asset_code FROM moved
      UNION (${raw(distinctValues('payins', 'asset_code'))})
      UNION (${raw(distinctValues('payouts', 'asset_code'))})
      UNION (${raw(distinctValues('transactions', 'asset_code'))})
    ) AS known LEFT JOIN balance_proofs USING (asset_code)
    WHERE asset_code IS NOT NULL ORDER BY asked_at NULLS FIRST, asset_code`;
  return rows.map((row) => ({ assetCode: row.asset_code, idle: row.idle }));
}

/** The public catalog was read once: before that, assets that nothing here speaks of would have no opening position. */
export async function holdsCatalog(db: Knex): Promise<boolean> {
  return (await db('assets').first('id')) !== undefined;
}
