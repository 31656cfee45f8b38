import { describe, expect, test } from 'vitest';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { getRecord } from '../../src/records/rows.js';
import { useDatabase } from '../support/database.js';
import { absence, delivered, mention, poll, report } from '../support/observations.js';
import { intent, paidIntent, payin } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

const show = (id: string) => getRecord(database.db, 'payment_intent', id);
const order = (reference: string) => getOrder(database.db, reference);

async function openBreaksOf(id: string): Promise<string[]> {
  const { items } = await listBreaks(database.db, { status: 'open', entityId: id });
  return items.map(({ kind, severity }) => `${kind} ${severity}`);
}

async function marksOf(id: string): Promise<string[]> {
  return database.db('reading_marks').where({ id }).pluck('reason');
}

describe('webhooks claim, polls decide', () => {
  test('a claim is shown at once beside what was read, and asks for a reading; the reading settles it', async () => {
    await save(database, [poll('payment_intent', intent('a'), 0)]);
    await save(database, [report('payment_intent', 'a', { status: 'completed' }, 10, '77')]);
    expect(await show('a')).toMatchObject({
      status: 'pending',
      verified: true,
      verifiedAt: '2026-03-01T00:00:00.000Z',
      reported: { status: 'completed' },
      doubted: true,
      observedBy: { type: 'poll', ref: 'run-1' },
    });
    expect(await order('order-a')).toMatchObject({
      status: 'paid_unverified',
      release: { safe: false, reason: 'not_verified' },
    });
    expect(await marksOf('a')).toEqual(['claimed']);

    await save(database, [poll('payment_intent', paidIntent('a', 'pa'), 20, 'run-2')]);
    expect(await show('a')).toMatchObject({
      status: 'completed',
      verified: true,
      reported: null,
      verifiedAt: '2026-03-01T00:00:20.000Z',
      observedBy: { type: 'poll', ref: 'run-2' },
      amountRequested: '25',
    });
    expect(await marksOf('a')).toEqual([]);
  });

  test('a claim that a later reading contradicts yields', async () => {
    await save(database, [report('payment_intent', 'b', intent('b', { status: 'completed' }), 0)]);
    const said = await show('b');
    expect(said).toMatchObject({ verified: false, verifiedAt: null, observedBy: { type: 'webhook' } });
    expect(said).toMatchObject({ reported: { status: 'completed', merchantReference: 'order-b' } });
    expect(said).not.toHaveProperty('status');
    expect(await order('order-b')).toMatchObject({ status: 'paid_unverified', paymentIntents: [] });
    await save(database, [poll('payment_intent', intent('b'), 10)]);
    expect(await show('b')).toMatchObject({ status: 'pending', verified: true, reported: null });
    expect(await order('order-b')).toMatchObject({ status: 'awaiting_payment' });
  });

  test('a reading of the same content moves the time alone, and only forward', async () => {
    const first = await save(database, [poll('payment_intent', intent('c'), 0)]);
    expect(first).toMatchObject({ changed: 1 });
    const again = await save(database, [poll('payment_intent', intent('c'), 50, 'run-5')]);
    expect(again).toEqual({ changed: 0, breaksOpened: 0 });
    await save(database, [poll('payment_intent', intent('c'), 30, 'run-3')]);
    expect(await show('c')).toMatchObject({
      verifiedAt: '2026-03-01T00:00:50.000Z',
      observedAt: '2026-03-01T00:00:50.000Z',
      observedBy: { type: 'poll', ref: 'run-5' },
    });
    const changes = await database.db('changes').where({ entity_id: 'c' });
    expect(changes.map((change) => change.field)).toEqual(['*']);
    await save(database, [poll('payment_intent', intent('c', { status: 'expired' }), 40, 'run-4')]);
    expect(await show('c')).toMatchObject({ status: 'pending' });
  });

  test('metadata that only an event reported outlives polls without it, beside them; they are no change', async () => {
    await save(database, [report('payment_intent', 'd', { ...intent('d'), metadata: { cart: '9' } }, 0)]);
    await save(database, [poll('payment_intent', intent('d'), 10)]);
    const again = await save(database, [poll('payment_intent', intent('d'), 20)]);
    expect(again.changed).toBe(0);
    await save(database, [poll('payment_intent', intent('d', { status: 'confirming' }), 30)]);
    const shown = await show('d');
    expect(shown).toMatchObject({ status: 'confirming', verified: true, reported: { metadata: { cart: '9' } } });
    expect(shown).not.toHaveProperty('metadata');
  });

  test('metadata that the delivery history shows outlives them as the record’s own', async () => {
    await save(database, [delivered('payment_intent', 'd2', { ...intent('d2'), metadata: { cart: '9' } }, 0)]);
    await save(database, [poll('payment_intent', intent('d2', { status: 'confirming' }), 30)]);
    const shown = { metadata: { cart: '9' }, status: 'confirming', verified: true, reported: null };
    expect(await show('d2')).toMatchObject(shown);
  });

  test('a mention asks for a reading, and an older reading does not settle it', async () => {
    await save(database, [poll('payment_intent', intent('e'), 0)]);
    await save(database, [mention('payment_intent', 'e', 20)]);
    await save(database, [poll('payment_intent', intent('e'), 10)]);
    expect(await marksOf('e')).toEqual(['claimed']);
    await save(database, [poll('payment_intent', intent('e'), 30)]);
    expect(await marksOf('e')).toEqual([]);
  });

  test('strings that Postgres can not hold and numbers of any length come back as they were', async () => {
    const odd = 'nul \0 and lone \ud800 and \uffff';
    const fields = intent(`f${odd}`, { merchantReference: odd, paymentResult: { note: odd } });
    await save(database, [poll('payment_intent', fields, 0)]);
    expect(await show(`f${odd}`)).toMatchObject({
      id: `f${odd}`,
      merchantReference: odd,
      paymentResult: { note: odd },
    });
    expect(await order(odd)).toMatchObject({ reference: odd, paymentIntents: [`f${odd}`] });
  });
});

