import { beforeAll, expect, test } from 'vitest';
import type { RecordKind } from '../../src/domain/records.js';
import type { PageQuery } from '../../src/records/database/paging.js';
import { listDeliveries } from '../../src/records/deliveries/list-deliveries.js';
import { listEvents } from '../../src/records/inbox/events.js';
import { listOrders } from '../../src/records/orders/orders.js';
import { listRecords } from '../../src/records/rows.js';
import { listRuns } from '../../src/records/runs/runs.js';
import { useDatabase } from '../support/database.js';
import { plansOf, queriesOf } from '../support/query-plans.js';
import { sized } from '../support/sizes.js';

const ROWS = sized(4_000, 20_000);
/** The one among them that is searched for. */
const RARE = ROWS - 1_000;
const recordLists = [
  ['payment_intent', 'payment_intents'],
  ['payin', 'payins'],
  ['invoice', 'invoices'],
  ['payout', 'payouts'],
  ['account', 'accounts'],
  ['transaction', 'transactions'],
] as const satisfies (readonly [RecordKind, string])[];

const withAsset = ['payment_intents', 'payins', 'payouts', 'transactions'];

const database = useDatabase();
beforeAll(async () => {
  const { db } = database;
  const at = `now() - n * interval '1 minute'`;
  for (const [, table] of recordLists)
    await db.raw(
      `INSERT INTO ${table} (id, created_at, claims, shown, verified, observed_at, observed_by_type, observed_by_ref)
       SELECT 'r' || n, ${at}, '[]', '{}', n <> ${RARE}, now(), 'poll', 'run' FROM generate_series(1, ${ROWS}) AS n`,
    );
  await db.raw(
    `INSERT INTO runs (kind, "full", status, complete)
     SELECT 'invoices', n = 900, 'succeeded', n <> 800 FROM generate_series(1, ${ROWS}) AS n`,
  );
  await db.raw(
    `INSERT INTO orders (reference, status, release_safe, release_reason, created_at, updated_at)
     SELECT 'o' || n, 'paid', n = ${RARE}, 'paid', ${at}, CASE WHEN n = ${RARE} THEN now() ELSE '2020-01-01' END
     FROM generate_series(1, ${ROWS}) AS n`,
  );
  for (const table of withAsset)
    await db.raw(`UPDATE ${table} SET asset_code = CASE WHEN id = 'r${RARE}' THEN 'DOGE' ELSE 'BTC' END`);
  await db.raw(`UPDATE payment_intents SET merchant_reference = 'o' || substr(id, 2)`);
  await db.raw(`UPDATE payins SET txid = 't' || substr(id, 2), payment_intent_id = id`);
  await db.raw(
    `INSERT INTO deliveries (id, ours, class, poll_from, poll_ref, created_at, payment_intent_id)
     SELECT 'd' || n, true, 'received', 0, 'run', ${at}, CASE WHEN n % 2 = 0 THEN 'r' || n END FROM generate_series(1, ${ROWS}) AS n`,
  );
  await db.raw(
    `INSERT INTO inbox (key, key_type, content_hash, event_type, event_timestamp, source, status)
     SELECT 'k' || n, 'id', n, 'a.b', n, 'webhook', 'applied' FROM generate_series(1, ${ROWS}) AS n`,
  );
  await db.raw(`INSERT INTO event_records SELECT 'payment_intent', 'r' || id, id FROM inbox`);
  await db.raw(`UPDATE orders SET payment_intents = ARRAY['r' || substr(reference, 2)]`);
  await db.raw('VACUUM ANALYZE');
});

/** What a list answers, and how many rows the database read for it. */
async function readFor(
  list: () => Promise<{ items: object[] }>,
): Promise<{ found: unknown[]; rows: number; plan: string }> {
  const { sent, result } = await queriesOf(database.db, list);
  const plan = await plansOf(database.url, sent, 'EXPLAIN (ANALYZE, TIMING OFF)');
  const counts = [...plan.matchAll(/actual rows=(\d+)|Rows Removed by Filter: (\d+)/g)];
  const rows = Math.max(...counts.map(([, shown, removed]) => Number(shown ?? removed)));
  const found = result.items.map((item) => ('reference' in item ? item.reference : 'id' in item && item.id));
  return { found, rows, plan };
}

test.each(recordLists)('%s that are not verified are found among those that are', async (kind, table) => {
  const { db } = database;
  const filters = { verified: 'false' };
  const { found, rows, plan } = await readFor(() => listRecords(db, kind, { filters }));
  expect([found, rows], plan).toEqual([[`r${RARE}`], 1]);
  expect(plan).toContain(`${table}_unverified`);
  const verified = await readFor(() => listRecords(db, kind, { filters: { verified: 'true' }, take: 20 }));
  expect([verified.found.length, verified.rows], verified.plan).toEqual([20, 21]);
});

