import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { CursorError } from '../../src/records/database/paging.js';
import {
  getOrder,
  InvalidOrderError,
  listOrders,
  type OrderRegistration,
  registerOrder,
} from '../../src/records/orders/orders.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { intent, paidIntent, payin } from '../support/records.js';
import { context, save } from '../support/saved.js';

const database = useDatabase();

const register = (wanted: OrderRegistration) => database.db.transaction((trx) => registerOrder(trx, wanted));
const order = (reference: string) => getOrder(database.db, reference);

test('the store registers an order once; the same again is the same, another amount or currency a conflict', async () => {
  const wanted = { reference: 'r1', amount: '25.00', currency: 'EUR' };
  expect(await register(wanted)).toMatchObject({
    outcome: 'created',
    order: {
      reference: 'r1',
      status: 'awaiting_payment',
      expected: { amount: '25', currency: 'EUR' },
      paymentIntents: [],
    },
  });
  expect(await register({ ...wanted, amount: '25.0' })).toMatchObject({ outcome: 'unchanged' });
  expect(await register({ ...wanted, amount: '26' })).toMatchObject({
    outcome: 'conflict',
    expected: { amount: '25', currency: 'EUR' },
    existing: { reference: 'r1' },
  });
  expect(await register({ ...wanted, currency: 'USD' })).toMatchObject({ outcome: 'conflict' });
  expect(await order('r1')).toMatchObject({ expected: { amount: '25', currency: 'EUR' } });
  const changes = await database.db('changes').where({ entity_kind: 'order', entity_id: 'r1' }).pluck('source_type');
  expect(new Set(changes)).toEqual(new Set(['store']));
});

test('two payments that are together what the store then says it expects are no longer a duplicate', async () => {
  const together = { merchantReference: 'in-two' };
  const twice = [paidIntent('t1', 'pt1', together), paidIntent('t2', 'pt2', together)];
  const saved = await save(
    database,
    twice.map((fields) => poll('payment_intent', fields, 0)),
  );
  expect(saved.breaksOpened).toBe(1);
  await register({ reference: 'in-two', amount: '50', currency: 'EUR' });
  expect(await order('in-two')).toMatchObject({ status: 'paid' });
  const breaks = database.db('breaks').where({ entity_id: 'in-two' });
  expect(await breaks.select('kind', 'status')).toEqual([{ kind: 'duplicate_payment', status: 'auto_resolved' }]);
});

test('what the store expects decides, whether it registers before the payment or after', async () => {
  const records = (id: string) => [
    poll('payin', payin(`p-${id}`, id), 0),
    poll('payment_intent', paidIntent(id, `p-${id}`), 0),
  ];
  await register({ reference: 'order-before', amount: '30', currency: 'EUR' });
  await save(database, records('before'));
  await save(database, records('after'));
  expect(await order('order-after')).toMatchObject({ status: 'paid', release: { safe: true } });
  await register({ reference: 'order-after', amount: '30', currency: 'EUR' });
  for (const reference of ['order-before', 'order-after']) {
    expect(await order(reference)).toMatchObject({ status: 'underpaid', release: { safe: false } });
  }
});

test('five at once register one order: one creates it, nobody overwrites', async () => {
  const amounts = ['1', '2', '3', '4', '5'];
  const outcomes = await Promise.all(amounts.map((amount) => register({ reference: 'race', amount, currency: 'EUR' })));
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
    'conflict',
    'conflict',
    'conflict',
    'conflict',
    'created',
  ]);
  const created = outcomes.find(({ outcome }) => outcome === 'created');
  expect(await order('race')).toMatchObject({
    expected: created?.outcome === 'created' ? created.order.expected : null,
  });
});

test('what was registered in lower case, before that was refused, is the same in upper case', async () => {
  const wanted = { reference: 'lower', amount: '25', currency: 'EUR' };
  await register(wanted);
  await database.db('orders').where({ reference: 'lower' }).update({ expected_currency: 'eur' });
  expect(await register(wanted)).toMatchObject({ outcome: 'unchanged' });
});

test('a reference, amount or currency that no order can have is refused', async () => {
  await expect(register({ reference: '', amount: '1', currency: 'EUR' })).rejects.toThrow(InvalidOrderError);
  await expect(register({ reference: 'x'.repeat(1001), amount: '1', currency: 'EUR' })).rejects.toThrow(
    InvalidOrderError,
  );
  for (const amount of ['1e3', '0', '0.0', '-1'])
    await expect(register({ reference: 'y', amount, currency: 'EUR' })).rejects.toThrow(/^amount: takes/);
  for (const currency of ['eur', '', '  ', 'E\0R', '\ud800', 'A'.repeat(33)])
    await expect(register({ reference: 'y', amount: '1', currency })).rejects.toThrow(/^currency: takes/);
  expect(await order('y')).toBeNull();
});

