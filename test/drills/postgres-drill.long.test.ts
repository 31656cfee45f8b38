import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterEach, expect, test } from 'vitest';
import { ROLE, readPostmaster, stopCluster } from '../../src/embedded-postgres/cluster.js';
import { homeOf } from '../../src/embedded-postgres/identity.js';
import { migrate, openDatabase } from '../../src/records/database.js';
import { createTestCluster, type StopMode, stopPostmaster } from '../support/cluster.js';
import { countAnswers, loggedDeliveries } from '../support/deliveries.js';
import { DRILL_MS, isLong, report, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { createLoad, paymentsFor } from '../support/load.js';
import { progress, reckon, settle } from '../support/reckoning.js';

const EVENTS = isLong ? 20_000 : 1_000;
const STOPS: readonly StopMode[] = isLong
  ? ['immediate', 'fast', 'immediate', 'fast', 'immediate', 'fast']
  : ['immediate', 'fast'];

interface Ground {
  installation: Installation;
  url: string;
  stop(how: StopMode): Promise<void>;
  /** Called once the outage was felt. */
  startAgain(): Promise<void>;
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A Postgres that somebody else runs. */
async function external(): Promise<Ground> {
  const cluster = await createTestCluster({ max_connections: '100' });
  closers.push(() => cluster.close());
  const url = cluster.url();
  await migrate(url);
  const installation = await createInstallation({ databaseUrl: url });
  closers.push(() => installation.close());
  await installation.start('serve', 'work');
  return { installation, url, stop: (how) => cluster.stop(how), startAgain: () => cluster.start() };
}

/** The default database: whoever uses it starts it again. */
async function embedded(): Promise<Ground> {
  const installation = await createInstallation({});
  const folder = path.join(installation.cwd, '.tallyhook', 'postgres');
  const data = async () => path.join(homeOf(folder), 'data');
  closers.push(() => installation.close());
  closers.push(async () => {
    await installation.kill('serve', 'work');
    await stopCluster(await data());
  });
  await installation.start('serve', 'work');
  const [password, port] = await Promise.all(
    ['password', 'port'].map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  return {
    installation,
    url: `postgres://${ROLE}:${password}@127.0.0.1:${port}/tallyhook`,
    stop: async (how) => stopPostmaster(await data(), how),
    startAgain: () => until('somebody started it again', async () => readPostmaster(await data())?.ready),
  };
}

test.each([
  { whose: 'that somebody else runs', prepare: external },
  { whose: 'of our own', prepare: embedded },
])(
  'a Postgres $whose stops under load: only 200 and 503 are answered, and nothing acknowledged is lost',
  {
    timeout: DRILL_MS,
  },
  async ({ whose, prepare }) => {
    const ground = await prepare();
    const { installation, url } = ground;
    const { sandbox } = installation;
    const db = openDatabase(url);
    closers.push(() => db.destroy());
    const load = createLoad(sandbox);

    for (const how of STOPS) await stopUnderLoad(db, how);

    const everything = { db, sandbox, load };
    await settle(everything);
    expect(await reckon(everything)).toEqual({ lost: [], unapplied: [], repeated: [], differing: [] });
    const answers = countAnswers(await loggedDeliveries(sandbox));
    expect(Object.keys(answers)).toEqual(['200', '503']);
    expect(answers['200']).toBe(load.events());
    await db.destroy();
    expect(await installation.stop()).toEqual([0, 0]);
    report(`postgres-drill, one ${whose}`, { stops: STOPS.join(', '), answers: JSON.stringify(answers), lost: 0 });

    async function stopUnderLoad(db: Knex, how: StopMode): Promise<void> {
      const { stored } = await progress(db);
      const refused = await countRefused();
      const middle = stored + load.send(paymentsFor(EVENTS / STOPS.length)) / 4;
      await until('the middle', async () => (await progress(db)).stored > middle, { intervalMs: 2 });
      await ground.stop(how);
      await until('the outage is felt', async () => (await countRefused()) > refused || (await ended()), {
        intervalMs: isLong ? 2_000 : 100,
      });
      await ground.startAgain();
      await until('events are stored again', async () => (await progress(db)).stored > middle);
    }

    async function ended(): Promise<boolean> {
      return (await loggedDeliveries(sandbox)).every(({ status }) => status === 'succeeded');
    }

    async function countRefused(): Promise<number> {
      return countAnswers(await loggedDeliveries(sandbox))['503'] ?? 0;
    }
  },
);
