import fc from 'fast-check';
import type { Knex } from 'knex';
import { beforeEach, expect, test } from 'vitest';
import { canonicalJson } from '../../../src/domain/canonical-json.js';
import type { JsonObject } from '../../../src/domain/json.js';
import type { Observation } from '../../../src/domain/observation.js';
import { MASK, maskPersonal } from '../../../src/domain/personal.js';
import { maskTasks } from '../../../src/records/retention/mask-records.js';
import { absence, at, mention, poll, report } from '../../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../../support/records.js';
import { resettableDatabase } from '../../support/resettable-database.js';
import { everything, save } from '../../support/saved.js';
import { sized } from '../../support/sizes.js';
import { pruneIn } from './aged.js';

const database = resettableDatabase();
let db: Knex;
beforeEach(async () => {
  db = database.db;
});

/** Days from now until what the tests save is 400 days old, and 390. */
const daysUntil = (age: number) => (at(0) - Date.now()) / 86_400_000 + age;
const OLD = daysUntil(401);
const YOUNG = daysUntil(390);
const mask = (days = OLD) => pruneIn(db, days);
const shownOf = async (table: string, id: string): Promise<JsonObject> =>
  JSON.parse((await db(table).where({ id }).first('shown')).shown);
const reportedOf = async (table: string, id: string): Promise<JsonObject | null> =>
  JSON.parse((await db(table).where({ id }).first('reported')).reported ?? 'null');
const wholeOf = async (table: string) => JSON.stringify(await db(table).orderBy('id'));
const person = /ada@|grace|hopper|Ada Example/i;

test('records that are old lose what is personal, everywhere it is kept, and nothing else', async () => {
  await save(database, [
    poll('payment_intent', paidIntent('i1', 'p1', { metadata: { email: 'grace@example.test', size: 'XL' } }), 0),
    poll('invoice', invoice('v1'), 0),
    poll('payout', payout('o1', { destinationAddress: 'hopper@example.test' }), 0),
    poll(
      'account',
      { id: 'w1', label: 'Grace H.', externalRef: 'ref-1', status: 'active', createdAt: '2026-03-01T00:00:00Z' },
      0,
    ),
    poll('payin', payin('p1', 'i1', { senderAddress: 'T9' }), 0),
  ]);
  // An absence keeps the reading before it; a claim keeps what an event said.
  await save(database, [
    absence('invoice', 'v1', 20),
    report('payment_intent', 'i2', { ...intent('i2'), customerEmail: 'grace@example.test' }, 10),
  ]);
  const before = await everything(database);
  const changes = await db('changes').orderBy('seq');
  // Which hours are to be added up anew says nothing of a person.
  const marks = (await db('money_marks').pluck('id')).length;
  expect(marks).toBeGreaterThan(0);
  expect((await mask(YOUNG)).done).toEqual({ 'money marks': marks });
  expect((await mask()).done).toEqual({
    'personal payment_intent': 2,
    'personal payin': 1,
    'personal invoice': 1,
    'personal payout': 1,
    'personal account': 1,
  });
  for (const table of ['payment_intents', 'invoices', 'payouts', 'accounts'])
    expect(await wholeOf(table)).not.toMatch(person);
  expect(await shownOf('payment_intents', 'i1')).toMatchObject({
    customerEmail: MASK,
    metadata: { email: MASK, size: 'XL' },
  });
  expect(await shownOf('payouts', 'o1')).toMatchObject({ destinationAddress: MASK, amount: '25.839' });
  expect(await db('accounts').first()).toMatchObject({ label: MASK, external_ref: 'ref-1', status: 'active' });
  const after = await everything(database);
  expect(plain(after)).toEqual(plain(before));
  expect(after.intents.map(({ shown }) => shown)).toEqual(
    before.intents.map(({ shown }) => maskPersonal('payment_intent', shown)),
  );
  expect(await reportedOf('payment_intents', 'i1')).toBeNull();
  expect(await reportedOf('payment_intents', 'i2')).toEqual({ ...without(intent('i2'), 'id'), customerEmail: MASK });
  expect(await db('changes').orderBy('seq')).toEqual(changes);
  expect((await mask()).done).toEqual({});
});

/** Without what masking is to change. */
function plain({ intents, invoices, payouts, payins, ...rest }: Awaited<ReturnType<typeof everything>>) {
  const records = [intents, invoices, payouts, payins].map((rows) =>
    rows.map(({ poll_hash: _hash, poll: _poll, claims: _claims, shown: _shown, masked: _masked, ...row }) =>
      without(row, 'reported'),
    ),
  );
  return { records, ...rest };
}

function without<R extends object>(row: R, ...names: string[]): Partial<R> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))) as Partial<R>;
}

