import type { Knex } from 'knex';
import { verbatim } from '../database/database-text.js';
import { columnOf, distinctValues, rowsOf, type Trx } from '../database/statements.js';

/** Products that payments name, those that were read longest ago first. */
export async function productsOfPayments(db: Knex, limit: number): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT product_id FROM (${distinctValues('payment_intents', 'product_id')}) AS named (product_id)
    LEFT JOIN products ON products.id = product_id ORDER BY poll_from NULLS FIRST, product_id LIMIT ${limit}`;
}

/** What our own payments of each product add up to. */
export async function countProductPayments(
  db: Knex,
  products: readonly string[],
): Promise<Map<string, { totalIntents: number; completedIntents: number }>> {
  const rows = await rowsOf<{ product_id: string; total: string; completed: string }>(db)`
    SELECT product_id, total, completed FROM (SELECT DISTINCT unnest(${products}::text[])) AS asked (product_id)
    CROSS JOIN LATERAL (
      SELECT count(*) AS total, count(*) FILTER (WHERE status = 'completed') AS completed
      FROM payment_intents WHERE product_id = asked.product_id AND absent_since IS NULL
    ) AS payments WHERE total > 0`;
  return new Map(
    rows.map((row) => [row.product_id, { totalIntents: Number(row.total), completedIntents: Number(row.completed) }]),
  );
}

/** Keeps what the service says of where an asset can be settled; null: it can't be. JSON text. */
export async function keepSettlementMethods(
  trx: Trx,
  assetCode: string,
  content: string | null,
  readAt: number,
): Promise<void> {
  const values = { content: verbatim(content), read_at: new Date(readAt) };
  await trx('settlement_methods')
    .insert({ asset_code: assetCode, ...values })
    .onConflict('asset_code')
    .merge(values);
}

/** Assets of the catalog, those whose settlement methods were read longest ago first. */
export async function assetsToSettle(db: Knex, limit: number): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT id FROM assets LEFT JOIN settlement_methods ON asset_code = id
    WHERE absent_since IS NULL ORDER BY read_at NULLS FIRST, id LIMIT ${limit}`;
}