test('orders are listed newest first, by key, whatever comes in meanwhile', async () => {
  const created = (index: number) => ({
    createdAt: `2026-02-0${1 + (index % 3)}T00:00:00.000Z`,
    merchantReference: `list-${index}`,
  });
  await save(
    database,
    Array.from({ length: 9 }, (_, index) => poll('payment_intent', intent(`l${index}`, created(index)), 0)),
  );
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listOrders(database.db, { take: 2, cursor });
    seen.push(...page.items.map((item) => item.reference));
    cursor = page.nextCursor ?? undefined;
    await save(database, [
      poll('payment_intent', intent(`later-${seen.length}`, { createdAt: '2026-03-01T00:00:00Z' }), 0),
    ]);
  } while (cursor !== undefined);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.filter((reference) => reference.startsWith('list-'))).toEqual(
    [8, 5, 2, 7, 4, 1, 6, 3, 0].map((index) => `list-${index}`),
  );
  expect((await listOrders(database.db, { status: 'underpaid' })).items).toHaveLength(2);
  await expect(listOrders(database.db, { cursor: 'junk' })).rejects.toThrow(CursorError);
});

/** Saves the first in a transaction that stays open until the second waits for it, or is done without waiting. */
async function interleaved(first: Parameters<typeof save>[1], second: Parameters<typeof save>[1]): Promise<void> {
  const open = await database.db.transaction();
  await saveObservations(open, first, context);
  let done = false;
  const other = save(database, second).finally(() => {
    done = true;
  });
  await vi.waitFor(async () => {
    const waiting = await database
      .db('pg_stat_activity')
      .where({ wait_event_type: 'Lock' })
      .whereRaw('datname = current_database()');
    if (!done && waiting.length === 0) throw new Error('neither waiting nor done');
  });
  await open.commit();
  await other;
}

test('a payment and its payin, saved by two at the same moment, still make one whole order', async () => {
  await interleaved([poll('payment_intent', paidIntent('m', 'pm'), 0)], [poll('payin', payin('pm', 'm'), 0)]);
  expect(await order('order-m')).toMatchObject({ status: 'paid', release: { safe: true } });
  await interleaved([poll('payin', payin('pn', 'n'), 0)], [poll('payment_intent', paidIntent('n', 'pn'), 0)]);
  expect(await order('order-n')).toMatchObject({ status: 'paid', release: { safe: true } });
});

test('a payin that does not name its payment counts by the list of the payment', async () => {
  await save(database, [poll('payment_intent', paidIntent('o', 'po'), 0)]);
  await save(database, [poll('payin', payin('po', '', { paymentIntentId: null }), 1)]);
  expect(await order('order-o')).toMatchObject({ status: 'paid', release: { safe: true } });
});

test('a payin in doubt holds the goods back after they were safe', async () => {
  await save(database, [poll('payment_intent', paidIntent('q', 'pq'), 0), poll('payin', payin('pq', 'q'), 0)]);
  expect(await order('order-q')).toMatchObject({ release: { safe: true } });
  await save(database, [poll('payin', payin('pq', 'q', { kytStatus: 'rejected' }), 5)]);
  expect(await order('order-q')).toMatchObject({ release: { safe: false, reason: 'kyt_rejected', provenAt: null } });
});

test('two payments that were created before adoption are a duplicate where one of them was paid since, and history where none was', async () => {
  const twice = async (reference: string, paidAt: string): Promise<number> => {
    const payins = [{ id: `p-${reference}`, status: 'confirmed', createdAt: paidAt }];
    const old = { merchantReference: reference, createdAt: '2025-12-31T23:50:00Z' };
    const saved = await save(database, [
      poll('payment_intent', paidIntent(`a-${reference}`, 'first', old), 0),
      poll('payment_intent', paidIntent(`b-${reference}`, 'second', { ...old, payins }), 0),
    ]);
    return saved.breaksOpened;
  };
  expect(await twice('long-over', '2025-12-31T23:55:00Z')).toBe(0);
  expect(await twice('paid-since', '2026-01-01T00:10:00Z')).toBe(1);
});

test('a double payment that a person decided is no new case for another try at paying, and an open one outlasts a dispute', async () => {
  const own = { merchantReference: 'again' };
  const paid = (id: string, fields: JsonObject, second: number) =>
    poll('payment_intent', paidIntent(id, `p-${id}`, { ...own, ...fields }), second);
  const breaks = () => database.db('breaks').where({ entity_id: 'again' }).orderBy('id').pluck('status');
  await save(database, [paid('g1', {}, 0), paid('g2', {}, 0)]);
  await save(database, [paid('g2', { irregularStatus: 'pending_decision' }, 10)]);
  expect(await order('again')).toMatchObject({ status: 'disputed' });
  expect(await breaks()).toEqual(['open']);
  await save(database, [paid('g2', {}, 20)]);
  await database.db('breaks').where({ entity_id: 'again' }).update({ status: 'written_off' });
  await save(database, [poll('payment_intent', intent('g3', { ...own, status: 'pending' }), 30)]);
  expect(await breaks()).toEqual(['written_off']);
  await save(database, [paid('g3', {}, 40)]);
  expect(await breaks()).toEqual(['written_off', 'open']);
});
