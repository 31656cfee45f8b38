import { describe, expect, test } from 'vitest';
import type { Observation } from '../../src/domain/observation.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { getRecord } from '../../src/records/rows.js';
import { useDatabase } from '../support/database.js';
import { absence, ownCall, poll, readPaid, report } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

const order = (reference: string) => getOrder(database.db, reference);
const marks = async (kind: string, id: string) =>
  database.db('reading_marks').where({ kind, id }).pluck<string[]>('reason');
const saveEach = async (observations: Observation[]) => {
  for (const observation of observations) await save(database, [observation]);
};

/** Every order in which the same can be saved, one by one, ends in the same order. */
async function inEachOrder(name: string, make: (prefix: string) => Observation[]): Promise<object[]> {
  const ends: object[] = [];
  const count = make('').length;
  for (let turn = 0; turn < count * 2; turn++) {
    const prefix = `${name}${turn}-`;
    const seen = make(prefix);
    const turned = [...seen.slice(turn % count), ...seen.slice(0, turn % count)];
    await saveEach(turn < count ? turned : turned.reverse());
    const end = await order(`${prefix}o`);
    const text = JSON.stringify({ ...end, similarReferences: [], seq: '', createdAt: '', updatedAt: '' });
    ends.push(JSON.parse(text.replaceAll(prefix, '')) as object);
  }
  return ends;
}

describe('an invoice belongs to an order', () => {
  test('by its own reference, before there is any payment', async () => {
    await save(database, [poll('invoice', invoice('i1', { merchantReference: 'by-reference' }), 0)]);
    expect(await order('by-reference')).toMatchObject({
      status: 'awaiting_payment',
      invoices: ['i1'],
      paymentIntents: [],
    });
    await save(database, [
      poll('invoice', invoice('i1', { merchantReference: 'by-reference', status: 'cancelled' }), 9),
    ]);
    expect(await order('by-reference')).toMatchObject({ status: 'cancelled' });
  });

  test('as our own request said, though the list does not show the reference', async () => {
    await save(database, [
      ownCall('invoice', 'i2', invoice('i2', { merchantReference: 'requested' }), 0, 'createInvoice'),
    ]);
    await save(database, [poll('invoice', invoice('i2'), 9)]);
    expect(await order('requested')).toMatchObject({ status: 'awaiting_payment', invoices: ['i2'] });
    expect(await database.db('invoices').where({ id: 'i2' }).first()).toMatchObject({
      merchant_reference: 'requested',
      verified: true,
    });
  });

  test('not as an event reports it, before the invoice is read or after', async () => {
    const event = report('invoice', 'i2e', invoice('i2e', { merchantReference: 'reported-by-event' }), 0);
    const stand = async () => ({
      invoices: (await order('reported-by-event'))?.invoices ?? [],
      reference: (await database.db('invoices').where({ id: 'i2e' }).first()).merchant_reference,
      reported: (await getRecord(database.db, 'invoice', 'i2e'))?.reported,
    });
    const reported = { merchantReference: 'reported-by-event' };
    await save(database, [event]);
    expect(await stand()).toMatchObject({ invoices: [], reference: null, reported });
    await save(database, [poll('invoice', invoice('i2e'), 9)]);
    expect(await stand()).toEqual({ invoices: [], reference: null, reported });
  });

  test('through the payment that names it or that it names; the payment through the invoice, if it has no reference', async () => {
    const links = { none: {}, intent: { invoiceId: 'inv' }, invoice: { paymentIntentId: 'pi' }, both: {} };
    for (const by of Object.keys(links)) {
      const named = (field: string, id: string) => (by === 'both' || by === field ? id : null);
      const ends = await inEachOrder(`${by}-`, (prefix) => [
        poll(
          'invoice',
          invoice(`${prefix}inv`, {
            status: 'paid',
            merchantReference: `${prefix}o`,
            paymentIntentId: named('invoice', `${prefix}pi`),
          }),
          0,
        ),
        poll(
          'payment_intent',
          paidIntent(`${prefix}pi`, `${prefix}in`, {
            merchantReference: null,
            invoiceId: named('intent', `${prefix}inv`),
          }),
          1,
        ),
        poll('payin', payin(`${prefix}in`, `${prefix}pi`), 2),
      ]);
      const isLinked = by !== 'none';
      expect(new Set(ends.map((end) => JSON.stringify(end))).size, by).toBe(1);
      expect(ends[0], by).toMatchObject({
        status: isLinked ? 'paid' : 'paid_unverified',
        paymentIntents: isLinked ? ['pi'] : [],
        invoices: ['inv'],
        release: { safe: isLinked },
      });
    }
  });

  test('a payment with a reference of its own stays with its order, and the invoice is shown in both', async () => {
    const paidBy = { status: 'paid', paymentIntentId: 'pi-own', merchantReference: 'of-invoice' };
    await save(database, [
      poll('invoice', invoice('i3', paidBy), 0),
      poll('payment_intent', paidIntent('pi-own', 'in-own', { merchantReference: 'of-intent' }), 0),
    ]);
    expect(await order('of-intent')).toMatchObject({ paymentIntents: ['pi-own'], invoices: ['i3'] });
    expect(await order('of-invoice')).toMatchObject({
      paymentIntents: [],
      invoices: ['i3'],
      status: 'paid_unverified',
    });
  });

  test('no longer, when its reference changes', async () => {
    await save(database, [poll('invoice', invoice('i4', { merchantReference: 'first' }), 0)]);
    await save(database, [poll('invoice', invoice('i4', { merchantReference: 'second' }), 9)]);
    expect(await order('first')).toMatchObject({ invoices: [] });
    expect(await order('second')).toMatchObject({ invoices: ['i4'] });
  });

  test('and so does the payment that was found through it', async () => {
    const bill = (merchantReference: string, second: number) =>
      poll('invoice', invoice('i5', { merchantReference }), second);
    await save(database, [
      bill('old', 0),
      poll('payment_intent', intent('pi5', { merchantReference: null, invoiceId: 'i5' }), 0),
    ]);
    expect(await order('old')).toMatchObject({ paymentIntents: ['pi5'] });
    await save(database, [bill('new', 9)]);
    expect(await order('old')).toMatchObject({ paymentIntents: [] });
    expect(await order('new')).toMatchObject({ paymentIntents: ['pi5'] });
    await save(database, [
      poll('payment_intent', intent('pi5', { merchantReference: 'its-own', invoiceId: 'i5' }), 20),
    ]);
    expect(await order('new')).toMatchObject({ paymentIntents: [], invoices: ['i5'] });
    expect(await order('its-own')).toMatchObject({ paymentIntents: ['pi5'], invoices: ['i5'] });
  });
});

