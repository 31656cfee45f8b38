import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { recordTables } from '../../src/records/record-columns.js';
import { requestRefresh } from '../../src/records/runs/refresh-requests.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { type PollObservation, touchUnchanged } from '../../src/records/saving/touch-unchanged.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { absence, at, mention, report } from '../support/observations.js';
import { intent } from '../support/records.js';
import { context, everything, save } from '../support/saved.js';
import { sized } from '../support/sizes.js';

const rounds = sized(3, 200);
const savers = 3;

let database: TestDatabase;
let alone: TestDatabase;
beforeEach(async () => {
  [database, alone] = await Promise.all([createTestDatabase(), createTestDatabase()]);
});
afterEach(() => Promise.all([database.drop(), alone.drop()]));

function shown(fields: JsonObject & { id: string }, second: number, ref = 'run-1'): PollObservation {
  const { id } = fields;
  const source = { type: 'poll', ref } as const;
  return { type: 'poll', kind: 'payment_intent', id, from: at(second), to: at(second) + 200, source, fields };
}

const payment = (id: string, fields: JsonObject = {}) => ({ ...intent(id, fields), id });

/** Ids of the readings that were not unchanged, and what saving them changed. */
function read({ db }: TestDatabase, readings: PollObservation[]): Promise<{ left: string[]; changed: number }> {
  return db.transaction(async (trx) => {
    const left = await touchUnchanged(trx, 'payment_intent', readings);
    const { changed } = await saveObservations(trx, left, context);
    return { left: left.map(({ id }) => id), changed };
  });
}

async function readAt(id: string): Promise<{ from: number; verified: number; by: string }> {
  const row = await database.db('payment_intents').where({ id }).first();
  return { from: Number(row.poll_from), verified: row.verified_at.getTime(), by: row.poll_ref };
}

test('what is shown as before is verified anew by one statement, whatever stands beside it changed', async () => {
  const ids = ['a', 'b', 'c'];
  await read(
    database,
    ids.map((id) => shown(payment(id), 0)),
  );
  const again = ids.map((id, index) => shown(payment(id), 10 + index, 'run-2'));
  expect(await read(database, again)).toEqual({ left: [], changed: 0 });
  expect(await readAt('b')).toEqual({ from: at(11), verified: at(11), by: 'run-2' });

  const moved = [payment('a'), payment('b', { status: 'completed' }), payment('c')].map((one) => shown(one, 20));
  expect(await read(database, moved)).toEqual({ left: ['b'], changed: 1 });
  expect(await readAt('c')).toMatchObject({ from: at(20), verified: at(20) });
});

test('what it moves is in no index, and pages have room for it: reading again writes no index', async () => {
  const { db } = database;
  await read(database, [shown(payment('a'), 0)]);
  const before: Record<string, unknown> = await db('payment_intents').first();
  await read(database, [shown(payment('a'), 10, 'run-2')]);
  const after: Record<string, unknown> = await db('payment_intents').first();
  const moved = Object.keys(after).filter((name) => String(after[name]) !== String(before[name]));
  expect(moved).toEqual(expect.arrayContaining(['poll_from', 'poll_ref', 'verified_at', 'observed_at']));
  const tables = Object.values(recordTables);
  const indexes = await db('pg_indexes').whereIn('tablename', tables).pluck('indexdef');
  expect(indexes.length).toBeGreaterThan(tables.length);
  expect(indexes.filter((definition) => moved.some((name) => definition.includes(name)))).toEqual([]);
  const roomy = await db('pg_class').whereRaw("'fillfactor=60' = ANY (reloptions)").orderBy('relname').pluck('relname');
  expect(roomy).toEqual(['accounts', 'invoices', 'payins', 'payment_intents', 'payouts', 'transactions']);
});

test('a reading that is older than what is held takes nothing back', async () => {
  await read(database, [shown(payment('a'), 10)]);
  await read(database, [shown(payment('a'), 5, 'run-0')]);
  expect(await readAt('a')).toEqual({ from: at(10), verified: at(10), by: 'run-1' });
});

