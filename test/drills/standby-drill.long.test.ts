import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { migrate, openDatabase } from '../../src/records/database.js';
import { createTestCluster, type StopMode, type TestCluster, type TestServer } from '../support/cluster.js';
import { countAnswers, loggedDeliveries } from '../support/deliveries.js';
import { DRILL_MS, report, until } from '../support/drill.js';
import { createInstallation } from '../support/installation.js';
import { createLoad, paymentsFor } from '../support/load.js';
import { progress, reckon, settle } from '../support/reckoning.js';
import { startCli } from '../support/run-cli.js';
import { sized } from '../support/sizes.js';
import { createTcpProxy, throughProxy } from '../support/tcp-proxy.js';
import { throughTheQueue } from '../support/through-the-queue.js';

const EVENTS = sized(1_000, 20_000);
/** Answered while nothing can be written, before the standby is promoted. */
const REFUSED = sized(200, 2_000);
const SENTENCE =
  'is a standby, where nothing can be written: set DATABASE_URL to the primary; after a failover it may take a moment';
/** A role waits a minute for what may pass; the rest is its start on a busy machine. */
const GIVES_UP_S = 90;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startServers(): Promise<{ primary: TestCluster; standby: TestServer }> {
  const primary = await createTestCluster({ max_connections: '100' });
  closers.push(() => primary.close());
  const standby = await primary.standby();
  closers.push(() => standby.close());
  await migrate(primary.url());
  await until('the standby has it all', async () => (await standing(primary)).behind === '0');
  return { primary, standby };
}

/** What the primary knows of its standby. */
async function standing(primary: TestServer): Promise<{ sync_state?: string; behind?: string }> {
  const sql = 'SELECT sync_state, pg_current_wal_lsn() - replay_lsn AS behind FROM pg_stat_replication';
  const [row = {}] = await primary.ask<{ sync_state: string; behind: string }>(sql);
  return row;
}

interface Probe {
  status: number;
  problems: string;
}

async function probe(url: string): Promise<Probe> {
  const response = await fetch(new URL('/readyz', url));
  const { problems = [] } = (await response.json()) as { problems?: string[] };
  return { status: response.status, problems: problems.join('; ') };
}

const sayStandby = (probes: Probe[]) =>
  probes.every(({ status, problems }) => status === 503 && problems.includes(SENTENCE)) || JSON.stringify(probes);

test('what is started on a standby says so in one sentence, is not ready meanwhile, and ends', {
  timeout: DRILL_MS,
}, async () => {
  const { standby } = await startServers();
  const installation = await createInstallation({ databaseUrl: standby.url() });
  closers.push(() => installation.close());
  const { cwd, env, endpoint } = installation;

  for (const [words, code] of [
    ['migrate', 1],
    ['doctor --json', 3],
  ] as const) {
    const ended = await installation.run(words.split(' '));
    expect({ words, code: ended.code, said: ended.stdout + ended.stderr }).toEqual({
      words,
      code,
      said: expect.stringContaining(SENTENCE),
    });
  }

  const ends = ['serve', 'work', 'schedule', 'console', 'start'].map(async (role) => {
    const port = String(await freePort(null));
    const own: Record<string, string> = { CONSOLE_PORT: port, METRICS_PORT: port };
    const began = performance.now();
    const cli = startCli([role], { cwd, env: { ...env, ...own, ...(role === 'start' && { PORT: '0' }) } });
    closers.push(() => cli.end('SIGKILL'));
    await until(`${role} says that it is not ready, and why`, async () =>
      sayStandby([await probe(`http://127.0.0.1:${port}`)]),
    );
    if (role === 'serve') {
      const answer = await fetch(endpoint.url, { method: 'POST', body: '{}' });
      expect({ status: answer.status, said: await answer.text() }).toMatchObject({ status: 503 });
      expect(await probe(endpoint.url)).toMatchObject({ status: 503 });
    }
    const code = await cli.end(null);
    return { role, code, s: (performance.now() - began) / 1_000, said: cli.output.stderr };
  });
  for (const { role, code, s, said } of await Promise.all(ends)) {
    report(`on a standby, ${role}`, { code, s: s.toFixed(1) });
    expect({ role, code, said }).toEqual({ role, code: 1, said: expect.stringContaining(SENTENCE) });
    expect(said.trim().split('\n').at(-1)).toContain(SENTENCE);
    expect(s).toBeLessThan(GIVES_UP_S);
  }
});

