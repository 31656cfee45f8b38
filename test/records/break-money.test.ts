import { expect, test } from 'vitest';
import { moneyOfBreaks, unclosedBreaks } from '../../src/records/breaks/break-money.js';
import { type NewBreak, openBreaks } from '../../src/records/breaks/breaks.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { intent, invoice, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

test('the money of a payment that two breaks are about is counted once; of none there is no sum', async () => {
  const { db } = database;
  await save(database, [
    poll('payment_intent', intent('pi_1', { status: 'completed', amountRequested: '12.5' }), 1),
    poll('payin', { id: 'pay_1', status: 'confirmed', paymentIntentId: 'pi_1' }, 1),
    poll('payin', { id: 'pay_2', status: 'confirmed', paymentIntentId: 'pi_1' }, 1),
  ]);
  const held = (id: string) => ({
    kind: 'kyt_hold' as const,
    entity: { kind: 'payin' as const, id },
    evidence: {},
  });
  await openBreaks(db, [held('pay_1'), held('pay_2'), held('pay_unknown')]);
  const ids = await db('breaks').where({ kind: 'kyt_hold' }).pluck('id');
  expect(await moneyOfBreaks(db, ids)).toEqual([
    { currency: 'EUR', breaks: 2, amount: '12.5', worth: null },
    { currency: null, breaks: 1, amount: null, worth: null },
  ]);
  expect(await moneyOfBreaks(db, [])).toEqual([]);
  // On the overview, too: two breaks, and one money.
  expect(await unclosedBreaks(db, new Date())).toMatchObject([
    { kind: 'kyt_hold', count: 3, money: [{ amount: '12.5', currency: 'EUR' }], worth: 12.5 },
  ]);
});

test('an order, its invoice, its payment and a payin are one money, in the line of the worst; its refund is another', async () => {
  const { db } = database;
  await db('breaks').update({ status: 'resolved', resolved_at: new Date() });
  await save(database, [
    poll('invoice', invoice('inv_1', { amount: '25', currency: 'EUR', merchantReference: 'order-once' }), 1),
    poll(
      'payment_intent',
      intent('pi_a', { amountRequested: '25', merchantReference: 'order-once', invoiceId: 'inv_1' }),
      1,
    ),
    poll('payin', payin('pay_a', 'pi_a'), 1),
    poll('payout', payout('po_a', { paymentIntentId: 'pi_a', amount: '0.5', assetCode: 'USDT' }), 1),
  ]);
  const about = (kind: NewBreak['kind'], entity: NewBreak['entity'], severity: NewBreak['severity']) => ({
    kind,
    entity,
    evidence: {},
    ...(severity === undefined ? {} : { severity }),
  });
  await openBreaks(db, [
    about('kyt_hold', { kind: 'payin', id: 'pay_a' }, 'medium'),
    about('order_underpaid', { kind: 'order', id: 'order-once' }, 'high'),
    about('intent_completed_invoice_unpaid', { kind: 'invoice', id: 'inv_1' }, 'high'),
    about('payout_stuck', { kind: 'payout', id: 'po_a' }, 'high'),
  ]);
  const lines = await unclosedBreaks(db, new Date());
  expect(Object.fromEntries(lines.map(({ kind, money, countedWith }) => [kind, [money, countedWith]]))).toEqual({
    intent_completed_invoice_unpaid: [[{ amount: '25', currency: 'EUR' }], []],
    order_underpaid: [[], ['intent_completed_invoice_unpaid']],
    kyt_hold: [[], ['intent_completed_invoice_unpaid']],
    payout_stuck: [[{ amount: '0.5', currency: 'USDT' }], []],
  });
});

test('an order that is underpaid risks what is owed of it, not all of it', async () => {
  const { db } = database;
  await db('breaks').update({ status: 'resolved', resolved_at: new Date() });
  const paid = {
    status: 'unmatched',
    amountRequested: '1000',
    merchantReference: 'order-owed',
    totalAmountReceived: '990',
  };
  await save(database, [poll('payment_intent', intent('pi_owed', paid), 1)]);
  await openBreaks(db, [{ kind: 'order_underpaid', entity: { kind: 'order', id: 'order-owed' }, evidence: {} }]);
  const risked = async () => (await unclosedBreaks(db, new Date())).map(({ money }) => money);
  await db('orders')
    .where({ reference: 'order-owed' })
    .update({ status: 'underpaid', difference_amount: '10', difference_currency: 'EUR' });
  expect(await risked()).toEqual([[{ amount: '10', currency: 'EUR' }]]);
  await db('orders').where({ reference: 'order-owed' }).update({ difference_amount: null, difference_currency: null });
  expect(await risked()).toEqual([[{ amount: '1000', currency: 'EUR' }]]);
});
