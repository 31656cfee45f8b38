import { beforeAll, expect, it } from 'vitest';
import { carriedInTransit } from '../../src/records/books/entry-rates.js';
import { inTransit } from '../../src/records/books/openings.js';
import { useDatabase } from '../support/database.js';
import { plansOf, queriesOf } from '../support/query-plans.js';
import { sized } from '../support/sizes.js';

const PAYOUTS = sized(5_000, 100_000);
const DAYS = PAYOUTS / 100;
const database = useDatabase();

beforeAll(async () => {
  const { db } = database;
  await db.transaction(async (trx) => {
    await trx.raw(
      `INSERT INTO entries (record_kind, record_id, key, version, type, month, date, at, day, dated_by, description, sources, written)
       SELECT 'payout', 'po_' || n, 'payout', 1, 'entry', to_char(day, 'YYYY-MM'), day, day, day, 'created', 'payout', '[]', 0
       FROM generate_series(1, ${PAYOUTS}) AS n, LATERAL (SELECT '2026-01-01'::date + n / 100 AS day) AS dated`,
    );
    for (const [line, account, sign] of [
      [0, 'assets:in-transit:payouts', -1],
      [1, 'equity:withdrawals', 1],
    ] as const)
      await trx.raw(
        `INSERT INTO entry_lines (entry_id, line, account, asset_code, amount)
         SELECT id, ${line}, '${account}', CASE WHEN id % 2 = 0 THEN 'BTC' ELSE 'TRX' END, ${sign} FROM entries`,
      );
    await trx.raw(
      `INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at)
       SELECT entry_id, asset_code, 'EUR', 2, 'file', now() FROM entry_lines WHERE line = 0`,
    );
  });
  await db.raw('VACUUM ANALYZE');
}, 300_000);

it('placing reads days and the payouts of the days that are placed, not every payout there ever was', async () => {
  const { db, url } = database;
  const found = await queriesOf(db, () => db.transaction(inTransit));
  expect(found.result.get('BTC')).toHaveLength(DAYS + 1);
  expect(found.result.get('BTC')?.[7]).toMatchObject({ key: '2026-01-08', amount: '-50', day: '2026-01-08' });

  const wanted = [{ assetCode: 'BTC', key: '2026-01-08' }];
  const worth = await queriesOf(db, () => db.transaction((trx) => carriedInTransit(trx, wanted, 'EUR')));
  expect(worth.result).toMatchObject([{ amount: '-50', value: '-100', low: '2', high: '2', source: 'file' }]);

  const selects = (sent: typeof found.sent) => sent.filter(({ sql }) => /select/i.test(sql));
  expect(await plansOf(url, selects(found.sent))).not.toMatch(/on entry_lines|Seq Scan on entries/);
  const plan = await plansOf(url, selects(worth.sent), 'EXPLAIN (ANALYZE, COSTS OFF)');
  expect(plan).toMatch(/entries_by_day/);
  const most = Math.max(
    ...[...plan.matchAll(/rows=(\d+)[\d.]* loops=(\d+)/g)].map(([, rows, loops]) => Number(rows) * Number(loops)),
  );
  // All of the day, of both assets; and the list of days.
  expect(most).toBeLessThanOrEqual(Math.max(100, 2 * (DAYS + 1)));
}, 120_000);
