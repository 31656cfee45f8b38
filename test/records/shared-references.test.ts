import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { MOST_RECORDS } from '../../src/domain/orders/order.js';
import { changesOf } from '../../src/records/changes.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { createTestDatabase, useDatabase } from '../support/database.js';
import { poll, report } from '../support/observations.js';
import { intent, invoice, paidIntent, payin } from '../support/records.js';
import { everything, save } from '../support/saved.js';

const database = useDatabase();

const order = (reference: string) => getOrder(database.db, reference);
const payments = (from: number, to: number, merchantReference: string, fields: JsonObject = {}) =>
  Array.from({ length: to - from }, (_, index) => {
    return intent(`${merchantReference}-${String(from + index).padStart(5, '0')}`, { merchantReference, ...fields });
  });
const readings = (fields: JsonObject[], second = 0) => fields.map((one) => poll('payment_intent', one, second));

/** The order's list before each of its changes, newest first, as the change log alone shows it. */
async function pastsOf(reference: string): Promise<string[][]> {
  const changes = await changesOf(database.db, { kind: 'order', id: reference });
  let list = (await order(reference))?.paymentIntents ?? [];
  return changes.toReversed().flatMap(({ field, from, to }) => {
    if (field !== 'paymentIntents') return [];
    const came = new Set(to as string[]);
    list = [...list.filter((id) => !came.has(id)), ...(from as string[])];
    return [list.toSorted()];
  });
}

test('the change log says which payments came and which left, and rebuilds the list of any time', async () => {
  const lists: string[][] = [];
  const all = payments(0, 12, 'past');
  for (const [at, one] of all.entries()) {
    await save(database, readings([one]));
    if (at % 3 === 2) await save(database, readings([{ ...one, merchantReference: 'elsewhere' }], 1));
    lists.push((await order('past'))?.paymentIntents.toSorted() ?? []);
  }
  const pasts = await pastsOf('past');
  for (const list of lists.slice(0, -1)) expect(pasts).toContainEqual(list);
  expect(pasts.at(-1)).toEqual(['past-00000']);
  const changes = (await changesOf(database.db, { kind: 'order', id: 'past' })).filter(
    ({ field }) => field === 'paymentIntents',
  );
  expect(changes[0]).toMatchObject({ from: [], to: ['past-00001'] });
  expect(Math.max(...changes.map(({ from, to }) => (from as string[]).length + (to as string[]).length))).toBe(1);
});

test('a reference that more payments share than can be one order never releases, and says so', async () => {
  const reference = 'fixed';
  const paid = paidIntent('fixed-paid', 'fixed-deposit', { merchantReference: reference });
  await save(database, [poll('payin', payin('fixed-deposit', 'fixed-paid'), 0), ...readings([paid])]);
  await save(database, readings(payments(1, MOST_RECORDS, reference, { status: 'expired' })));
  expect(await order(reference)).toMatchObject({ status: 'paid', release: { safe: true } });

  const [last] = payments(MOST_RECORDS, MOST_RECORDS + 1, reference, { status: 'expired' });
  await save(database, readings([last ?? {}]));
  const shared = { status: 'shared_reference', release: { safe: false, reason: 'shared_reference', provenAt: null } };
  expect(await order(reference)).toMatchObject({ ...shared, paymentIntents: [], sharedBy: { paymentIntents: 201 } });

  await save(database, readings([{ ...last, merchantReference: 'another' }], 1));
  const again = await order(reference);
  expect(again).toMatchObject({ status: 'paid', release: { safe: true }, sharedBy: null });
  expect(again?.paymentIntents).toHaveLength(MOST_RECORDS);
  expect((await pastsOf(reference)).map((list) => list.length)).toEqual([0, MOST_RECORDS, 1]);
});

