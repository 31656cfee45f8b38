import type { Knex } from 'knex';
import { afterEach, describe, expect, test } from 'vitest';
import { migrate, openDatabase } from '../../src/records/database.js';
import { createTestCluster, type TestCluster } from '../support/cluster.js';
import { countAnswers, loggedDeliveries } from '../support/deliveries.js';
import { DRILL_MS, isLong, report, until } from '../support/drill.js';
import { createLoad, type Load, paymentsFor } from '../support/load.js';
import { progress, settle } from '../support/reckoning.js';
import { createTestRedis, redisKind, type TestRedis } from '../support/redis.js';
import { sized } from '../support/sizes.js';
import { throughTheQueue } from '../support/through-the-queue.js';
import { startBalancer } from './balancer.js';
import { type Fleet, leaders, startFleet } from './fleet.js';
import { endWell } from './verdict.js';

const EVENTS = sized(500, 10_000);
const FLEET = { serve: 2, work: 2, schedule: 2, console: 1 };
type Store = 'Postgres' | 'Redis';
/** Killed at one moment, and started again. */
const TURN: readonly (readonly Store[])[] = [['Postgres'], ['Redis'], ['Postgres', 'Redis']];
const KILLS = isLong ? Array.from({ length: 4 }, () => TURN).flat() : TURN;

interface Ground {
  all: Fleet;
  cluster: TestCluster;
  redis: TestRedis;
  db: Knex;
  load: Load;
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function begin(): Promise<Ground> {
  const cluster = await createTestCluster({ max_connections: '200' });
  closers.push(() => cluster.close());
  await migrate(cluster.url());
  const redis = await createTestRedis();
  closers.push(() => redis.close());
  await redis.start();
  const stores = { DATABASE_URL: cluster.url(), REDIS_URL: redis.url };
  const all = await startFleet(FLEET, { stores, front: startBalancer });
  closers.push(() => all.close());
  const db = openDatabase(cluster.url(), { max: 2 });
  closers.push(() => db.destroy());
  await until('a scheduler leads', () => leaders(all).length > 0);
  return { all, cluster, redis, db, load: createLoad(all.sandbox) };
}

async function killUnderLoad({ all, cluster, redis, db, load }: Ground, victims: readonly Store[]): Promise<void> {
  const refused = async () => countAnswers(await loggedDeliveries(all.sandbox))['503'] ?? 0;
  const before = await refused();
  const { stored } = await progress(db);
  const middle = stored + load.send(paymentsFor(EVENTS / KILLS.length)) / 4;
  await until('the middle', async () => (await progress(db)).stored > middle, { intervalMs: 2 });
  const ends = { Postgres: () => cluster.stop('kill'), Redis: () => redis.stop() };
  await Promise.all(victims.map((victim) => ends[victim]()));
  if (victims.includes('Postgres')) {
    await until('webhooks are answered 503', async () => (await refused()) > before, { intervalMs: 200 });
    await cluster.start();
  }
  await until('all is stored', async () => (await progress(db)).stored === load.events());
  if (victims.includes('Redis')) await redis.start();
}

// Said aloud in support/redis.ts where it is skipped.
describe.skipIf(redisKind !== 'own')('2 receivers, 2 workers, 2 schedulers and a console', () => {
  test('while Postgres and Redis are killed in turn and at once: only 200 and 503 are answered, each event is applied once', {
    timeout: DRILL_MS,
  }, async () => {
    const ground = await begin();
    const { all, db, load } = ground;
    for (const victims of KILLS) await killUnderLoad(ground, victims);
    const healed = performance.now();
    await settle({ db, sandbox: all.sandbox });
    await throughTheQueue('all was killed', ground);
    const queuedS = (performance.now() - healed) / 1_000;
    const { answers, processes } = await endWell(all, ground);
    expect(Object.keys(answers)).toEqual(['200', '503']);
    report('outages', {
      processes,
      events: load.events(),
      killed: KILLS.map((victims) => victims.join('+')).join(', '),
      answers: JSON.stringify(answers),
      'settled and through the queue s': queuedS.toFixed(1),
      lost: 0,
    });
  });
});
