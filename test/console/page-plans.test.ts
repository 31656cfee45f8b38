import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../src/console/pages/pages.js';
import { BY_KEYS } from '../../src/records/database/statements.js';
import { takeInReports } from '../../src/records/deliveries/report-checks.js';
import { countMonth } from '../../src/records/scorecard/scorecard.js';
import { testConsole } from '../support/console.js';
import { samplePaths, seedConsole } from '../support/console-samples.js';
import { type Reader, visit } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { plansOf, plansOfEach, queriesOf, type SentQuery } from '../support/query-plans.js';

const ROWS = 6_000;
/** Of which there is a row for each payment, or more. */
const BIG =
  'payment_intents|payins|invoices|payouts|transactions|orders|inbox|deliveries|changes|breaks|actions|callbacks';
const WHOLE = new RegExp(`Seq Scan on (${BIG})\\b`, 'g');

const everyPage = pages.filter(({ path }) => !path.startsWith('/reference')).map(({ path }) => path);

const readsOf = (sent: readonly SentQuery[]) => sent.filter(({ sql }) => /^\s*(SELECT|WITH)\b/i.test(sql));

/** So many rows of each kind, each that much older than the one before. */
async function seedMany(db: Knex, step: string): Promise<void> {
  await seedConsole(db);
  const many = `generate_series(1, ${ROWS}) AS n`;
  const long = `repeat(md5(n::text), 40)`;
  const at = `now() - n * interval '${step}'`;
  for (const table of ['payment_intents', 'payins', 'invoices', 'payouts', 'transactions'])
    await db.raw(
      `INSERT INTO ${table} (id, created_at, claims, shown, verified, observed_at, observed_by_type, observed_by_ref)
       SELECT 'many' || n, ${at}, '[]', '{}', true, now(), 'poll', 'run' FROM ${many}`,
    );
  await db.raw(`UPDATE payment_intents SET status = 'completed', merchant_reference = id WHERE id LIKE 'many%'`);
  await db.raw(
    `UPDATE payins SET status = 'confirmed', payment_intent_id = id, asset_code = 'BTC' WHERE id LIKE 'many%'`,
  );
  await db.raw(`UPDATE payouts SET status = 'confirmed' WHERE id LIKE 'many%'`);
  await db.raw(`UPDATE invoices SET status = 'paid' WHERE id LIKE 'many%'`);
  for (const insert of [
    `orders (reference, status, release_safe, release_reason, payment_intents, created_at, updated_at, received_amount, received_asset)
     SELECT 'many' || n, 'paid', true, 'proven', ARRAY['many' || n], ${at}, ${at}, n, CASE n % 500 WHEN 0 THEN 'ETH' ELSE 'BTC' END`,
    `inbox (key, key_type, content_hash, event_type, event_timestamp, source, status, received_at, body)
     SELECT 'many' || n, 'id', n, 'a.b', n, 'webhook', 'applied', ${at}, convert_to(${long}, 'UTF8')`,
    `deliveries (id, ours, class, poll_from, poll_ref, created_at, payment_intent_id, details, inbox_id)
     SELECT 'many' || n, true, 'received', 0, 'run', ${at}, 'many' || n, ${long}, (SELECT id FROM inbox WHERE key = 'many' || n)`,
    `changes (entity_kind, entity_id, field, source_type, source_ref) SELECT 'payment_intent', 'many' || n, 'status', 'poll', '1'`,
    `breaks (kind, severity, entity_kind, entity_id, evidence, status, resolved_at)
     SELECT 'stale_record', 'medium', 'payin', 'many' || n, '{}', 'auto_resolved', now()`,
    `actions (actor, action, outcome) SELECT 'many', 'many', 'done'`,
    `callbacks (reference, seq, data, status, changed_at) SELECT 'many' || n, n, '{}', 'sent', ${at}`,
  ])
    await db.raw(`INSERT INTO ${insert} FROM ${many}`);
}