test('that more unknown payments are said to share the reference of a proven order changes nothing about it', async () => {
  const merchantReference = 'crowded';
  const paid = paidIntent('crowded-paid', 'crowded-deposit', { merchantReference });
  await save(database, [poll('payin', payin('crowded-deposit', 'crowded-paid'), 0), ...readings([paid])]);
  const said = { status: 'pending', merchantReference, createdAt: '2026-02-27T00:00:00.000Z' };
  const before = await changesOf(database.db, { kind: 'order', id: merchantReference });
  const reports = Array.from({ length: MOST_RECORDS + 1 }, (_, n) => report('payment_intent', `crowd-${n}`, said, 10));
  await save(database, reports);
  const safe = { status: 'paid', release: { safe: true, reason: 'proven' }, sharedBy: null };
  expect(await order(merchantReference)).toMatchObject(safe);
  expect(await changesOf(database.db, { kind: 'order', id: merchantReference })).toEqual(before);
});

test('what a payment costs does not grow with those that share its reference', async () => {
  const reference = 'donation';
  const at = (from: number) => save(database, readings(payments(from, from + 100, reference)));
  for (let from = 0; from < 300; from += 100) await at(from);
  const bytes = async () => {
    const row = await database
      .db('changes')
      .where({ entity_kind: 'order', entity_id: reference })
      .select(database.db.raw('sum(length(from_value) + length(to_value)) AS bytes'))
      .first();
    return Number(row?.['bytes']);
  };
  const before = await bytes();
  let rows = 0;
  const count = (_response: unknown, { response }: { response?: { rows?: unknown[] } }) => {
    rows += response?.rows?.length ?? 0;
  };
  database.db.on('query-response', count);
  const [one] = payments(300, 301, reference);
  await save(database, readings([one ?? {}]));
  database.db.off('query-response', count);
  expect(await bytes()).toBe(before);
  expect(rows).toBeGreaterThan(0);
  expect(rows).toBeLessThan(30);
});

test('a double payment that was found stays a break when more and more share its reference', async () => {
  const merchantReference = 'twice';
  const twice = [paidIntent('w1', 'pw1', { merchantReference }), paidIntent('w2', 'pw2', { merchantReference })];
  await save(database, readings(twice));
  const breaks = () =>
    database.db('breaks').where({ kind: 'duplicate_payment', entity_id: merchantReference }).pluck('status');
  expect(await breaks()).toEqual(['open']);
  await save(database, readings(payments(2, 250, merchantReference)));
  expect(await order(merchantReference)).toMatchObject({ status: 'shared_reference' });
  expect(await breaks()).toEqual(['open']);
});

test('payments without a reference share that of the invoice that they name', async () => {
  await save(database, [poll('invoice', invoice('inv-many', { merchantReference: 'by-invoice' }), 0)]);
  const unnamed = payments(0, MOST_RECORDS + 1, 'by-invoice', { invoiceId: 'inv-many' }).map((fields) => ({
    ...fields,
    merchantReference: null,
  }));
  await save(database, readings(unnamed.slice(1)));
  expect((await order('by-invoice'))?.paymentIntents).toHaveLength(MOST_RECORDS);
  await save(database, readings(unnamed.slice(0, 1)));
  expect(await order('by-invoice')).toMatchObject({ status: 'shared_reference', release: { safe: false } });
});

test('whether a reference is shared hangs on the records alone, not on the order in which they came', async () => {
  const other = await createTestDatabase();
  const third = await createTestDatabase();
  try {
    const all = readings([
      ...payments(0, 230, 'any'),
      ...payments(0, 230, 'less').map((fields, index) =>
        index % 2 ? { ...fields, merchantReference: 'any' } : fields,
      ),
    ]);
    const moved = readings(
      payments(0, 230, 'any').map((fields, index) => ({ ...fields, merchantReference: index % 4 ? 'less' : 'any' })),
      5,
    );
    for (const one of [all, moved]) await save(other, one);
    for (const one of [moved.toReversed().slice(0, 90), all.toReversed(), moved]) await save(third, one);
    const [first, second] = [await everything(other), await everything(third)];
    expect(second.orders).toEqual(first.orders);
    expect(first.orders.map(({ reference, status }) => [reference, status])).toEqual([
      ['any', 'awaiting_payment'],
      ['less', 'shared_reference'],
    ]);
  } finally {
    await other.drop();
    await third.drop();
  }
});
