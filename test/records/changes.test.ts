import fc from 'fast-check';
import type { Knex } from 'knex';
import { beforeAll, expect, test, vi } from 'vitest';
import { canonicalJson } from '../../src/domain/canonical-json.js';
import type { JsonObject } from '../../src/domain/json.js';
import { appendChanges, changesOf, type NewChange, readChanges } from '../../src/records/changes.js';
import { useDatabase } from '../support/database.js';
import { at, poll, report } from '../support/observations.js';
import { intent, paidIntent } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();
let db: Knex;
beforeAll(async () => {
  db = database.db;
});

const change = (id: string): NewChange => ({
  entity: { kind: 'event', id },
  field: 'status',
  from: null,
  to: '"x"',
  source: { type: 'webhook', ref: '1' },
  serviceTime: at(0),
});

async function lastSeq(): Promise<string> {
  return (await readChanges(db, { after: '0', take: 100_000 })).items.at(-1)?.seq ?? '0';
}

test('a new record is one change, a changed one has a row per field, with what was seen and when', async () => {
  await save(database, [poll('payment_intent', intent('a'), 0, 'run-1')]);
  await save(database, [report('payment_intent', 'a', { status: 'confirming' }, 10, '5')]);
  await save(database, [poll('payment_intent', intent('a', { status: 'confirming' }), 20, 'run-2')]);
  const changes = await changesOf(db, { kind: 'payment_intent', id: 'a' });
  expect(changes.map(({ field, from, to, source, serviceTime }) => [field, from, to, source.ref, serviceTime])).toEqual(
    [
      [
        '*',
        null,
        expect.objectContaining({ id: 'a', status: 'pending', verified: true }),
        'run-1',
        '2026-03-01T00:00:00.000Z',
      ],
      ['reported', null, { status: 'confirming' }, '5', '2026-03-01T00:00:10.000Z'],
      ['status', 'pending', 'confirming', 'run-2', '2026-03-01T00:00:20.000Z'],
      ['reported', { status: 'confirming' }, null, 'run-2', '2026-03-01T00:00:20.000Z'],
    ],
  );
  const order = await changesOf(db, { kind: 'order', id: 'order-a' });
  expect(order.map(({ field, from, to }) => [field, from, to])).toEqual([
    ['status', null, 'awaiting_payment'],
    ['release', null, { safe: false, reason: 'awaiting_payment' }],
    ['status', 'awaiting_payment', 'confirming'],
    ['release', { safe: false, reason: 'awaiting_payment' }, { safe: false, reason: 'confirming' }],
  ]);
});

