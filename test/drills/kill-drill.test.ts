import { afterEach, expect, test } from 'vitest';
import { useFreshDatabase } from '../support/database.js';
import { countAnswers, loggedDeliveries } from '../support/deliveries.js';
import { DRILL_MS, isAll, isLong, report, until } from '../support/drill.js';
import { readEveryPayment } from '../support/full-reading.js';
import { createInstallation, type Installation, type LoneRole } from '../support/installation.js';
import { createLoad, paymentsFor } from '../support/load.js';
import { differingOrders, progress, reckon, settle } from '../support/reckoning.js';
import { createTestRedis, redisKind, type TestRedis } from '../support/redis.js';
import { differingRecords } from '../support/truth.js';

const EVENTS = isLong ? 20_000 : isAll ? 1_500 : 300;
const ROUNDS = isLong ? 3 : 1;
/** Both at once shows what either of them could lose or do twice. */
const VICTIMS: readonly LoneRole[][] = isAll ? [['serve'], ['work'], ['serve', 'work']] : [['serve', 'work']];
/** The queue holds nothing that counts, so the short drill goes without Redis. */
const QUEUES = isLong && redisKind === 'own' ? ['Postgres', 'Redis'] : ['Postgres'];

const database = useFreshDatabase();
let redis: TestRedis | null = null;
let installation: Installation;

afterEach(async () => {
  await installation?.close();
  await redis?.close();
  redis = null;
});

async function install(queue: string): Promise<void> {
  redis = queue === 'Redis' ? await createTestRedis() : null;
  await redis?.start();
  const env: Record<string, string> = redis ? { REDIS_URL: redis.url } : {};
  installation = await createInstallation({ databaseUrl: database.url, env });
}

test.each(QUEUES)(
  'with the queue on %s: kill −9 of receiver, worker and both, in the middle of deliveries: nothing acknowledged is lost, all is applied once',
  {
    timeout: DRILL_MS,
  },
  async (queue) => {
    await install(queue);
    const { sandbox } = installation;
    const { db } = database;
    const load = createLoad(sandbox);
    const everything = { db, sandbox, load };
    const kills = Array.from({ length: ROUNDS }, () => VICTIMS).flat();
    sandbox.control.setFaults({ duplicate: 0.05 });
    await installation.start('serve', 'work');

    const cutOff: string[] = [];
    for (const victims of kills) {
      const before = await progress(db);
      const events = load.send(paymentsFor(EVENTS / kills.length));
      const counted = victims.includes('serve') ? 'stored' : 'applied';
      const middle = before[counted] + events / 4;
      await until(`${counted} up to the middle`, async () => (await progress(db))[counted] > middle, { intervalMs: 2 });
      await installation.kill(...victims);
      const after = await progress(db);
      cutOff.push(`${victims.join('+')} at ${after.stored}/${after.applied}/${load.events()}`);
      expect(after[counted]).toBeLessThan(load.events());
      await installation.start(...victims);
    }

    await settle(everything);
    expect(await reckon(everything)).toEqual({ lost: [], unapplied: [], repeated: [], differing: [] });

    const run = await readEveryPayment(database, sandbox);
    expect(run).toMatchObject({ status: 'succeeded', complete: true, breaksOpened: 0 });
    expect(await differingOrders(db, load)).toEqual([]);
    expect(await differingRecords(db, sandbox, { changedBefore: run.startedAt })).toEqual({
      compared: load.payments.size,
      differing: [],
    });
    expect(await installation.stop()).toEqual([0, 0]);

    const deliveries = await loggedDeliveries(sandbox);
    report(`kill-drill, queue on ${queue}`, {
      deliveries: deliveries.length,
      answers: JSON.stringify(countAnswers(deliveries)),
      'killed (stored/applied/sent)': cutOff.join(', '),
      payments: load.payments.size,
      lost: 0,
    });
  },
);
