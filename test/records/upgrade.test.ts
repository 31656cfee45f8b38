import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

let database: TestDatabase;
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

async function run(wanted: (name: string) => boolean): Promise<void> {
  const names = (await readdir(MIGRATIONS)).filter((name) => /^\d{4}_/.test(name) && wanted(name)).sort();
  expect(names).not.toEqual([]);
  for (const name of names) {
    const sql = await readFile(new URL(name, MIGRATIONS), 'utf8');
    await database.db.transaction((trx) => trx.raw(sql.replaceAll('?', '\\?')));
  }
}

test('a status that no index can hold, kept by an earlier version, does not stop the migrations', async () => {
  const { db } = database;
  await run((name) => name < '0024');
  const long = randomBytes(4_000).toString('base64');
  const row = { ours: true, class: 'received', poll_from: 1, poll_ref: '1' };
  await db('deliveries').insert([
    { ...row, id: 'long', status: long },
    { ...row, id: 'short', status: 'failed' },
  ]);
  await run((name) => name >= '0024');
  expect(await db('deliveries').orderBy('id').pluck('status')).toEqual([long.slice(0, 100), 'failed']);
});