test('who pays stands in the history as a digest: the same for the same person, and said by nobody', async () => {
  const person = { customerEmail: 'grace@example.test', customer: { firstName: 'Grace', refundAddress: 'T1' } };
  await save(database, [poll('payment_intent', intent('p1', person), 0)]);
  await save(database, [poll('payment_intent', intent('p2', person), 0)]);
  await save(database, [poll('payment_intent', intent('p1', { ...person, customerEmail: 'hopper@example.test' }), 5)]);
  const rows = await db('changes').whereIn('entity_id', ['p1', 'p2']).orderBy('seq');
  expect(JSON.stringify(rows)).not.toMatch(/grace|hopper|T1"/i);
  const [first, second] = rows.map((row) => JSON.parse(row.to_value));
  expect(first.customerEmail).toMatch(/^hmac-sha256:[0-9a-f]{64}$/);
  expect(second.customerEmail).toBe(first.customerEmail);
  expect(second.customer).toEqual(first.customer);
  const changed = rows.find((row) => row.field === 'customerEmail');
  expect(JSON.parse(changed.from_value)).toBe(first.customerEmail);
  expect(changed.to_value).not.toBe(changed.from_value);
});

test('a number taken early and committed late is waited for, though its transaction began last', async () => {
  const start = await lastSeq();
  const begunFirst = await db.transaction();
  await begunFirst.raw('SELECT pg_current_xact_id()');
  const begunLast = await db.transaction();
  await appendChanges(begunLast, [change('early-number')]);
  await appendChanges(begunFirst, [change('late-number')]);
  await begunFirst.commit();
  // What is committed, and even what is below every open transaction, ends with the late number: a reader that took
  // it for the end would never see the early one.
  const committed = db('changes').where('seq', '>', start);
  expect(await committed.clone().pluck('entity_id')).toEqual(['late-number']);
  const below = committed.clone().whereRaw('xid < pg_snapshot_xmin(pg_current_snapshot())');
  // Other databases of the cluster hold the snapshot's bound down for as long as a transaction of theirs is open.
  await vi.waitFor(async () => expect(await below.clone().pluck('entity_id')).toEqual(['late-number']), 10_000);
  expect((await readChanges(db, { after: start, take: 10 })).items).toEqual([]);
  await begunLast.commit();
  const { items: seen } = await readChanges(db, { after: start, take: 10 });
  expect(seen.map(({ entity }) => entity.id)).toEqual(['early-number', 'late-number']);
});

test('a transaction that is rolled back holds nobody up', async () => {
  const start = await lastSeq();
  const failed = await db.transaction();
  await appendChanges(failed, [change('never')]);
  await db.transaction((trx) => appendChanges(trx, [change('after it')]));
  expect((await readChanges(db, { after: start, take: 10 })).items).toEqual([]);
  await failed.rollback();
  expect((await readChanges(db, { after: start, take: 10 })).items.map(({ entity }) => entity.id)).toEqual([
    'after it',
  ]);
});

/** Writers take numbers early and commit late; a reader goes on from the last it was given. What does it miss? */
async function followWhileWriting(writes: number): Promise<{ missed: number; seen: number }> {
  const start = await lastSeq();
  let writing = true;
  const writer = async (name: number): Promise<void> => {
    for (let round = 0; round < writes; round++) {
      await db.transaction(async (trx) => {
        if (round % 2 === name % 2) await trx.raw('SELECT pg_current_xact_id()');
        await appendChanges(trx, [change(`${name}-${round}`)]);
        if (round % 3 === 0) await trx.raw('SELECT pg_sleep(0.003)');
        await appendChanges(trx, [change(`${name}-${round}`)]);
      });
    }
  };
  const seen: string[] = [];
  const readOn = async (): Promise<number> => {
    const { items: page } = await readChanges(db, { after: seen.at(-1) ?? start, take: 50 });
    seen.push(...page.map(({ seq }) => seq));
    return page.length;
  };
  const follow = async (): Promise<void> => {
    for (let done = false; !done; ) {
      done = !writing;
      await readOn();
    }
  };
  const reader = follow();
  await Promise.all([0, 1, 2, 3, 4].map(writer));
  writing = false;
  await reader;
  while ((await readOn()) > 0);
  const all = await db('changes').where('seq', '>', start).pluck('seq');
  const known = new Set(seen);
  return { missed: all.filter((seq) => !known.has(seq)).length, seen: seen.length };
}

test('a reader of the feed misses nothing while writers commit out of order', async () => {
  const writes = process.env['TALLYHOOK_LONG'] ? 1000 : 120;
  expect(await followWhileWriting(writes)).toEqual({ missed: 0, seen: 5 * 2 * writes });
});

test('an order that becomes paid is shown by the change that made it so', async () => {
  await save(database, [poll('payment_intent', intent('q'), 0)]);
  await save(database, [poll('payment_intent', paidIntent('q', 'pq'), 9, 'run-9')]);
  const changes = await changesOf(db, { kind: 'order', id: 'order-q' });
  expect(changes.at(-2)).toMatchObject({ field: 'status', to: 'paid', source: { type: 'poll', ref: 'run-9' } });
});

const anyValue = fc.option(fc.constantFrom('x', 'y', '', 'ada@example.test'), { freq: 2 });
const anyFields = fc
  .dictionary(fc.constantFrom('status', 'customerEmail', 'invoiceId', 'paymentResult', 'memo', 'new'), anyValue)
  .map((fields): JsonObject => ({ merchantReference: 'r', ...fields }));
const anySteps = fc.array(fc.tuple(fc.boolean(), anyFields), { minLength: 2, maxLength: 7 });

test('whatever is read and reported: no change of the feed is the same before and after', async () => {
  let record = 0;
  const check = async (steps: [isReading: boolean, fields: JsonObject][]) => {
    const start = await lastSeq();
    const id = `law-${++record}`;
    for (const [second, [isReading, fields]] of steps.entries())
      await save(database, [
        isReading ? poll('payment_intent', { id, ...fields }, second) : report('payment_intent', id, fields, second),
      ]);
    const { items: changes } = await readChanges(db, { after: start, take: 1_000 });
    expect(changes.filter(({ from, to }) => canonicalJson(from) === canonicalJson(to))).toEqual([]);
    // What readers pass over is of a save that has no news, and no more than one row.
    const rows: { seq: string; xid: string }[] = await db('changes').where('seq', '>', start);
    const told = new Set(changes.map(({ seq }) => seq));
    const saves = rows.filter(({ seq }) => !told.has(seq)).map(({ xid }) => xid);
    expect(saves.filter((xid) => rows.filter((row) => row.xid === xid).length > 1)).toEqual([]);
  };
  // A report names the record; the list shows it with fields that are null.
  const nulls = { status: 'x', invoiceId: null, paymentResult: null };
  await fc.assert(fc.asyncProperty(anySteps, check), {
    numRuns: 25,
    examples: [
      [
        [
          [false, { status: 'x' }],
          [true, nulls],
          [true, { status: 'x' }],
        ] as [boolean, JsonObject][],
      ],
    ],
  });
});

test('rows of earlier versions that change nothing keep their place and are passed over, wherever one goes on', async () => {
  const start = await lastSeq();
  const row = { entity_kind: 'event', entity_id: 'old', source_type: 'webhook', source_ref: '1' };
  const says = [true, false, false, true, false, false, false, true, false];
  const seqs: string[] = [];
  for (const [n, isShown] of says.entries()) {
    const to_value = isShown ? '"x"' : n % 2 === 0 ? 'null' : null;
    const [{ seq }] = await db('changes')
      .insert({ ...row, field: `f${n}`, from_value: null, to_value })
      .returning('seq');
    seqs.push(String(seq));
  }
  const shown = seqs.filter((_, n) => says[n]);
  for (const after of [start, ...seqs]) {
    const seen: string[] = [];
    for (let at = after; ; ) {
      const next = (await readChanges(db, { after: at, take: 2 })).items.map(({ seq }) => seq);
      if (next.length === 0) break;
      seen.push(...next);
      at = next.at(-1) ?? at;
    }
    expect(seen).toEqual(shown.filter((seq) => BigInt(seq) > BigInt(after)));
  }
  expect((await changesOf(db, { kind: 'event', id: 'old' })).map(({ seq }) => seq)).toEqual(shown);
});
