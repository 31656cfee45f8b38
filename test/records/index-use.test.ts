import { beforeAll, expect, test } from 'vitest';
import { knownAssets } from '../../src/records/balances/balance-assets.js';
import { countProductPayments, productsOfPayments } from '../../src/records/balances/product-facts.js';
import { openPayoutIds, payoutsInHand } from '../../src/records/runs/record-places.js';
import { useDatabase } from '../support/database.js';
import { plansOf as explained, queriesOf } from '../support/query-plans.js';

const ROWS = 20_000;
const WIDE = /Seq Scan on (payment_intents|payouts|payins|transactions|movements)\b/;

const database = useDatabase();
beforeAll(async () => {
  const { db } = database;
  const common = 'claims, shown, verified, observed_at, observed_by_type, observed_by_ref';
  const shown = `'[]', '{"x": 1}', true, now(), 'poll', 'run'`;
  const asset = `CASE WHEN n % 5 > 0 THEN 'A' || n % 4 END`;
  for (const [table, column, value, status] of [
    ['payment_intents', 'product_id', `CASE WHEN n % 2 = 0 THEN 'p' || n % 50 END`, `'completed'`],
    [
      'payouts',
      'asset_code',
      asset,
      `CASE WHEN n = 9000 THEN NULL WHEN n % 1000 = 7 THEN 'pending' ELSE 'confirmed' END`,
    ],
    ['payins', 'asset_code', asset, 'NULL'],
    ['transactions', 'asset_code', asset, 'NULL'],
  ] as const) {
    const [statusColumn, statusValue] = status === 'NULL' ? ['', ''] : ['status, ', `${status}, `];
    await db.raw(
      `INSERT INTO ${table} (id, ${statusColumn}${column}, ${common})
       SELECT 'r' || lpad(n::text, 6, '0'), ${statusValue}${value}, ${shown} FROM generate_series(1, ${ROWS}) AS n`,
    );
  }
  await db.raw(
    `INSERT INTO movements (record_kind, record_id, line, part, asset_code, moved_from)
     SELECT 'payin', 'r' || n, 0, 'explained', 'M' || n % 3, n FROM generate_series(1, ${ROWS}) AS n`,
  );
  await db.raw(
    `INSERT INTO breaks (kind, severity, entity_kind, entity_id, status, evidence)
     VALUES ('payout_stuck', 'high', 'payout', 'r000100', 'open', '{}'), ('payout_untracked', 'high', 'payout', 'r000100', 'open', '{}'),
       ('payout_stuck', 'high', 'payout', 'r000007', 'open', '{}'), ('payout_stuck', 'high', 'payout', 'r000200', 'auto_resolved', '{}')`,
  );
  await db.raw('VACUUM ANALYZE');
});

/** How the database would answer each statement that `work` sends. */
async function plansOf(work: () => Promise<unknown>): Promise<string> {
  const { sent } = await queriesOf(database.db, work);
  return explained(database.url, sent);
}

test('products of payments and what each adds up to are found without reading every payment', async () => {
  const { db } = database;
  const products = await productsOfPayments(db, 100);
  expect(products).toHaveLength(25);
  expect(await productsOfPayments(db, 3)).toEqual(['p0', 'p10', 'p12']);
  const counts = await countProductPayments(db, [...products, 'p0', 'unheard']);
  expect(counts.size).toBe(25);
  expect(counts.get('p4')).toEqual({ totalIntents: 400, completedIntents: 400 });
  expect(await plansOf(() => productsOfPayments(db, 100))).toContain('Recursive Union');
  const plans = [
    await plansOf(() => productsOfPayments(db, 100)),
    await plansOf(() => countProductPayments(db, products)),
  ];
  for (const plan of plans) {
    expect(plan).toContain('payment_intents_by_product');
    expect(plan).not.toMatch(WIDE);
  }
});

test('payouts in hand are the open ones and those of open breaks, each once, without reading the others', async () => {
  const { db } = database;
  const open = await openPayoutIds(db, '', { by: 'known', limit: 500 });
  expect(open).toHaveLength(21);
  expect(open).toContain('r009000');
  const inHand = (await payoutsInHand(db, '', 500)).map(({ id }) => id);
  expect(inHand).toEqual([...open, 'r000100'].sort());
  expect((await payoutsInHand(db, '', 2)).map(({ id }) => id)).toEqual(['r000007', 'r000100']);
  expect((await payoutsInHand(db, 'r000100', 1)).map(({ id }) => id)).toEqual(['r001007']);
  const plans = [
    await plansOf(() => payoutsInHand(db, '', 500)),
    await plansOf(() => openPayoutIds(db, '', { by: 'known', limit: 500 })),
  ];
  for (const plan of plans) {
    expect(plan).toContain('payouts_in_hand');
    expect(plan).not.toMatch(WIDE);
  }
});

test('assets that records name are found without reading every record', async () => {
  const { db } = database;
  const codes = (await knownAssets(db)).map(({ assetCode }) => assetCode);
  expect(codes).toEqual(['A0', 'A1', 'A2', 'A3', 'M0', 'M1', 'M2']);
  const plan = await plansOf(() => knownAssets(db));
  expect(plan).toContain('payins_by_asset');
  expect(plan).not.toMatch(WIDE);
});
