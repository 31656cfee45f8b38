import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { tableOf } from '../../src/domain/kinds/kinds.js';
import type { Observation } from '../../src/domain/observation.js';
import { isHidden } from '../../src/domain/personal.js';
import { type RecordKind, textField } from '../../src/domain/records.js';
import { searchedFields } from '../../src/domain/search.js';
import { find } from '../../src/records/search/find.js';
import { fillSearchKeys } from '../../src/records/search/search-keys.js';
import { at, poll, report } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { save } from '../support/saved.js';
import { sized } from '../support/sizes.js';
import { pruneIn } from './retention/aged.js';

const database = resettableDatabase();
const OLD = (at(0) - Date.now()) / 86_400_000 + 401;

const made: Partial<Record<RecordKind, (id: string, fields: JsonObject) => JsonObject>> = {
  payment_intent: intent,
  payin: (id, fields) => payin(id, 'pi_none', fields),
  payout,
  invoice,
  account: (id, fields) => ({ id, status: 'active', createdAt: '2026-02-28T23:00:00.000Z', ...fields }),
};
const searchedKinds = Object.keys(made) as RecordKind[];

const values = fc.constantFrom(
  'ada@example.test',
  'Grace@example.test',
  `0x${'ab12'.repeat(10)}`,
  '5F3a'.repeat(16),
  'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  'ref-7',
  '',
);

interface One {
  kind: RecordKind;
  id: string;
  fields: JsonObject;
  isReport: boolean;
}

const one: fc.Arbitrary<Omit<One, 'id'>> = fc.constantFrom(...searchedKinds).chain((kind) => {
  const { columns, keyed } = searchedFields(kind);
  const fields = Object.fromEntries([...columns, ...keyed].map((name) => [name, fc.option(values)]));
  return fc.record({ kind: fc.constant(kind), fields: fc.record(fields), isReport: fc.boolean() });
});
const worlds = fc
  .array(one, { minLength: 1, maxLength: 5 })
  .map((all) => all.map((each, n): One => ({ ...each, id: `${each.kind}_${n}` })));

function observed({ kind, id, fields, isReport }: One): Observation {
  const all = made[kind]?.(id, fields) ?? {};
  return isReport ? report(kind, id, all, 1) : poll(kind, all, 1);
}

async function isFound({ kind, id }: One, text: string, knowsPeople: boolean): Promise<boolean> {
  const { items } = await find(database.db, text, { knowsPeople });
  return items.some((item) => item.kind === kind && item.id === id);
}

type Sees = (kind: RecordKind, name: string, value: string) => boolean;

/** What records are joined by is shown to everybody, for good. */
const isJoining = (kind: RecordKind, name: string) => searchedFields(kind).columns.includes(name);
const viewer: Sees = (kind, name, value) => isJoining(kind, name) || !(isHidden(kind, name) || value.includes('@'));
/** Books rest on where a payout went. */
const keeps: Sees = (kind, name, value) =>
  viewer(kind, name, value) || (name === 'destinationAddress' && !value.includes('@'));

function mayBeFound({ kind, fields }: One, text: string, sees: Sees): boolean {
  const names = Object.values(searchedFields(kind))
    .flat()
    .filter((name) => textField(fields, name) === text);
  // What a viewer must not see in one field is hidden wherever else it stands, but for what records are joined by.
  const isHiddenHere = sees === viewer && names.some((name) => !sees(kind, name, text));
  return names.some((name) => sees(kind, name, text) && (!isHiddenHere || isJoining(kind, name)));
}

/** Found by the whole run: one text in a hidden and in a shown field. */
const TWICE: One = {
  kind: 'payment_intent',
  id: 'payment_intent_0',
  fields: { customerEmail: null, customerRefundAddress: 'ref-7', depositAddress: 'ref-7' },
  isReport: false,
};

const asked = (record: One) =>
  new Set(Object.values(record.fields).filter((value) => typeof value === 'string' && value !== '') as string[]);