test('what only a report says of a person goes too; that it was other than what was read is not shown any more', async () => {
  await save(database, [
    poll('payment_intent', intent('i1'), 0),
    poll('payout', payout('o1', { destinationAddress: 'T9', status: 'approved' }), 0),
  ]);
  const reported = { ...intent('i1'), customerEmail: 'grace@example.test' };
  await save(database, [
    report('payment_intent', 'i1', { ...reported, status: 'confirming' }, 10),
    report('payout', 'o1', { id: 'o1', status: 'broadcast', destinationAddress: 'hopper@example.test' }, 10),
  ]);
  expect(await reportedOf('payment_intents', 'i1')).toEqual({
    status: 'confirming',
    customerEmail: 'grace@example.test',
  });
  await mask();
  expect(await reportedOf('payment_intents', 'i1')).toEqual({ status: 'confirming' });
  expect(await reportedOf('payouts', 'o1')).toEqual({ status: 'broadcast', destinationAddress: MASK });
  for (const table of ['payment_intents', 'payouts']) expect(await wholeOf(table)).not.toMatch(person);
  const changes = await db('changes').orderBy('seq');
  expect(JSON.stringify(changes)).not.toMatch(person);
  // Reported once more, and asked for once more: nothing is other than it was masked.
  const stands = () => db('payment_intents').orderBy('id').select('shown', 'reported', 'verified', 'doubted', 'known');
  const before = await stands();
  expect((await mask()).done).toEqual({});
  await save(database, [mention('payment_intent', 'i1', 11), report('payment_intent', 'i1', reported, 9)]);
  expect(await stands()).toEqual(before);
  expect(await db('changes').orderBy('seq')).toEqual(changes);
});

test('reading it again brings nothing back and is no change; what did change is one', async () => {
  const fields = paidIntent('i1', 'p1');
  await save(database, [poll('payment_intent', fields, 0)]);
  await mask();
  const changes = await db('changes').orderBy('seq');
  const again = await save(database, [poll('payment_intent', fields, 100, 'run-2')]);
  expect(again).toEqual({ changed: 0, breaksOpened: 0 });
  await save(database, [poll('payment_intent', { ...fields, customerEmail: 'hopper@example.test' }, 200, 'run-3')]);
  await save(database, [report('payment_intent', 'i1', { ...fields, customerEmail: 'grace@example.test' }, 300)]);
  expect(await db('changes').orderBy('seq')).toEqual(changes);
  expect(await db('payment_intents').first()).toMatchObject({ verified: true, poll_ref: 'run-3' });
  const disputed = { ...fields, irregularStatus: 'pending_decision' };
  expect(await save(database, [poll('payment_intent', disputed, 400, 'run-4')])).toMatchObject({ changed: 1 });
  expect(await db('changes').where({ entity_kind: 'payment_intent' }).orderBy('seq', 'desc').first()).toMatchObject({
    field: 'irregularStatus',
    to_value: '"pending_decision"',
  });
  expect(await wholeOf('payment_intents')).not.toMatch(person);
});

test('a record that is unchanged costs no more than before: it is only touched', async () => {
  const fields = intent('i1');
  await save(database, [poll('payment_intent', fields, 0)]);
  await mask();
  const [{ xmin: _x, ...before }] = await db('payment_intents').select('*', db.raw('xmin'));
  await save(database, [poll('payment_intent', fields, 50)]);
  const touched = await db('payment_intents').first();
  expect(touched).toMatchObject({ shown: before.shown, poll_hash: before.poll_hash, poll: null, settled: true });
  expect(touched.poll_from).not.toBe(before.poll_from);
});

test('a record of which the service shows no time of creation is as old as our knowledge of it', async () => {
  await save(database, [report('account', 'w1', { id: 'w1', label: 'Grace H.', status: 'active' }, 0)]);
  await pruneIn(db, 399);
  expect(await wholeOf('accounts')).toMatch(person);
  await pruneIn(db, 401);
  expect(await wholeOf('accounts')).not.toMatch(person);
});

test('the history shows personal data as digests alone, of sub-wallets and payouts too', async () => {
  await save(database, [
    poll('account', { id: 'w1', label: 'Grace H.', status: 'active', createdAt: '2026-03-01T00:00:00Z' }, 0),
    poll('payout', payout('o1', { destinationAddress: 'hopper@example.test' }), 0),
  ]);
  await save(database, [poll('account', { id: 'w1', label: 'Grace Hopper', status: 'active' }, 5)]);
  expect(await wholeOf('payouts')).toMatch(person);
  expect(JSON.stringify(await db('changes'))).not.toMatch(person);
});