describe('orders', () => {
  test('goods go out once the payment and its payins are read, and not a moment earlier', async () => {
    await save(database, [poll('payment_intent', paidIntent('g', 'pg'), 0)]);
    expect(await order('order-g')).toMatchObject({ status: 'paid', release: { safe: false, reason: 'payins_unread' } });
    expect(await marksOf('pg')).toEqual(['payin_of_intent']);
    await save(database, [poll('payin', payin('pg', 'g', { kytStatus: 'pending' }), 5)]);
    expect(await order('order-g')).toMatchObject({ release: { safe: false, reason: 'kyt_pending' } });
    expect(await marksOf('pg')).toEqual(['not_final']);
    await save(database, [poll('payin', payin('pg', 'g'), 9)]);
    // As old as the oldest of the readings: the payment's.
    expect(await order('order-g')).toMatchObject({
      status: 'paid',
      release: { safe: true, reason: 'proven', provenAt: '2026-03-01T00:00:00.000Z' },
      paymentIntents: ['g'],
    });
    // What has passed is read again until it ships.
    expect(await marksOf('pg')).toEqual(['recheck']);
  });

  test('a payin that is read before its payment is known counts once the payment is', async () => {
    await save(database, [poll('payin', payin('ph', 'h'), 0)]);
    await save(database, [poll('payment_intent', paidIntent('h', 'ph'), 5)]);
    expect(await order('order-h')).toMatchObject({ status: 'paid', release: { safe: true } });
    expect(await marksOf('ph')).toEqual([]);
  });

  test('two completed payments of one order are a critical break until one of them is no more', async () => {
    const twice = { merchantReference: 'order-twice' };
    await save(database, [poll('payment_intent', paidIntent('i1', 'pi1', twice), 0)]);
    expect(await openBreaksOf('order-twice')).toEqual([]);
    const saved = await save(database, [poll('payment_intent', paidIntent('i2', 'pi2', twice), 1)]);
    expect(saved.breaksOpened).toBe(1);
    expect(await order('order-twice')).toMatchObject({ status: 'paid_twice', paymentIntents: ['i1', 'i2'] });
    expect(await openBreaksOf('order-twice')).toEqual(['duplicate_payment critical']);
    const refunded = { ...twice, irregularStatus: 'refunded', amountInRange: '0', amountRejected: '26.1' };
    await save(database, [poll('payment_intent', paidIntent('i2', 'pi2', refunded), 2)]);
    expect(await openBreaksOf('order-twice')).toEqual([]);
  });

  test('a reference that changes moves the payment to the other order', async () => {
    await save(database, [poll('payment_intent', intent('j', { merchantReference: 'old' }), 0)]);
    await save(database, [poll('payment_intent', intent('j', { merchantReference: 'new' }), 1)]);
    expect(await order('old')).toMatchObject({ paymentIntents: [] });
    expect(await order('new')).toMatchObject({ paymentIntents: ['j'] });
  });
});