describe('in an installation of two years', () => {
  const database = useDatabase();
  let admin: Reader;

  beforeAll(async () => {
    // A month is a part of them.
    await seedMany(database.db, '3 hours');
    await database.db.raw('VACUUM ANALYZE');
    admin = await visit(testConsole(database.db).app, 'admin');
  }, 120_000);

  /** Big tables that the statements of a page would read whole. */
  async function readWhole(path: string): Promise<string[]> {
    const { sent, result } = await queriesOf(database.db, () => admin.get(path));
    expect(result.main, path).not.toBe('');
    const plan = await plansOf(database.url, readsOf(sent));
    return [...plan.matchAll(WHOLE)].map(([found]) => found);
  }

  it.each(everyPage)('no statement of %s reads a big table whole', async (path) => {
    expect(await readWhole(samplePaths[path] ?? path)).toEqual([]);
  });

  it.each([
    'assetCode=BTC',
    'assetCode=BTC&receivedFrom=5990',
    'assetCode=ETH',
    'assetCode=ETH&receivedTo=7',
    'goods=paid_held',
  ])('nor does the list of orders narrowed by %s', async (query) => {
    expect(await readWhole(`/orders?${query}`)).toEqual([]);
  });

  it.each(['many42', 'many', 'nobody@example.com', '0x5f3a9d0c1b2e4f60718293a4b5c6d7e8', 'where is many42 please'])(
    'nor does a search for %s',
    async (text) => {
      expect(await readWhole(`/find?q=${encodeURIComponent(text)}`)).toEqual([]);
    },
  );

  it('one that would is found', async () => {
    const sent = [{ sql: `SELECT id FROM payins WHERE kyt_status = 'rejected'`, bindings: [] }];
    expect(await plansOf(database.url, sent)).toMatch(WHOLE);
  });
});

describe('in an installation of two hours, whose tables Postgres has not counted yet', () => {
  const database = useDatabase();
  let admin: Reader;

  beforeAll(async () => {
    await seedMany(database.db, '1 second');
    admin = await visit(testConsole(database.db).app, 'admin');
  }, 120_000);

  /** The reads of `work`, none of which holds each row of one table against all of another. */
  async function expectLinear(work: () => Promise<unknown>, url = database.url): Promise<void> {
    const { sent } = await queriesOf(database.db, work);
    const reads = readsOf(sent);
    const plans = await plansOfEach(url, reads, 'EXPLAIN (ANALYZE, TIMING OFF)');
    for (const [n, plan] of plans.entries()) expect(visited(plan), `${reads[n]?.sql}\n${plan}`).toBeLessThan(10 * ROWS);
  }

  it.each(everyPage)('no statement of %s holds each row against all', async (path) => {
    await expectLinear(() => admin.get(samplePaths[path] ?? path));
  });

  it('nor one that holds what came against the history', async () => {
    await database.db.raw(
      `INSERT INTO inbox (key, key_type, content_hash, event_type, event_timestamp, source, status, received_at, secret_label)
       SELECT 'lacks' || n, 'id', 'lacks' || n, 'a.b', n, 'webhook', 'applied', now(), 'old' FROM generate_series(1, 500) AS n`,
    );
    const take = () => database.db.transaction((trx) => takeInReports(trx, { after: '0', limit: 2 * ROWS }));
    const { sent } = await queriesOf(database.db, take);
    expect(sent.map(({ sql }) => sql)).toContain(BY_KEYS);
    await expectLinear(take, `${database.url}?options=${encodeURIComponent('-c enable_seqscan=off')}`);
  });

  it('nor does one that counts the scorecard', async () => {
    const now = new Date();
    const month = now.toISOString().slice(0, 7);
    await expectLinear(async () => {
      const days = await countMonth(database.db, month, now, { timeZone: 'UTC', graceMs: 0, keyDays: 1 });
      expect(days).toBeGreaterThan(0);
    });
  });
});

/** Rows that the parts of a plan gave on or left out, each time they were asked. */
function visited(plan: string): number {
  let rows = 0;
  let loops = 1;
  for (const [, given, times, left] of plan.matchAll(/actual rows=([\d.]+) loops=(\d+)|Rows Removed by .*: (\d+)/g)) {
    if (times !== undefined) loops = Number(times);
    rows += Number(given ?? left) * loops;
  }
  return rows;
}
