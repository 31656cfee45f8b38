import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { countAnswers, loggedDeliveries } from '../support/deliveries.js';
import { DRILL_MS, isLong, report, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { createLoad, paymentsFor } from '../support/load.js';
import { progress, reckon, settle } from '../support/reckoning.js';
import { createTestRedis, redisKind, type TestRedis } from '../support/redis.js';
import { throughTheQueue } from '../support/through-the-queue.js';

const EVENTS = isLong ? 20_000 : 1_500;

let database: TestDatabase;
let redis: TestRedis;
let installation: Installation;

// Said aloud in support/redis.ts where it is skipped.
describe.skipIf(redisKind !== 'own')('Redis', () => {
  beforeEach(async () => {
    database = await createTestDatabase();
    redis = await createTestRedis();
    installation = await createInstallation({ databaseUrl: database.url, env: { REDIS_URL: redis.url } });
  });
  afterEach(async () => {
    await installation?.close();
    await redis?.close();
    await database?.drop();
  });

  test('away from the start, stopped, silent and flushed under load: every event is answered 200, and applied', {
    timeout: DRILL_MS,
  }, async () => {
    const { sandbox } = installation;
    const { db } = database;
    const load = createLoad(sandbox);
    const everything = { db, sandbox, load };
    const share = paymentsFor(EVENTS / 4);
    const during = async (act: () => Promise<unknown>) => {
      const { stored } = await progress(db);
      const middle = stored + load.send(share) / 4;
      await until('the middle', async () => (await progress(db)).stored > middle, { intervalMs: 2 });
      await act();
      const after = await progress(db);
      expect(after.stored).toBeLessThan(load.events());
      await until('all of it is stored', async () => (await progress(db)).stored === load.events());
    };

    await installation.start('serve', 'work');
    load.send(share);
    await until('it is applied without Redis', async () => (await progress(db)).applied === load.events());

    await redis.start();
    await throughTheQueue('Redis came', everything);
    await during(() => redis.stop());
    await redis.start();
    await throughTheQueue('Redis came back', everything);
    await during(() => withRedis((client) => client.call('CLIENT', 'PAUSE', '3000', 'ALL')));
    await throughTheQueue('Redis answers again', everything);
    await during(() => redis.flush());
    await throughTheQueue('Redis was flushed', everything);

    await settle(everything);
    expect(await reckon(everything)).toEqual({ lost: [], unapplied: [], repeated: [], differing: [] });
    const deliveries = await loggedDeliveries(sandbox);
    expect(countAnswers(deliveries)).toEqual({ 200: load.events() });
    expect(await installation.stop()).toEqual([0, 0]);
    report('redis-drill', { deliveries: deliveries.length, 'other answers than 200': 0, lost: 0, unapplied: 0 });
  });
});

async function withRedis(use: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(redis.url, { maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  await use(client).finally(() => client.disconnect());
}