describe('records that the service does not list', () => {
  test('a claimed record that is not there is a critical break, nothing is paid on it, and a later reading clears it', async () => {
    await save(database, [report('payment_intent', 'k', paidIntent('k', 'pk'), 0)]);
    expect(await order('order-k')).toMatchObject({ status: 'paid_unverified', release: { reason: 'not_verified' } });
    const saved = await save(database, [absence('payment_intent', 'k', 10)]);
    expect(saved.breaksOpened).toBe(1);
    expect(await openBreaksOf('k')).toEqual(['record_not_at_service critical']);
    expect(await show('k')).toMatchObject({ absentSince: '2026-03-01T00:00:10.000Z', verified: false });
    expect(await order('order-k')).toMatchObject({
      status: 'awaiting_payment',
      paymentIntents: [],
      release: { safe: false, reason: 'awaiting_payment' },
    });
    expect(await marksOf('k')).toEqual([]);
    await save(database, [absence('payment_intent', 'k', 20)]);
    expect(await show('k')).toMatchObject({ absentSince: '2026-03-01T00:00:10.000Z' });
    await save(database, [poll('payment_intent', paidIntent('k', 'pk'), 30)]);
    expect(await openBreaksOf('k')).toEqual([]);
    expect(await show('k')).toMatchObject({ absentSince: null, verified: true });
  });

  test('a listed record that vanishes is one too', async () => {
    await save(database, [poll('payment_intent', intent('l'), 0)]);
    await save(database, [absence('payment_intent', 'l', 10)]);
    expect(await openBreaksOf('l')).toEqual(['record_not_at_service critical']);
    expect(await show('l')).toMatchObject({ status: 'pending', merchantReference: 'order-l' });
    expect(await order('order-l')).toMatchObject({ release: { safe: false, reason: 'record_not_at_service' } });
  });

  test('one that vanishes is one at once, whatever an event of a later time says', async () => {
    await save(database, [poll('payment_intent', intent('l2'), 0)]);
    await save(database, [report('payment_intent', 'l2', intent('l2', { status: 'confirming' }), 30)]);
    await save(database, [absence('payment_intent', 'l2', 10)]);
    expect(await openBreaksOf('l2')).toEqual(['record_not_at_service critical']);
  });

  test('history is not, unless an event spoke of it since adoption', async () => {
    const old = { createdAt: '2025-06-01T00:00:00Z' };
    await save(database, [poll('payment_intent', intent('m', old), 0)]);
    await save(database, [absence('payment_intent', 'm', 10)]);
    expect(await openBreaksOf('m')).toEqual([]);
    await save(database, [report('payment_intent', 'n', intent('n', old), 0)]);
    await save(database, [absence('payment_intent', 'n', 10)]);
    expect(await openBreaksOf('n')).toEqual(['record_not_at_service critical']);
  });

  test('an id that was only mentioned is no break', async () => {
    await save(database, [mention('payment_intent', 'o', 0)]);
    await save(database, [absence('payment_intent', 'o', 10)]);
    expect(await openBreaksOf('o')).toEqual([]);
    expect(await marksOf('o')).toEqual([]);
  });
});