describe('a refund', () => {
  test('in whatever order payment, payin and payout are saved', async () => {
    for (const [payoutNames, status, end, reason] of [
      [true, 'confirmed', 'refunded', 'refunded'],
      [true, 'pending', 'paid', 'refund_in_progress'],
      [false, 'confirmed', 'refunded', 'refunded'],
    ] as const) {
      const ends = await inEachOrder(`refund-${payoutNames}-${status}-`, (prefix) => [
        poll(
          'payment_intent',
          paidIntent(`${prefix}pi`, `${prefix}in`, {
            merchantReference: `${prefix}o`,
            irregularRefundPayoutId: payoutNames ? null : `${prefix}po`,
          }),
          0,
        ),
        poll('payin', payin(`${prefix}in`, `${prefix}pi`), 1),
        poll('payout', payout(`${prefix}po`, { status, paymentIntentId: payoutNames ? `${prefix}pi` : null }), 2),
      ]);
      expect(new Set(ends.map((one) => JSON.stringify(one))).size).toBe(1);
      expect(ends[0]).toMatchObject({ status: end, refunds: ['po'], release: { safe: false, reason } });
    }
  });

  test('of a part, as our own request said', async () => {
    await save(database, [poll('payment_intent', paidIntent('pi7', 'in7', { merchantReference: 'part' }), 0)]);
    await save(database, [
      ownCall('payout', 'po7', payout('po7', { amount: '1', paymentIntentId: 'pi7' }), 1, 'createRefund'),
    ]);
    await save(database, [poll('payout', payout('po7', { amount: '1', status: 'confirmed' }), 9)]);
    expect(await order('part')).toMatchObject({ status: 'partially_refunded', refunds: ['po7'] });
  });

  test('that only an event reported holds the order until the service denies it, and takes nothing from it', async () => {
    await save(database, readPaid('pi8', { merchantReference: 'ghost' }, 0));
    await save(database, [
      report('payout', 'po8', { id: 'po8', status: 'confirmed', amount: '25.839', paymentIntentId: 'pi8' }, 1),
    ]);
    expect(await order('ghost')).toMatchObject({
      status: 'paid',
      refunds: [],
      release: { safe: false, reason: 'refund_reported' },
    });
    await save(database, [absence('payout', 'po8', 9)]);
    expect(await order('ghost')).toMatchObject({
      status: 'paid',
      refunds: [],
      release: { safe: true, reason: 'proven' },
    });
    const breaks = await database.db('breaks').where({ entity_kind: 'payout', entity_id: 'po8' }).pluck('kind');
    expect(breaks).toEqual(['record_not_at_service']);
  });

  test('a payout or an invoice that nothing links touches no order', async () => {
    const before = await order('ghost');
    await save(database, [
      poll('payout', payout('alone', { merchantReference: 'ghost', payoutType: 'withdrawal' }), 0),
      poll('invoice', invoice('alone'), 0),
    ]);
    expect(before).toMatchObject({ refunds: [] });
    expect(await order('ghost')).toEqual(before);
  });
});

