import type { Knex } from 'knex';
import { fromDatabaseText } from './database-text.js';

/** Every asset that anything here has to do with, the ones whose balance was asked for longest ago first. */
export async function knownAssets(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { asset_code: string }[] }>(
    `SELECT asset_code FROM (
       SELECT id AS asset_code FROM assets WHERE absent_since IS NULL
       UNION SELECT id FROM balances
       UNION SELECT asset_code FROM movements
       UNION SELECT asset_code FROM payins
       UNION SELECT asset_code FROM payouts
       UNION SELECT asset_code FROM transactions
     ) AS known LEFT JOIN balance_proofs USING (asset_code)
     WHERE asset_code IS NOT NULL ORDER BY asked_at NULLS FIRST, asset_code`,
  );
  return rows.map((row) => fromDatabaseText(row.asset_code));
}
