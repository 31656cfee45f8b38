import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { migrate, openDatabase } from '../../src/records/database.js';
import { createTestCluster, type TestCluster } from '../support/cluster.js';
import { hasPgBouncer, startPgBouncer } from '../support/debian-postgres.js';
import { DRILL_MS, isLong, report, STEP_MS, until } from '../support/drill.js';
import { createInstallation } from '../support/installation.js';
import { createLoad } from '../support/load.js';

const PAYMENTS = isLong ? 200 : 50;

/** The first of each open connections and load modules. */
const WARM = 5;

let cluster: TestCluster;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  cluster = await createTestCluster({ max_connections: '200', fsync: 'off' });
}, STEP_MS);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => cluster.close());

/** How long ago the newest event was stored, which is when it is answered with 200. */
const SEEN = `
  SELECT count(*)::integer AS events, (count(*) FILTER (WHERE applied_at IS NULL))::integer AS waiting,
    (extract(epoch FROM clock_timestamp() - max(received_at)) * 1000)::float8 AS ms FROM inbox`;

type Settings = (direct: string) => Promise<Record<string, string>>;

async function startSite(name: string, settings: Settings) {
  const admin = openDatabase(cluster.url());
  await admin.raw(`CREATE DATABASE ${name}`);
  await admin.destroy();
  const direct = cluster.url(name);
  const installation = await createInstallation({ env: await settings(direct) });
  closers.push(() => installation.close());
  expect(await installation.run(['migrate'])).toMatchObject({ code: 0 });
  await installation.start('serve', 'work');
  const db = openDatabase(direct, { max: 1 });
  closers.push(() => db.destroy());
  return { installation, db, load: createLoad(installation.sandbox), tookMs: [] as number[] };
}

/** Notes the milliseconds from the 200 of a payment's last event to all of them being applied. */
async function pay({ db, load, tookMs }: Awaited<ReturnType<typeof startSite>>): Promise<void> {
  load.send(1);
  let ms = Number.NaN;
  const isApplied = async () => {
    const { rows } = await db.raw<{ rows: { events: number; waiting: number; ms: number }[] }>(SEEN);
    ms = rows[0]?.ms ?? ms;
    return rows[0]?.events === load.events() && rows[0].waiting === 0;
  };
  await until('the events of a payment are applied', isApplied, { intervalMs: 3 });
  tookMs.push(ms);
}

const medianOf = (ms: number[]): number => ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)] ?? Number.NaN;

describe.runIf(hasPgBouncer())('behind a real PgBouncer', () => {
  test('an event is applied as soon as without it, in session and in transaction mode', {
    timeout: DRILL_MS,
  }, async () => {
    const pooler = async (url: string, mode: 'session' | 'transaction') => {
      const made = await startPgBouncer(url, mode);
      closers.push(() => made.close());
      return made.url;
    };
    const sites = [
      await startSite('direct', async (url) => ({ DATABASE_URL: url })),
      await startSite('in_session', async (url) => ({ DATABASE_URL: await pooler(url, 'session') })),
      await startSite('in_transaction', async (url) => ({
        DATABASE_URL: await pooler(url, 'transaction'),
        DATABASE_DIRECT_URL: url,
      })),
    ];
    // By turns: what else the machine does slows them all alike.
    for (let n = 0; n < PAYMENTS + WARM; n += 1) for (const site of sites) await pay(site);
    const [direct = 0, session = 0, transaction = 0] = sites.map(({ tookMs }) => medianOf(tookMs.slice(WARM)));
    expect(sites.flatMap(({ installation }) => installation.died())).toEqual([]);
    const rounded = (ms: number) => `${ms.toFixed(1)} ms`;
    report('200 to applied', {
      direct: rounded(direct),
      session: rounded(session),
      transaction: rounded(transaction),
    });
    expect(session / direct).toBeLessThan(1.3);
    expect(transaction / direct).toBeLessThan(1.3);
  });

  test('in transaction mode alone no role starts and nothing is migrated by chance; each says what to set', {
    timeout: DRILL_MS,
  }, async () => {
    const admin = openDatabase(cluster.url());
    await admin.raw('CREATE DATABASE alone');
    await admin.destroy();
    await migrate(cluster.url('alone'));
    const made = await startPgBouncer(cluster.url('alone'), 'transaction');
    closers.push(() => made.close());
    const installation = await createInstallation({ databaseUrl: made.url });
    closers.push(() => installation.close());
    const sentence = 'is reached by DATABASE_URL through a pooler that keeps no sessions (pool_mode transaction)';
    for (const [words, code] of [
      ['schedule', 1],
      ['work', 1],
      ['serve', 1],
      ['migrate', 1],
      ['doctor --json', 3],
    ] as const) {
      const began = performance.now();
      const ended = await installation.run(words.split(' '));
      report(words, { code: ended.code, ms: Math.round(performance.now() - began) });
      expect({ words, code: ended.code }).toEqual({ words, code });
      expect(ended.stdout + ended.stderr).toContain(sentence);
    }
  });
});
