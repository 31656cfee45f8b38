import { expect, it } from 'vitest';
import { freshStatistics } from '../../src/records/database/fresh-statistics.js';
import { useDatabase } from '../support/database.js';
import { until } from '../support/drill.js';

const database = useDatabase();

const given = (rows: number) =>
  database.db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(
      `INSERT INTO asset_rates (asset_code, rate, seen_at, source)
       SELECT 'A', n + (SELECT count(*) FROM asset_rates), now(), 'x' FROM generate_series(1, ?::integer) AS n`,
      [rows],
    );
    // Else it is counted a second later.
    await trx.raw('SELECT pg_stat_force_next_flush()');
  });
const counted = async (): Promise<number> => {
  const { rows } = await database.db.raw<{ rows: { n: string }[] }>(
    `SELECT n_mod_since_analyze AS n FROM pg_stat_user_tables WHERE relname = 'asset_rates'`,
  );
  return Number(rows[0]?.n);
};
const estimated = async (): Promise<number> => {
  const { rows } = await database.db.raw<{ rows: { n: number }[] }>(
    `SELECT reltuples AS n FROM pg_class WHERE relname = 'asset_rates'`,
  );
  return Number(rows[0]?.n);
};

it('looks again at what was mostly written since, and at nothing else', async () => {
  expect(await freshStatistics(database.db)).not.toContain('public.asset_rates');
  await given(500);
  await until('it is counted', async () => (await counted()) === 500);
  expect(await freshStatistics(database.db)).toEqual([]);
  await given(2_500);
  await until('it is counted', async () => (await counted()) === 3_000);
  expect(await freshStatistics(database.db)).toEqual(['public.asset_rates']);
  expect(await estimated()).toBe(3_000);
  // Less than half of it is new.
  await given(1_200);
  await until('it is counted', async () => (await counted()) === 1_200);
  expect(await freshStatistics(database.db)).toEqual([]);
});
