import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isPassing } from '../../src/records/database/database-errors.js';
import { type WatchedConnection, watchConnection } from '../../src/records/database/watch-connection.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/drill.js';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const SILENT_MS = 100;

let database: TestDatabase;
let way: TcpProxy;
let client: Client;

beforeEach(async () => {
  database = await createTestDatabase();
  const url = new URL(database.url);
  way = await createTcpProxy(Number(url.port));
  url.port = String(way.port);
  client = new Client({ connectionString: url.href });
  client.on('error', () => {});
  await client.connect();
  watchConnection(client as unknown as WatchedConnection, url.href, SILENT_MS);
});
afterEach(async () => {
  await client.end().catch(() => {});
  await way.close();
  await database.drop();
});

test('an answer that will never come is not awaited: the far side is gone, and the caller may try again', async () => {
  way.halfOpen();
  const error = await client.query('SELECT 1').catch((reason: unknown) => reason);
  expect(String(error)).toContain('connection terminated');
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