test('each record is found by each of its searched values, by whom they are not hidden from, as long as it has them', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      for (const table of ['search_keys', ...searchedKinds.map(tableOf)]) await database.db(table).delete();
      await save(database, world.map(observed));
      for (const record of world) {
        for (const text of [record.id, record.id.slice(0, -1)]) expect(await isFound(record, text, false)).toBe(true);
        for (const text of asked(record)) {
          expect(await isFound(record, ` ${text}\n`, true)).toBe(true);
          expect(await isFound(record, text, false)).toBe(mayBeFound(record, text, viewer));
        }
      }
      await pruneIn(database.db, OLD);
      for (const record of world)
        for (const text of asked(record))
          expect(await isFound(record, text, true)).toBe(mayBeFound(record, text, keeps));
    }),
    { numRuns: sized(4, 100), examples: [[[TWICE]]] },
  );
});

test('“I paid, here is the hash” is answered with payin, payment, order, and what the goods wait for', async () => {
  const txid = 'ab12'.repeat(16);
  await save(database, [
    poll('payment_intent', paidIntent('pi_1', 'in_1'), 1),
    poll('payin', payin('in_1', 'pi_1', { txid, kytStatus: 'pending' }), 1),
  ]);
  const found = await find(database.db, `https://explorer.example/tx/0x${txid.toUpperCase()}`, { knowsPeople: false });
  expect(found.items).toEqual([{ kind: 'payin', id: 'in_1', by: 'txid', exact: true, orders: ['order-pi_1'] }]);
  expect(found.orders).toMatchObject([
    {
      reference: 'order-pi_1',
      release: { safe: false, reason: 'kyt_pending' },
      says: 'The screening of a payin is not finished. What changes it: the service ends it; wait.',
      paymentIntents: ['pi_1'],
      payins: ['in_1'],
    },
  ]);
});

test('what changes is found by its new value alone; an e-mail stands in no index', async () => {
  await save(database, [poll('invoice', invoice('v1'), 1)]);
  await save(database, [poll('invoice', invoice('v1', { customerEmail: 'new@example.test' }), 2)]);
  expect((await find(database.db, 'ada@example.test', { knowsPeople: true })).items).toEqual([]);
  expect((await find(database.db, 'NEW@example.test', { knowsPeople: true })).items).toMatchObject([{ id: 'v1' }]);
  expect(JSON.stringify(await database.db('search_keys'))).not.toContain('example');
});

test('what an older program saved is found once the round of all records came by', async () => {
  await save(database, [poll('invoice', invoice('v1'), 1)]);
  await database.db('search_keys').delete();
  expect((await find(database.db, 'ada@example.test', { knowsPeople: true })).items).toEqual([]);
  await database.db.transaction((trx) => fillSearchKeys(trx, 'invoice', ['v1']));
  await database.db.transaction((trx) => fillSearchKeys(trx, 'invoice', ['v1']));
  expect((await find(database.db, 'ada@example.test', { knowsPeople: true })).items).toMatchObject([{ id: 'v1' }]);
});

test('of many no more than fifty are shown, and that there are more', async () => {
  const polls = Array.from({ length: 60 }, (_, n) => poll('invoice', invoice(`inv_${n}`), 1));
  await save(database, polls);
  for (const text of ['inv_', 'ada@example.test']) {
    const found = await find(database.db, text, { knowsPeople: true });
    expect([found.items.length, found.more]).toEqual([50, true]);
  }
  expect((await find(database.db, 'inv', { knowsPeople: true })).items).toEqual([]);
  expect((await find(database.db, 'INV_1', { knowsPeople: true })).items).toEqual([]);
});

test('what the service shows is found, however many records webhooks alone report beside it', async () => {
  const customerEmail = 'crowded@shop.example';
  const forged = Array.from({ length: 250 }, (_, n) => `aa_forged_${n}`);
  await save(database, [
    ...forged.map((id) => report('payment_intent', id, { id, customerEmail, createdAt: '2026-09-01T00:00:00Z' }, 5)),
    poll('payment_intent', paidIntent('zz_true', 'in_zz_true', { customerEmail }), 10),
  ]);
  expect((await find(database.db, customerEmail, { knowsPeople: true })).items[0]).toMatchObject({ id: 'zz_true' });
});
