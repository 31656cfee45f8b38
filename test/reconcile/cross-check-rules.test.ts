import { LosslessNumber } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { poll } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { HOUR, MINUTE, useCheckedShop } from './checked-shop.js';

const shop = useCheckedShop();
const { database } = shop;

describe('orders against what the store registered', () => {
  test('too little, once nothing more can come; a payment that still confirms is awaited', async () => {
    await shop.register('order-u1', '50.00');
    await save(database, [
      poll('payment_intent', paidIntent('u1', 'pu1'), 10),
      poll('payment_intent', intent('u1b', { merchantReference: 'order-u1', status: 'confirming' }), 10),
    ]);
    await shop.check();
    expect(await shop.breaksOf('order-u1')).toEqual([]);
    await save(database, [
      poll('payment_intent', intent('u1b', { merchantReference: 'order-u1', status: 'expired' }), 20),
    ]);
    await shop.check();
    expect(await shop.breaksOf('order-u1')).toEqual(['order_underpaid']);
    expect(await shop.breakOf('order-u1', 'order_underpaid')).toMatchObject({
      severity: 'high',
      evidence: {
        'paymentIntent u1': {
          ours: { amount: '50', currency: 'EUR' },
          theirs: { status: 'completed', amountRequested: '25.00', currencyRequested: 'EUR' },
          source: { kind: 'payment_intent', id: 'u1', verified: true, type: 'poll' },
        },
      },
    });
    await save(database, [
      poll('payment_intent', paidIntent('u1c', 'pu1c', { merchantReference: 'order-u1' }), 30),
      poll('payin', payin('pu1', 'u1'), 30),
      poll('payin', payin('pu1c', 'u1c'), 30),
    ]);
    await shop.check();
    expect(await shop.breaksOf('order-u1')).toEqual([]);
    expect(await shop.breaksOf('order-u1', 'auto_resolved')).toEqual(['order_underpaid']);
  });

  test('too much; a payment that asks for more, or for other money, than the store expects', async () => {
    await shop.register('order-o1', '20.00');
    await shop.register('order-o2', '20.00');
    await shop.register('order-o3', '25.00', 'USD');
    await save(database, [
      poll('payment_intent', paidIntent('o1', 'po1'), 10),
      poll('payment_intent', intent('o2'), 10),
      poll('payment_intent', intent('o3'), 10),
    ]);
    await shop.check();
    expect(await shop.breaksOf('order-o1')).toEqual(['order_overpaid']);
    expect(await shop.breaksOf('order-o2')).toEqual(['order_amount_mismatch']);
    expect((await shop.breakOf('order-o2', 'order_amount_mismatch'))?.evidence).toMatchObject({
      reason: 'more_requested',
    });
    expect((await shop.breakOf('order-o3', 'order_amount_mismatch'))?.evidence).toMatchObject({
      reason: 'other_currency',
    });
    await save(database, [poll('payment_intent', intent('o2', { status: 'expired' }), 20)]);
    await shop.check();
    expect(await shop.breaksOf('order-o2')).toEqual([]);
  });

  test('a registered reference that too many payments share, whatever they ask for', async () => {
    await shop.register('order-many', '25.00');
    const many = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) =>
        poll('payment_intent', intent(`many-${from + index}`, { merchantReference: 'order-many' }), 10),
      );
    await save(database, many(0, 200));
    await shop.check();
    expect(await shop.breaksOf('order-many')).toEqual([]);
    await save(database, many(200, 201));
    await shop.check();
    expect((await shop.breakOf('order-many', 'order_amount_mismatch'))?.evidence).toMatchObject({
      reason: 'shared_reference',
    });
  });
});

