import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/records/database.js';
import { createReadiness } from '../../src/wiring/readiness.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();
let db: Knex;
beforeAll(async () => {
  db = openDatabase(database.url, { max: 1 });
});
afterAll(async () => {
  await db.destroy();
});

test('a database that turns read-only is seen within a second, and that it takes writes again', async () => {
  let now = 0;
  const ready = createReadiness(db, () => now);
  const fine = { ok: true, problems: [] };
  expect(await ready()).toEqual(fine);
  await db.raw('SET default_transaction_read_only = on');
  now += 1_000;
  expect(await ready()).toEqual(fine);
  now += 1;
  expect(await ready()).toMatchObject({
    ok: false,
    problems: [expect.stringContaining('database: is read-only')],
    lasting: false,
  });
  await db.raw('SET default_transaction_read_only = off');
  now += 1_001;
  expect(await ready()).toEqual(fine);
});