describe('what is to be read', () => {
  test('records that are named and not known', async () => {
    await save(database, [
      poll('payment_intent', intent('pi10', { invoiceId: 'i10', irregularRefundPayoutId: 'po10' }), 0),
    ]);
    expect(await marks('invoice', 'i10')).toEqual(['invoice_of_intent']);
    expect(await marks('payout', 'po10')).toEqual(['refund_of_intent']);
    await save(database, [poll('invoice', invoice('i11', { status: 'paid', paymentIntentId: 'pi11' }), 0)]);
    expect(await marks('payment_intent', 'pi11')).toEqual(['intent_of_invoice']);
    await save(database, [poll('payout', payout('po12', { paymentIntentId: 'pi12' }), 0)]);
    expect(await marks('payment_intent', 'pi12')).toEqual(['intent_of_payout']);
  });

  test('the invoice of a payment that completed, and the payment of an invoice that was paid, where the other lags behind', async () => {
    await save(database, [poll('invoice', invoice('i13'), 0)]);
    await save(database, [poll('payment_intent', paidIntent('pi13', 'in13', { invoiceId: 'i13' }), 1)]);
    expect(await marks('invoice', 'i13')).toEqual(['intent_completed']);
    await save(database, [poll('invoice', invoice('i13', { status: 'paid', paymentIntentId: 'pi13' }), 9)]);
    expect(await marks('invoice', 'i13')).toEqual([]);
    await save(database, [poll('payment_intent', intent('pi14'), 0)]);
    await save(database, [poll('invoice', invoice('i14', { status: 'paid', paymentIntentId: 'pi14' }), 9)]);
    expect(await marks('payment_intent', 'pi14')).toEqual(['invoice_paid']);
  });

  test('nothing of what history names', async () => {
    const old = { createdAt: '2025-01-01T00:00:00Z' };
    await save(database, [
      poll('invoice', invoice('old-i', { ...old, status: 'paid', paymentIntentId: 'old-pi' }), 0),
      poll('payment_intent', intent('old-pi2', { ...old, invoiceId: 'old-i2' }), 0),
    ]);
    expect(await database.db('reading_marks').where('id', 'like', 'old-%')).toEqual([]);
  });
});

test('references that differ in upper and lower case alone are orders of their own, each pointing at the others', async () => {
  const both = ['Case-É1', 'case-É1', 'CASE-É1'].map((merchantReference, index) =>
    poll('payment_intent', intent(`case${index}`, { merchantReference }), 0),
  );
  await save(database, both);
  expect(await order('case-É1')).toMatchObject({
    paymentIntents: ['case1'],
    similarReferences: ['CASE-É1', 'Case-É1'],
  });
  expect(await order('CASE-É1')).toMatchObject({
    paymentIntents: ['case2'],
    similarReferences: ['Case-É1', 'case-É1'],
  });
  expect(await order('case-é2')).toBeNull();
});

test('a refund with the reference of an order is of the payment that names it, for as long as it does', async () => {
  const naming = (payout: string | null, second: number) =>
    poll('payment_intent', paidIntent('other', 'dep-o', { irregularRefundPayoutId: payout }), second);
  await saveEach([
    ...readPaid('named', {}, 1),
    naming('carries', 2),
    poll('payout', payout('carries', { merchantReference: 'order-named' }), 2),
  ]);
  expect(await order('order-named')).toMatchObject({ refunds: [], release: { safe: true } });
  await save(database, [naming(null, 3)]);
  expect(await order('order-named')).toMatchObject({ refunds: ['carries'], release: { safe: false } });
  await save(database, [naming('carries', 4)]);
  expect(await order('order-named')).toMatchObject({ refunds: [], release: { safe: true } });
});