test.each(recordLists.filter(([, table]) => withAsset.includes(table)))(
  '%s of an asset are found among the others, and the newest of the usual one',
  async (kind) => {
    const { db } = database;
    const rare = await readFor(() => listRecords(db, kind, { filters: { assetCode: 'DOGE' } }));
    expect([rare.found, rare.rows], rare.plan).toEqual([[`r${RARE}`], 1]);
    expect(rare.plan).toContain('_by_asset');
    const usual = await readFor(() => listRecords(db, kind, { filters: { assetCode: 'BTC' }, take: 20 }));
    expect(usual.found, usual.plan).toHaveLength(20);
    expect(usual.rows, usual.plan).toBeLessThan(30);
  },
);

test('a run that proved nothing, or read all, is found among the others', async () => {
  const { db } = database;
  const incomplete = await readFor(() => listRuns(db, { complete: 'false' }));
  expect([incomplete.found, incomplete.rows], incomplete.plan).toEqual([['800'], 1]);
  const full = await readFor(() => listRuns(db, { full: 'true', kind: 'invoices' }));
  expect([full.found, full.rows], full.plan).toEqual([['900'], 1]);
  for (const query of [{ complete: 'true' }, { full: 'false' }]) {
    const { found, rows, plan } = await readFor(() => listRuns(db, { ...query, take: 20 }));
    expect([found.length, rows], plan).toEqual([20, 21]);
  }
});

test('orders that changed of late, that are safe or are not, of a payment, of a transaction: none reads the others', async () => {
  const { db } = database;
  const rare = `o${RARE}`;
  for (const [query, index] of [
    [{ updatedSince: new Date(Date.now() - 60_000) }, 'orders_by_update'],
    [{ safe: true }, 'orders_by_release'],
    [{ safe: true, status: 'underpaid' }, 'One-Time Filter: false'],
    [{ safe: false, status: 'underpaid' }, 'orders_by_release'],
    [{ paymentIntentId: `r${RARE}` }, 'orders_pkey'],
    [{ txid: `t${RARE}` }, 'payins_by_txid'],
    [{ txid: `t${RARE}`, safe: true, status: 'paid', updatedSince: new Date(0) }, 'orders_pkey'],
    [{ reference: [rare, ...Array.from({ length: 199 }, (_, n) => `nobody-${n}`)] }, 'orders_pkey'],
  ] as const) {
    const { found, rows, plan } = await readFor(() => listOrders(db, query));
    expect([found.length, found[0] ?? rare], plan).toEqual([query.status === 'underpaid' ? 0 : 1, rare]);
    expect(rows, plan).toBeLessThan(5);
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/Seq Scan on (orders|invoices|payins|payouts|payment_intents)\b/);
  }
  for (const query of [{ safe: false }, { updatedSince: new Date(0) }, { updatedSince: new Date(0), safe: false }]) {
    const { found, rows, plan } = await readFor(() => listOrders(db, { ...query, take: 20 }));
    expect([found.length, rows < 30], plan).toEqual([20, true]);
  }
});

test('deliveries of a payment are found among all', async () => {
  const { db } = database;
  const { found, rows, plan } = await readFor(() => listDeliveries(db, { paymentIntentId: `r${RARE}` }));
  expect([found, rows], plan).toEqual([[`d${RARE}`], 1]);
  expect(plan).toContain('deliveries_by_payment');
});

test('an event by its key, its payment or its order, and an order by its reference are found at once', async () => {
  const { db } = database;
  const event = await readFor(() => listEvents(db, { key: `k${RARE}` }));
  expect([event.found, event.rows], event.plan).toEqual([[`${RARE}`], 1]);
  for (const query of [{ paymentIntentId: `r${RARE}` }, { reference: `o${RARE}`, eventType: 'a.b' }]) {
    const { found, rows, plan } = await readFor(() => listEvents(db, query));
    expect(found, plan).toEqual([`${RARE}`]);
    expect(rows, plan).toBeLessThan(5);
    expect(plan).toContain('event_records_pkey');
    expect(plan).not.toMatch(/Seq Scan on (inbox|event_records|orders|payment_intents|payins)\b/);
  }
  const order = await readFor(() => listOrders(db, { reference: [`o${RARE}`] }));
  expect([order.found, order.rows], order.plan).toEqual([[`o${RARE}`], 1]);
});

test('what is newer than the newest row is counted without the rest of a list', async () => {
  const { db } = database;
  for (const [list, index] of [
    [(query: PageQuery) => listEvents(db, { ...query, status: 'applied' }), 'inbox_pkey'],
    [(query: PageQuery) => listRecords(db, 'payment_intent', query), 'payment_intents_newest'],
    [(query: PageQuery) => listOrders(db, query), 'orders_newest'],
  ] as const) {
    const { newest } = await list({ take: 1, marks: true });
    const { found, rows, plan } = await readFor(() => list({ above: newest, take: 100 }));
    expect([found, rows], plan).toEqual([[], 0]);
    expect(plan).toContain(index);
  }
});
