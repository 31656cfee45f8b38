import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { DRILL_MS, isLong, report, until } from '../support/drill.js';
import { createLoad, type Load, paymentsFor } from '../support/load.js';
import { progress } from '../support/reckoning.js';
import { createTestRedis, redisKind } from '../support/redis.js';
import { createTestRedisCluster } from '../support/redis-cluster.js';
import { isApplied, throughTheQueue } from '../support/through-the-queue.js';
import { type Balancer, startBalancer } from './balancer.js';
import { type Fleet, leaders, startFleet } from './fleet.js';
import { endWell } from './verdict.js';

const EVENTS = isLong ? 20_000 : 600;
const FLEET = { serve: 2, work: 3, schedule: 2, console: isLong ? 2 : 1 };
const TAKEOVER_MS = 30_000;
/** A key beside those of the queue, on the same master. */
const QUEUE_KEY = '{tallyhook}';

let database: TestDatabase;
let fleet: Fleet | null = null;
let balancer: Balancer;
let closeRedis: () => Promise<void>;

afterEach(async () => {
  await fleet?.close();
  fleet = null;
  await closeRedis();
  await database.drop();
});

// Said aloud in support/redis.ts where it is skipped.
describe.skipIf(redisKind !== 'own')('2 receivers, 3 workers, 2 schedulers and a console', () => {
  test('on one Redis: every effect once, one leader, and another one soon after it died', {
    timeout: DRILL_MS,
  }, async () => {
    const redis = await createTestRedis();
    closeRedis = () => redis.close();
    await redis.start();
    const { load, all } = await begin({ REDIS_URL: redis.url });

    load.send(paymentsFor(EVENTS / 2));
    const takeoverMs = await loseLeader(all);
    load.send(paymentsFor(EVENTS / 2));
    await finish(all, load, { 'takeover ms': takeoverMs });
  });

  test('on a Redis Cluster: the same, also while the master of the queue is lost, and when it is back, empty', {
    timeout: DRILL_MS,
  }, async () => {
    const cluster = await createTestRedisCluster();
    closeRedis = () => cluster.close();
    await cluster.start();
    const { load, all } = await begin({ REDIS_URL: cluster.url, ...cluster.env });
    await throughTheQueue('the fleet started', { db: database.db, load });

    const middle = load.events() + load.send(paymentsFor(EVENTS / 2)) / 4;
    await until('the middle', async () => (await progress(database.db)).stored > middle, { intervalMs: 2 });
    await cluster.killMasterOf(QUEUE_KEY);
    load.send(paymentsFor(EVENTS / 4));
    const takeoverMs = await loseLeader(all);
    await until('all is applied without Redis', () => isApplied({ db: database.db, load }));
    await cluster.revive();
    const start = performance.now();
    await throughTheQueue('the master is back', { db: database.db, load });
    const recoveredMs = Math.round(performance.now() - start);
    load.send(paymentsFor(EVENTS / 4));
    await finish(all, load, { 'takeover ms': takeoverMs, 'queue again after ms': recoveredMs });
  });
});

async function begin(stores: { REDIS_URL: string } & Record<string, string>): Promise<{ all: Fleet; load: Load }> {
  database = await createTestDatabase();
  const all = await startFleet(FLEET, {
    stores: { DATABASE_URL: database.url, ...stores },
    front: async (ports) => (balancer = await startBalancer(ports)),
  });
  fleet = all;
  await until('a scheduler leads', () => leaders(all).length === 1);
  return { all, load: createLoad(all.sandbox) };
}

/** Kills the leading scheduler; how long it took until another one led and made a run. */
async function loseLeader(all: Fleet): Promise<number> {
  const [leader, ...others] = leaders(all);
  if (!leader || others.length > 0) throw new Error(`${others.length + 1} schedulers lead`);
  const { rows } = await database.db.raw<{ rows: [{ now: Date }] }>('SELECT now()');
  const start = performance.now();
  await all.kill(leader);
  await until(
    'another scheduler leads, and runs',
    async () => {
      const run = await database.db('runs').where('started_at', '>', rows[0].now).first('id');
      return leaders(all).length === 1 && run !== undefined;
    },
    { timeoutMs: TAKEOVER_MS },
  );
  return Math.round(performance.now() - start);
}

async function finish(all: Fleet, load: Load, numbers: Record<string, number>): Promise<void> {
  const { answers, processes } = await endWell(all, { db: database.db, load });
  expect(answers).toEqual({ 200: load.events() });
  expect([...balancer.given().values()].every((connections) => connections > 0)).toBe(true);
  report(`machines, ${expect.getState().currentTestName?.split(' > ').at(-1)?.split(':')[0]}`, {
    processes: processes + 1,
    events: load.events(),
    'other answers than 200': 0,
    lost: 0,
    ...numbers,
  });
}