test('what two pages show of one record is one reading, the newer; where they differ it is left', async () => {
  await read(database, [shown(payment('a'), 0)]);
  expect(await read(database, [shown(payment('a'), 11), shown(payment('a'), 10)])).toEqual({ left: [], changed: 0 });
  expect(await readAt('a')).toMatchObject({ from: at(11) });
  const differing = [shown(payment('a'), 20), shown(payment('a', { status: 'expired' }), 21)];
  expect(await read(database, differing)).toEqual({ left: ['a', 'a'], changed: 1 });
});

test('a mark to read it is settled, and an id that no row can have shown', async () => {
  await read(database, [shown(payment('a'), 0), shown(payment('b'), 0)]);
  await requestRefresh(database.db, [{ kind: 'payment_intent', id: 'a', reason: 'claimed', askedAt: at(5) }]);
  const long = payment('x'.repeat(2_000));
  expect(await read(database, [shown(payment('a'), 10), shown(payment('b'), 10), shown(long, 10)])).toMatchObject({
    left: ['a', long.id],
  });
  expect(await database.db('reading_marks').where({ kind: 'payment_intent' })).toEqual([]);
  expect((await everything(database)).breaks).toMatchObject([{ kind: 'contract_violation' }]);
});

test('one whose personal fields were struck out is left to be masked before it is compared', async () => {
  await read(database, [shown(payment('a'), 0), shown(payment('b'), 0)]);
  await database.db('payment_intents').where({ id: 'a' }).update({ masked: true });
  await database.db.transaction(async (trx) => {
    const readings = ['a', 'b'].map((id) => shown(payment(id), 10));
    expect(await touchUnchanged(trx, 'payment_intent', readings)).toEqual(readings.slice(0, 1));
  });
});

test('beside a record that nobody knew nothing is held before the new one is: all are left, in one order', async () => {
  await read(database, [shown(payment('a'), 0), shown(payment('c'), 0)]);
  await database.db.transaction(async (trx) => {
    const readings = ['a', 'b', 'c'].map((id) => shown(payment(id), 10));
    expect(await touchUnchanged(trx, 'payment_intent', readings)).toEqual(readings);
    const others = await database.db('payment_intents').select('id').orderBy('id').forUpdate().skipLocked();
    expect(others.map(({ id }) => id)).toEqual(['a', 'c']);
  });
});

/** A generator that repeats itself: a failure can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Few payments that mostly stay as they are. */
function page(round: number, random: (below: number) => number): PollObservation[] {
  const version = () => (random(6) === 0 ? 'completed' : 'pending');
  return Array.from({ length: 1 + random(12) }, () => {
    const id = `${round}-${random(10)}`;
    return shown(payment(id, { status: version() }), random(30), `run-${round}`);
  });
}

test('it ends where saving alone ends, by several at once and beside what events say, and never in a deadlock', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const random = randomOf(round + 1);
    const pages = Array.from({ length: savers * 4 }, () => page(round, random));
    const said = Array.from({ length: 12 }, () => {
      const id = `${round}-${random(10)}`;
      const observed = [
        mention('payment_intent', id, random(30)),
        absence('payment_intent', id, random(30)),
        report('payment_intent', id, { status: 'confirming' }, random(30)),
      ];
      return observed.slice(0, 1 + random(3));
    });
    await Promise.all([
      ...Array.from({ length: savers }, async (_, nth) => {
        for (const one of pages.filter((_page, at) => at % savers === nth)) await read(database, one);
      }),
      (async () => {
        for (const observed of said) await save(database, observed);
      })(),
    ]);
    await save(alone, [...pages.flat(), ...said.flat()]);
    const [{ intents: ours }, { intents: theirs }] = [await everything(database), await everything(alone)];
    expect(ours, `round ${round}`).toEqual(theirs);
  }
}, 240_000);
