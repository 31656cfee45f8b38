import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, newerSchema, openDatabase, schemaState } from '../../src/records/database.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';

let empty: TestDatabase;
beforeAll(async () => {
  empty = await createEmptyDatabase();
});
afterAll(() => empty.drop());

test('an empty database is not ready, and says what is missing', async () => {
  const state = await schemaState(empty.db);
  expect(state.ok).toBe(false);
  expect(state.about).toBe('schema');
  expect(state.problems.join('\n')).toMatch(/0001_installation\.sql[\s\S]*queue/);
});

test('migrating from several processes at once runs each migration once', async () => {
  const ran = (await Promise.all([migrate(empty.url), migrate(empty.url), migrate(empty.url)])).flat();
  expect(ran.length).toBeGreaterThan(5);
  expect(new Set(ran).size).toBe(ran.length);
  expect(await schemaState(empty.db)).toEqual({ ok: true, problems: [] });
  expect(await migrate(empty.url)).toEqual([]);
});

test('an older program beside a newer schema says so, has nothing to migrate and goes on', async () => {
  await migrate(empty.url);
  expect(await newerSchema(empty.db)).toBeNull();
  const newer = { name: '9999_of_a_later_version.sql', batch: 9, migration_time: new Date() };
  await empty.db('migrations').insert(newer);
  expect(await newerSchema(empty.db)).toMatch(
    /^this program is older than the database's schema; its newest migration is \d{4}_\w+\.sql, the database's is 9999_/,
  );
  expect(await migrate(empty.url)).toEqual([]);
  expect(await schemaState(empty.db)).toEqual({ ok: true, problems: [] });
  await empty.db('migrations').where({ name: newer.name }).delete();
});

test('a lock left by a killed migration does not stop the next', async () => {
  await empty.db('migrations_lock').update({ is_locked: 1 });
  expect(await migrate(empty.url)).toEqual([]);
});

test('a table that somebody holds is not waited for: nothing is done, and done when it is free', async () => {
  const name = '0044_attribution_days.sql';
  await empty.db.raw('ALTER TABLE balance_attributions DROP COLUMN booked_on');
  await empty.db('migrations').where({ name }).delete();
  await empty.db.transaction(async (held) => {
    await held.raw('LOCK TABLE balance_attributions IN ACCESS SHARE MODE');
    await expect(migrate(empty.url, { lockMs: 20 })).rejects.toThrow('lock timeout');
  });
  expect(await migrate(empty.url)).toEqual([name]);
});

test('bigint and numeric keep every digit', async () => {
  const test = await createTestDatabase();
  const { rows } = await test.db.raw("SELECT 9007199254740993::bigint AS a, '0.123456789012345678'::numeric AS b");
  expect(rows).toEqual([{ a: '9007199254740993', b: '0.123456789012345678' }]);
  await test.drop();
});

test('a database that can not be reached fails within seconds', async () => {
  const db = openDatabase('postgres://nobody:wrong@127.0.0.1:1/none');
  await expect(schemaState(db)).rejects.toThrow(/ECONNREFUSED/);
  await db.destroy();
});
