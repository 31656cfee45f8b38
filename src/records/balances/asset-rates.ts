import type { Knex } from 'knex';
import { run } from '../database/statements.js';

export interface SeenRate {
  assetCode: string;
  /** US dollars for one unit; null: the market could not price it, which the service writes as "0" (specification 2.8). */
  rate: string | null;
  /** Ms of the service's clock. */
  seenAt: number;
  source: string;
}

/** Keeps rates for whoever values the books. The same value again within the hour is not kept again. */
export async function keepRates(trx: Knex.Transaction, rates: readonly SeenRate[]): Promise<void> {
  for (const { assetCode, rate, seenAt, source } of rates) {
    await run(trx)`
      INSERT INTO asset_rates (asset_code, rate, seen_at, source)
      VALUES (${assetCode}, ${rate}::numeric, to_timestamp(${seenAt}::float8 / 1000), ${source}) ON CONFLICT DO NOTHING`;
  }
}
