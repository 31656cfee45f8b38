import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/records/database.js';
import type { DoctorParts } from '../../src/wiring/doctor/check.js';
import { checkDatabase } from '../../src/wiring/doctor/check-installation.js';
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
  const { ready } = createReadiness(db, () => now);
  const fine = { ok: true, problems: [] };
  expect(await ready()).toEqual(fine);
  await db.raw('SET default_transaction_read_only = on');
  now += 1_000;
  expect(await ready()).toEqual(fine);
  now += 1;
  expect(await ready()).toMatchObject({
    ok: false,
    problems: [expect.stringContaining(' is read-only: ')],
    lasting: false,
  });
  await db.raw('SET default_transaction_read_only = off');
  now += 1_001;
  expect(await ready()).toEqual(fine);
});

test('an inbox that somebody holds is said within two seconds, and nothing of the asking stays', async () => {
  let now = 0;
  const { ready } = createReadiness(db, () => now);
  const holder = await database.db.transaction();
  await holder.raw('LOCK TABLE inbox IN SHARE MODE');
  const began = performance.now();
  expect(await ready()).toEqual({
    ok: false,
    problems: [
      `The database at ${new URL(database.url).host}${new URL(database.url).pathname} takes no events, its inbox is locked (55P03): no event can be stored until who holds the table is done; pg_locks names the process`,
    ],
    lasting: false,
  });
  expect(performance.now() - began).toBeLessThan(2_500);
  await holder.rollback();
  now += 1_001;
  expect(await ready()).toEqual({ ok: true, problems: [] });
  expect((await db.raw('SHOW lock_timeout')).rows).toEqual([{ lock_timeout: '0' }]);
  // Databases made of one template share the numbers of their tables.
  const { rows } = await database.db.raw(
    `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database AND datname = current_database()
     WHERE relation = 'inbox'::regclass AND mode = 'RowExclusiveLock' AND pid <> pg_backend_pid()`,
  );
  expect(rows).toEqual([]);
});

test('a yes is not kept once something could not be stored', async () => {
  const { ready, doubt } = createReadiness(db, () => 0);
  expect(await ready()).toMatchObject({ ok: true });
  await db.raw('SET default_transaction_read_only = on');
  expect(await ready()).toMatchObject({ ok: true });
  doubt();
  await new Promise(setImmediate);
  expect(await ready()).toMatchObject({ ok: false });
  await db.raw('SET default_transaction_read_only = off');
  // A no is kept for its time: who is refused asks often.
  doubt();
  await new Promise(setImmediate);
  expect(await ready()).toMatchObject({ ok: false });
});

test.each([
  ['schema', 'run: tallyhook migrate'],
  [undefined, 'docs/troubleshooting.md, “It does not start”'],
] as const)('of a problem that is about %s doctor says: %s', async (about, remedy) => {
  const ready = async () => ({ ok: false, problems: ['something is wrong'], ...(about && { about }) });
  expect(await checkDatabase({ db, ready } as DoctorParts)).toMatchObject([{ found: 'something is wrong', remedy }]);
});