const emails = fc.constantFrom(null, 'ada@example.test', 'grace@example.test', 'hopper@example.test');
const seen = fc.record({
  what: fc.constantFrom('poll', 'statement', 'absence'),
  second: fc.integer({ min: 0, max: 9 }),
  status: fc.constantFrom('pending', 'confirming', 'completed', 'expired', 'unmatched', 'odd'),
  irregularStatus: fc.constantFrom('none', 'pending_decision', 'encashed'),
  customerEmail: emails,
});
type Seen = typeof seen extends fc.Arbitrary<infer T> ? T : never;

function observationOf(id: string, { what, second, ...fields }: Seen): Observation {
  if (what === 'absence') return absence('payment_intent', id, second);
  if (what === 'poll') return poll('payment_intent', intent(id, fields), second, `run ${second}`);
  return report('payment_intent', id, { ...fields, createdAt: '2026-02-28T23:00:00.000Z' }, second, `${second}`);
}

/** No two at one moment: of those it is chance which one counts as newer. */
const history = fc
  .uniqueArray(seen, { minLength: 1, maxLength: 7, selector: ({ second }) => second })
  .map((all) => [all.slice(0, 2), all.slice(2, 3), all.slice(3)].filter((batch) => batch.length > 0));

test('whatever is observed in whatever order, masked in the middle: all but the person is as if it never had been', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(history, fc.nat(2), async (batches, when) => {
      runs += 1;
      const left = await outcome(`a${runs}`, batches, null);
      const right = await outcome(`b${runs}`, batches, when);
      expect(right).toEqual(left);
    }),
    { numRuns: sized(10, 500) },
  );
});

test('of two claims of one moment the same one stands on top as before', async () => {
  const ids = Array.from({ length: 12 }, (_, i) => `t${i}`);
  for (const id of ids) {
    const said = (status: string) =>
      report('payment_intent', id, { ...intent(id), status, customerEmail: `${id}${status}@a.example` }, 5);
    await save(database, [said('expired'), said('cancelled')]);
  }
  const states = async () => {
    const rows = await db('payment_intents').orderBy('id').select('id', 'status', 'verified', 'reported');
    return rows.map(({ reported, ...row }) => ({ ...row, reported: JSON.parse(reported).status }));
  };
  const before = await states();
  await maskIntents();
  expect(await states()).toEqual(before);
  for (const id of ids)
    await save(database, [report('payment_intent', id, { status: 'waiting_address_selection' }, 0)]);
  expect(await states()).toEqual(before);
  expect(await wholeOf('payment_intents')).not.toContain('@');
});

async function outcome(id: string, batches: Seen[][], maskAfter: number | null) {
  for (const [index, batch] of batches.entries()) {
    const observations = batch.map((one) => observationOf(id, one));
    await save(database, observations);
    if (index === maskAfter) await maskIntents();
  }
  const read = async () => {
    const row = await db('payment_intents').where({ id }).first();
    return { ...row, shown: JSON.parse(row.shown), reported: JSON.parse(row.reported ?? '{}') };
  };
  const { shown: before, reported: said, masked } = await read();
  await maskIntents();
  const { shown, reported, verified, known, doubted, settled, absent_since, status, observed_at } = await read();
  expect(shown).toEqual(maskPersonal('payment_intent', before));
  expect(without(reported, 'customerEmail')).toEqual(without(said, 'customerEmail'));
  expect([undefined, null, MASK]).toContain(reported.customerEmail);
  if (masked) expect([before, said]).toEqual([shown, reported]);
  const rows = await db('changes').where({ entity_id: id }).whereNot({ field: 'customerEmail' }).orderBy('seq');
  const changes = rows.filter(isOfMore).map(({ field, source_ref }) => [field, source_ref]);
  const order = await db('orders')
    .where({ reference: `order-${id}` })
    .first('status', 'release_safe', 'release_reason');
  const absent = absent_since !== null;
  const stand = { shown, reported, verified, known, doubted, settled, absent, status, observed_at };
  return JSON.parse(JSON.stringify({ ...stand, changes, order }).replaceAll(id, 'x'));
}

/** What reports say of the person alone changes no more once that is masked. */
function isOfMore({
  field,
  from_value,
  to_value,
}: {
  field: string;
  from_value: string | null;
  to_value: string | null;
}) {
  const said = (value: string | null) =>
    canonicalJson(without(JSON.parse(value ?? '{}') as JsonObject, 'customerEmail') as JsonObject);
  return field !== 'reported' || said(from_value) !== said(to_value);
}

async function maskIntents(): Promise<void> {
  const cutoff = new Date(at(0));
  await db.transaction(async (trx) => {
    const [task] = maskTasks;
    for (let place: string | null | undefined = null; place !== undefined; )
      place = (await task?.step(trx, { cutoff, place, limit: 250 }))?.next ?? undefined;
  });
}