describe('invoices', () => {
  test('paid without a payment that was collected, after a grace; the payment resolves it', async () => {
    const paid = { status: 'paid', paymentIntentId: 'v1p', merchantReference: null };
    await save(database, [poll('invoice', invoice('v1', paid), HOUR)]);
    await shop.check();
    await shop.later(20 * MINUTE);
    expect(await shop.breaksOf('v1')).toEqual([]);
    await shop.later(15 * MINUTE);
    expect(await shop.breaksOf('v1')).toEqual(['invoice_paid_without_intent']);
    await save(database, [
      poll('payment_intent', paidIntent('v1p', 'pv1', { invoiceId: 'v1', merchantReference: null }), HOUR + 10),
    ]);
    await shop.check();
    expect(await shop.breaksOf('v1')).toEqual([]);
  });

  test('of two payments of one invoice the paid one counts, whichever changed last', async () => {
    await save(database, [
      poll('invoice', invoice('v2', { status: 'paid', paymentIntentId: 'v2a' }), 10),
      poll('payment_intent', paidIntent('v2a', 'pv2', { invoiceId: 'v2' }), 10),
      poll('payment_intent', intent('v2b', { invoiceId: 'v2', status: 'pending' }), 10),
    ]);
    await shop.check();
    await save(database, [poll('payment_intent', intent('v2b', { invoiceId: 'v2', status: 'expired' }), 20)]);
    await shop.check();
    expect(await shop.breaksOf('v2')).toEqual([]);
  });

  test('a payment was collected and its invoice is not paid', async () => {
    await save(database, [
      poll('invoice', invoice('v3'), HOUR - 10),
      poll('payment_intent', paidIntent('v3p', 'pv3', { invoiceId: 'v3' }), HOUR - 10),
    ]);
    await shop.check();
    expect(await shop.breaksOf('v3p')).toEqual([]);
    await shop.later(31 * MINUTE);
    expect(await shop.breaksOf('v3p')).toEqual(['intent_completed_invoice_unpaid']);
    await save(database, [poll('invoice', invoice('v3', { status: 'paid', paymentIntentId: 'v3p' }), 2 * HOUR)]);
    await shop.check();
    expect(await shop.breaksOf('v3p')).toEqual([]);
  });

  test('items that do not add up, exactly; an e-mail that was not sent', async () => {
    const item = (unitPrice: string, quantity: string) => ({
      name: 'x',
      unitPrice,
      quantity: new LosslessNumber(quantity),
    });
    const items = (...lines: JsonObject[]) => ({ meta: { items: lines } });
    await save(database, [
      poll('invoice', invoice('w1', items(item('8.333333333333333333', '3'))), 10),
      poll('invoice', invoice('w2', items(item('10.00', '2'), item('5', '1'))), 10),
      poll(
        'invoice',
        invoice('w3', { emailDelivery: { sent: false, error: '550 <ada@example.test>: mailbox full' } }),
        10,
      ),
    ]);
    await shop.check();
    expect(await shop.breakOf('w1', 'invoice_items_sum')).toMatchObject({
      status: 'open',
      evidence: { amount: { ours: '24.999999999999999999', theirs: '25.00' } },
    });
    expect(await shop.breaksOf('w2')).toEqual([]);
    expect(await shop.breakOf('w3', 'invoice_email_failed')).toMatchObject({
      evidence: { error: '550 <(address)>: mailbox full' },
    });
  });
});

test('refunds of more than the net are critical; a failed one gives nothing back', async () => {
  await save(database, [
    poll('payment_intent', paidIntent('r1', 'pr1'), 10),
    poll('payout', payout('r1a', { paymentIntentId: 'r1', amount: '20', status: 'confirmed' }), 10),
    poll('payout', payout('r1b', { paymentIntentId: 'r1', amount: '5.84', status: 'pending' }), 10),
  ]);
  await shop.check();
  expect(await shop.breakOf('r1', 'refund_exceeds_net')).toMatchObject({
    severity: 'critical',
    evidence: { amountNetMerchant: { ours: '25.84', theirs: '25.839' } },
  });
  await save(database, [
    poll('payout', payout('r1b', { paymentIntentId: 'r1', amount: '5.84', status: 'failed' }), 20),
  ]);
  await shop.check();
  expect(await shop.breaksOf('r1')).toEqual([]);
});

test('a screening that holds a collected payment for longer than an hour', async () => {
  const held = { kytStatus: 'Manual Review', createdAt: '2026-03-01T00:50:00.000Z' };
  await save(database, [
    poll('payment_intent', paidIntent('k1', 'pk1'), 10),
    poll('payin', payin('pk1', 'k1', held), 10),
  ]);
  await shop.check();
  expect(await shop.breaksOf('pk1')).toEqual([]);
  await shop.later(51 * MINUTE);
  expect(await shop.breakOf('pk1', 'kyt_hold')).toMatchObject({ status: 'open', evidence: { verdict: 'pending' } });
  await save(database, [poll('payin', payin('pk1', 'k1'), 2 * HOUR)]);
  await shop.check();
  expect(await shop.breaksOf('pk1')).toEqual([]);
});

test('a payment that the service still shows as waiting two days after it ended', async () => {
  const waiting = (second: number) =>
    poll('payment_intent', intent('s2', { expiresAt: '2026-03-01T02:00:00.000Z' }), second);
  await save(database, [waiting(HOUR)]);
  await shop.check();
  for (const hours of [12, 24, 36, 48]) {
    await save(database, [waiting(hours * HOUR)]);
    await shop.later(12 * HOUR);
  }
  expect(await shop.breaksOf('s2')).toEqual([]);
  await save(database, [waiting(50 * HOUR)]);
  await shop.later(2 * HOUR);
  expect((await shop.breakOf('s2', 'stale_record'))?.evidence).toMatchObject({ reason: 'not_ended' });
});

test('a payin that two payments list is critical', async () => {
  await save(database, [
    poll('payment_intent', paidIntent('l1', 'pl'), 10),
    poll('payment_intent', paidIntent('l2', 'pl'), 10),
    poll('payin', payin('pl', 'l1'), 10),
  ]);
  await shop.check();
  expect(await shop.breakOf('pl#paymentIntentId', 'contract_violation')).toMatchObject({
    severity: 'critical',
    evidence: { paymentIntentId: { ours: ['l1', 'l2'], theirs: 'l1' } },
  });
});
