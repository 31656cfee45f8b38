import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isPassing } from '../../src/records/database/database-errors.js';
import { type WatchedConnection, watchConnection } from '../../src/records/database/watch-connection.js';
import { useFreshDatabase } from '../support/database.js';
import { until } from '../support/drill.js';
import { createPooler } from '../support/pooler.js';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const SILENT_MS = 100;

const database = useFreshDatabase();
let way: TcpProxy;
let client: Client;

beforeEach(async () => {
  const url = new URL(database.url);
  way = await createTcpProxy(Number(url.port));
  url.port = String(way.port);
  client = await watched(url.href);
});
afterEach(async () => {
  await client.end().catch(() => {});
  await way.close();
});

async function watched(url: string): Promise<Client> {
  const opened = new Client({ connectionString: url });
  opened.on('error', () => {});
  await opened.connect();
  await watchConnection(opened as unknown as WatchedConnection, url, SILENT_MS);
  return opened;
}

test('an answer that will never come is not awaited: the far side is gone, and the caller may try again', async () => {
  way.halfOpen();
  const error = await client.query('SELECT 1').catch((reason: unknown) => reason);
  expect(String(error)).toContain('connection terminated');
  expect(isPassing(error)).toBe(true);
});

test('a connection that is lost as soon as it is opened is said to be lost', async () => {
  way.reset();
  const error = await watchConnection(client as unknown as WatchedConnection, database.url).catch((reason) => reason);
  expect(isPassing(error)).toBe(true);
});

test('a statement that takes long is left alone, and so is a connection that idles', async () => {
  const { rows } = await client.query(`SELECT 1 AS one FROM pg_sleep(${(SILENT_MS * 8) / 1000})`);
  expect(rows).toEqual([{ one: 1 }]);
});

test('a way that stands still is no proof: what was sent meanwhile is answered when it goes on', async () => {
  way.hang();
  const answer = client.query('SELECT 1 AS one');
  await until('somebody asked in vain', () => way.open() >= 2);
  await way.pass();
  expect((await answer).rows).toEqual([{ one: 1 }]);
});

test('behind a pooler, which numbers its sessions by itself, a statement that takes long is left alone too', async () => {
  const url = new URL(database.url);
  const pooler = await createPooler(Number(url.port));
  url.port = String(pooler.port);
  const pooled = await watched(url.href);
  try {
    const [real] = (await pooled.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    expect(pooled).not.toMatchObject({ processID: real?.pid });
    const { rows } = await pooled.query(`SELECT 1 AS one FROM pg_sleep(${(SILENT_MS * 8) / 1000})`);
    expect(rows).toEqual([{ one: 1 }]);
  } finally {
    await pooled.end().catch(() => {});
    await pooler.close();
  }
});

test('a standby that answers in the place of the primary is no witness', async () => {
  const url = new URL(database.url);
  await database.db.raw('CREATE SCHEMA standby');
  await database.db.raw(
    'CREATE FUNCTION standby.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS $$ SELECT true $$',
  );
  await database.db.raw(
    'CREATE VIEW standby.pg_stat_activity AS SELECT * FROM pg_catalog.pg_stat_activity WHERE false',
  );
  url.searchParams.set('options', '-c search_path=standby,pg_catalog');
  const balanced = await watched(url.href);
  const { rows } = await balanced.query(`SELECT 1 AS one FROM pg_sleep(${(SILENT_MS * 8) / 1000})`);
  expect(rows).toEqual([{ one: 1 }]);
  await balanced.end();
});
