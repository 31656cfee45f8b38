import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/records/database.js';
import { createTestCluster, type TestCluster } from '../support/cluster.js';
import { oldServer, startDebianPostgres } from '../support/debian-postgres.js';
import { DRILL_MS, report, STEP_MS, until } from '../support/drill.js';
import { useFolder } from '../support/folder.js';
import { createInstallation } from '../support/installation.js';

const closers: (() => Promise<unknown>)[] = [];
let keys: string;
const folder = useFolder();
let cluster: TestCluster;

beforeAll(async () => {
  keys = path.join(folder, 'server');
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', [...request, ...names, '-keyout', `${keys}.key`, '-out', `${keys}.crt`], { stdio: 'ignore' });
  cluster = await createTestCluster({ fsync: 'off', max_connections: '12', superuser_reserved_connections: '0' });
  await migrate(cluster.url());
}, STEP_MS);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(async () => {
  await cluster.close();
});

/** Each way to meet the database says the sentence, without the password, and ends in time. */
async function refused(what: string, url: string, sentence: string, verbs: Readonly<Record<string, number>>) {
  const installation = await createInstallation({ databaseUrl: url });
  closers.push(() => installation.close());
  for (const [verb, code] of Object.entries(verbs)) {
    const began = performance.now();
    const ended = await installation.run(verb.split(' '));
    report(`${what}, ${verb}`, { code: ended.code, s: ((performance.now() - began) / 1_000).toFixed(1) });
    const all = `${ended.stdout}${ended.stderr}`;
    expect({ verb, code: ended.code, said: all.includes(sentence) ? sentence : all }).toEqual({
      verb,
      code,
      said: sentence,
    });
    expect(all).not.toContain(new URL(url).password);
  }
}

const ALL = { migrate: 1, 'doctor --json': 3, start: 1 };
const native = oldServer();

describe.runIf(native !== null)('a server that is too old', () => {
  test('is refused at once by all, in one sentence', { timeout: DRILL_MS }, async () => {
    const server = await startDebianPostgres(native ?? '');
    closers.push(() => server.close());
    await refused('old', server.url, `and 16 or newer is needed: upgrade the server`, ALL);
  });
});

describe('a server that can not be worked with', () => {
  test('with another password and with no such database', { timeout: DRILL_MS }, async () => {
    const url = new URL(cluster.url());
    url.password = 'hunter2-hunter2';
    await refused('password', url.href, 'refuses the user or the password (28P01): correct them in DATABASE_URL', ALL);
    await refused('database', cluster.url('nowhere'), 'does not exist (3D000): create it', ALL);
  });

  test('one that is read-only is said to be so, and doctor does not break', { timeout: DRILL_MS }, async () => {
    const client = new Client({ connectionString: cluster.url() });
    await client.connect();
    await client.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
    await client.end();
    closers.push(async () => {
      const again = new Client({ connectionString: cluster.url() });
      await again.connect();
      await again.query('SET default_transaction_read_only = off');
      await again.query('ALTER DATABASE postgres RESET default_transaction_read_only');
      await again.end();
    });
    await refused('read-only', cluster.url(), 'is read-only: ', { migrate: 1, 'doctor --json': 3 });
  });

  test('a certificate that nobody vouches for names sslmode; with its authority it is taken', {
    timeout: DRILL_MS,
  }, async () => {
    const secure = await createTestCluster({ fsync: 'off' });
    closers.push(() => secure.close());
    const client = new Client({ connectionString: secure.url() });
    await client.connect();
    const { rows } = await client.query<{ data: string }>("SELECT current_setting('data_directory') AS data");
    const texts = await Promise.all(['crt', 'key'].map((end) => readFile(`${keys}.${end}`, 'utf8')));
    for (const [n, name] of ['server.crt', 'server.key'].entries()) {
      // The server writes them itself: so they are its own, whoever it runs as.
      await client.query(
        `COPY (SELECT unnest(string_to_array($$${texts[n]?.trim()}$$, E'\n'))) TO '${rows[0]?.data}/${name}'`,
      );
    }
    await client.query(`COPY (SELECT 1) TO PROGRAM 'chmod 600 ${rows[0]?.data}/server.key'`);
    await client.query('ALTER SYSTEM SET ssl = on');
    await client.query('SELECT pg_reload_conf()');
    await client.end();
    await delay(1_000);
    const url = `${secure.url()}?sslmode=verify-full`;
    await refused('certificate', url, 'shows a TLS certificate that is not trusted here (', ALL);
    expect((await migrate(`${url}&sslrootcert=${keys}.crt`)).length).toBeGreaterThan(5);
    await refused(
      'no TLS',
      `${cluster.url()}?sslmode=verify-full`,
      'has no TLS, which sslmode in DATABASE_URL asks for',
      ALL,
    );
  });

  test('one that is full, or comes late, is waited for', { timeout: DRILL_MS }, async () => {
    const taken: Client[] = [];
    const take = async () => {
      const client = new Client({ connectionString: cluster.url() });
      client.on('error', () => {});
      await client.connect();
      taken.push(client);
    };
    await until(
      'no connection is left',
      () =>
        take().then(
          () => false,
          () => true,
        ),
      { intervalMs: 1 },
    );
    await refused('full', cluster.url(), 'has no connection left (53300): raise max_connections', {
      migrate: 1,
      'doctor --json': 3,
    });
    const late = migrate(cluster.url());
    await delay(1_000);
    for (const client of taken) await client.end();
    expect(await late).toEqual([]);
    await cluster.stop('fast');
    const down = migrate(cluster.url());
    await delay(500);
    await cluster.start();
    expect(await down).toEqual([]);
  });
});