test.each<{ how: StopMode; sync: boolean; words: string }>([
  { how: 'immediate', sync: true, words: 'stops as if its power failed, and its standby has confirmed each commit' },
  { how: 'fast', sync: false, words: 'is stopped in order, and its standby follows freely' },
])(
  'a primary $words: the roles go on at the standby once it is promoted, and nothing acknowledged is lost',
  {
    timeout: DRILL_MS,
  },
  async ({ how, sync }) => {
    const { primary, standby } = await startServers();
    if (sync) {
      await primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await primary.ask('SELECT pg_reload_conf()');
      await until('commits wait for the standby', async () => (await standing(primary)).sync_state === 'sync');
    }
    const way = await createTcpProxy(primary.port());
    closers.push(() => way.close());
    const databaseUrl = throughProxy(primary.url(), way);
    const installation = await createInstallation({ databaseUrl });
    closers.push(() => installation.close());
    const { sandbox, endpoint } = installation;
    const db = openDatabase(databaseUrl, { max: 1 });
    closers.push(() => db.destroy());
    const load = createLoad(sandbox);
    await installation.start('serve', 'work', 'schedule');
    const privates = () => Promise.all(Object.values(installation.metricsUrls()).map(probe));
    const areReady = async () => (await privates()).every(({ status }) => status === 200);
    const refused = async () => countAnswers(await loggedDeliveries(sandbox))['503'] ?? 0;
    await until('all are ready', areReady);

    load.send(paymentsFor(EVENTS / 2));
    await until('the middle', async () => (await progress(db)).stored > EVENTS / 4, { intervalMs: 2 });
    await primary.stop(how);
    // With the primary all connections are gone.
    way.pointTo(standby.port());
    await until('all say that it is a standby', async () => sayStandby(await privates()));
    expect(await probe(endpoint.url)).toMatchObject({ status: 503 });
    const { stored } = await progress(db);
    load.send(paymentsFor(EVENTS / 4));
    const before = await refused();
    await until('webhooks are answered 503', async () => (await refused()) > before + REFUSED);
    expect((await progress(db)).stored).toBe(stored);

    const promoted = performance.now();
    await standby.ask('SELECT pg_promote()');
    await until('an event is stored', async () => (await progress(db)).stored > stored, { intervalMs: 10 });
    const storedS = (performance.now() - promoted) / 1_000;
    await until('all are ready again', areReady, { intervalMs: 10 });
    const readyS = (performance.now() - promoted) / 1_000;
    expect(await probe(endpoint.url)).toMatchObject({ status: 200 });
    load.send(paymentsFor(EVENTS / 4));

    const everything = { db, sandbox, load };
    await settle(everything);
    await throughTheQueue('the standby was promoted', everything);
    const { rows } = await db.raw<{ rows: [{ now: Date }] }>('SELECT now()');
    await until('the lists are read', async () => {
      const run = await db('runs').where({ status: 'succeeded' }).andWhere('started_at', '>', rows[0].now).first('id');
      return run !== undefined;
    });
    await settle(everything);
    expect(await reckon(everything)).toEqual({ lost: [], unapplied: [], repeated: [], differing: [] });
    const answers = countAnswers(await loggedDeliveries(sandbox));
    expect(Object.keys(answers)).toEqual(['200', '503']);
    expect(answers['200']).toBe(load.events());
    expect(installation.died()).toEqual([]);
    expect(await installation.stop()).toEqual([0, 0, 0]);
    report(`standby-drill, ${how}, ${sync ? 'synchronous' : 'asynchronous'}`, {
      answers: JSON.stringify(answers),
      'stored again s': storedS.toFixed(1),
      'ready again s': readyS.toFixed(1),
      lost: 0,
    });
  },
);
