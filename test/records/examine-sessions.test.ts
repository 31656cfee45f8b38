import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import { examineSessions } from '../../src/records/database/examine-sessions.js';
import { openDatabase } from '../../src/records/database.js';
import { createSessionsCheck } from '../../src/wiring/runtime.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { createPooler } from '../support/pooler.js';
import { createPostgresStub } from '../support/postgres-stub.js';

let empty: TestDatabase;
let opened: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  empty = await createEmptyDatabase();
});
afterEach(async () => {
  for (const one of opened) await one.close();
  opened = [];
});
afterAll(() => empty.drop());

test('two addresses of one database are one; of two databases, two', async () => {
  const pooler = await createPooler(Number(new URL(empty.url).port));
  opened.push(pooler);
  const through = new URL(empty.url);
  through.port = String(pooler.port);
  expect(await examineSessions({ url: through.href, directUrl: empty.url })).toBe(null);
  expect(await examineSessions({ url: empty.url, directUrl: through.href })).toBe(null);
  const other = await createEmptyDatabase();
  opened.push({ close: () => other.drop() });
  expect((await examineSessions({ url: empty.url, directUrl: other.url }))?.what).toContain(
    'is another one than that of DATABASE_URL',
  );
});

test('a pooler that gives one session to two clients is named by readiness and the log, and which setting is to be set', async () => {
  const pooler = await createPostgresStub({ row: () => ({ 'int4:pid': '7' }) });
  opened.push(pooler);
  const lines: string[] = [];
  const log = createLog('error', { write: (line: string) => lines.push(line) });
  const check = createSessionsCheck({ url: pooler.url, directUrl: pooler.url }, log);
  const [state] = await Promise.all([check(), check()]);
  expect(state).toEqual({
    ok: false,
    problems: [
      `The database at ${new URL(pooler.url).host}/shop is reached by DATABASE_URL through a pooler that keeps no sessions (pool_mode transaction), which leadership, the queue and migrations need: set DATABASE_DIRECT_URL to Postgres itself, or to a pooler in session mode`,
    ],
    lasting: true,
  });
  expect(lines).toHaveLength(1);
});

test('behind a pooler no statement has a name', async () => {
  const pooler = await createPooler(Number(new URL(empty.url).port));
  opened.push(pooler);
  const through = new URL(empty.url);
  through.port = String(pooler.port);
  for (const [url, names] of [
    [through.href, []],
    [empty.url, ['tallyhook_named']],
  ] as const) {
    const db = openDatabase(url, { max: 1 });
    await db.raw('SELECT ?::int AS one', [1]).options({ name: 'tallyhook_named' });
    const { rows } = await db.raw('SELECT name FROM pg_prepared_statements');
    await db.destroy();
    expect(rows.map(({ name }: { name: string }) => name)).toEqual(names);
  }
});
