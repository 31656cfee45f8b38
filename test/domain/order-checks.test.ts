import { describe, expect, it } from 'vitest';
import { checkKinds } from '../../src/domain/breaks/breaks.js';
import type { CheckedOrder, CheckedRecord, CheckFacts } from '../../src/domain/breaks/check-facts.js';
import type { OrderStatus } from '../../src/domain/orders/order.js';
import { textField } from '../../src/domain/records.js';
import { checked, NOW } from '../support/checked-facts.js';

const checkOrders = (facts: CheckFacts) =>
  checkKinds(
    ['order_underpaid', 'order_overpaid', 'order_amount_mismatch', 'order_unknown_reference', 'similar_reference_paid'],
    facts,
  );

const MINUTE = 60_000;

const asking = { status: 'completed', amountRequested: '10', currencyRequested: 'EUR', assetCode: 'BTC' };
const payment = (fields: object = {}, about: Partial<CheckedRecord> = {}): CheckedRecord =>
  checked('payment_intent', 'pi_1', { ...asking, ...fields }, about);
const order = (changes: Partial<CheckedOrder>): CheckedOrder => ({
  reference: 'o-1',
  expected: { amount: '10', currency: 'EUR' },
  intents: [payment()],
  status: 'paid',
  releaseReason: 'proven',
  createdAt: NOW - 60 * MINUTE,
  similar: [],
  sharedMoney: false,
  ...changes,
});
const check = (changes: Partial<CheckedOrder>, registersSince: number | null = NOW - 60 * MINUTE) =>
  checkOrders({ now: NOW, registersSince, orders: [order(changes)] } as unknown as CheckFacts);
const found = (changes: Partial<CheckedOrder>, registersSince?: number | null) =>
  check(changes, registersSince).open.map(({ kind, evidence }) => `${kind}: ${textField(evidence, 'reason')}`);

const underpaid = { status: 'underpaid', releaseReason: 'underpaid' } as const;
const mixed = { status: 'underpaid', releaseReason: 'other_currency' } as const;
const unregistered = { expected: null, intents: [payment()] };
const registered = (...statuses: OrderStatus[]) => statuses.map((status, i) => ({ reference: `o-${i + 2}`, status }));

describe('what the store expects against what its payments show', () => {
  it.each<[string, Partial<CheckedOrder>, string[]]>([
    ['as expected', {}, []],
    ['overpaid', { status: 'overpaid', releaseReason: 'overpaid' }, ['order_overpaid: overpaid']],
    ['underpaid', underpaid, ['order_underpaid: underpaid']],
    ['paid in another currency', mixed, ['order_amount_mismatch: other_currency']],
    ['underpaid, a payment may still bring more', { ...underpaid, intents: [payment({ status: 'pending' })] }, []],
    ['underpaid, a payment was not read', { ...underpaid, intents: [payment({}, { verified: false })] }, []],
    [
      'underpaid, a payment is denied',
      { ...underpaid, intents: [payment(), payment({ status: 'pending' }, { absent: true, verified: false })] },
      ['order_underpaid: underpaid'],
    ],
    ['paid twice', { status: 'paid_twice', intents: [payment({ amountRequested: '11' })] }, []],
    ['of many payments', { status: 'shared_reference' }, ['order_amount_mismatch: shared_reference']],
    [
      'of many payments, none of them here',
      { status: 'shared_reference', intents: [] },
      ['order_amount_mismatch: shared_reference'],
    ],
    ['all from before adoption', { ...underpaid, intents: [payment({}, { history: true })] }, []],
    [
      'one of two from before adoption',
      { ...underpaid, intents: [payment({}, { history: true }), payment()] },
      ['order_underpaid: underpaid'],
    ],
    [
      'asking for more',
      { intents: [payment({ amountRequested: '10.01' })] },
      ['order_amount_mismatch: more_requested'],
    ],
    ['asking for less', { intents: [payment({ amountRequested: '9' })] }, []],
    [
      'asking in another currency',
      { intents: [payment({ currencyRequested: 'USD' })] },
      ['order_amount_mismatch: other_currency'],
    ],
    ['asking in small letters', { intents: [payment({ currencyRequested: 'eur' })] }, []],
    ['asking for more, cancelled', { intents: [payment({ amountRequested: '11', status: 'cancelled' })] }, []],
    ['asking for more, denied', { intents: [payment({ amountRequested: '11' }, { absent: true })] }, []],
    ['asking for more, not read', { intents: [payment({ amountRequested: '11' }, { verified: false })] }, []],
    ['asking for nothing', { intents: [payment({ amountRequested: null })] }, []],
    ['asking in no currency', { intents: [payment({ amountRequested: '11', currencyRequested: null })] }, []],
    [
      'the second asks for more',
      { intents: [payment({ currencyRequested: null }), payment({ amountRequested: '11' })] },
      ['order_amount_mismatch: more_requested'],
    ],
  ])('%s', (_name, changes, expected) => expect(found(changes)).toEqual(expected));
});

describe('an order that the store never registered', () => {
  const unknown = ['order_unknown_reference: not_registered'];
  const similar = ['similar_reference_paid: similar_reference'];
  const paid: OrderStatus[] = ['paid', 'underpaid', 'overpaid', 'paid_twice', 'partially_refunded', 'unmatched'];
  it.each(paid)('%s: money that the store does not know of, or of a reference that looks the same', (status) => {
    expect(found({ ...unregistered, status })).toEqual(unknown);
    expect(found({ ...unregistered, status, similar: registered('awaiting_payment') })).toEqual(similar);
  });
  it.each<OrderStatus>(['refunded', 'disputed'])('%s: it is not paid in place of another', (status) => {
    expect(found({ ...unregistered, status, similar: registered('awaiting_payment') })).toEqual(unknown);
  });
  it.each<OrderStatus>(['awaiting_payment', 'expired', 'cancelled', 'confirming'])('%s: no money', (status) => {
    expect(found({ ...unregistered, status, similar: registered('awaiting_payment') })).toEqual([]);
  });
  it.each<[OrderStatus, string[]]>([
    ['awaiting_payment', similar],
    ['expired', similar],
    ['cancelled', similar],
    ['paid', unknown],
  ])('one that looks the same is %s', (status, expected) => {
    expect(found({ ...unregistered, similar: registered('paid', status) })).toEqual(expected);
  });
  it('shares its reference, and money came for one of them', () => {
    const shared = { ...unregistered, intents: [], status: 'shared_reference', sharedMoney: true } as const;
    expect(found(shared)).toEqual(unknown);
    expect(found({ ...shared, sharedMoney: false })).toEqual([]);
    expect(found({ ...shared, similar: registered('expired') })).toEqual(similar);
  });
  it('is found where the store registers orders, from then on, half an hour after it was seen', () => {
    expect(found(unregistered, null)).toEqual([]);
    expect(found(unregistered, NOW - 60 * MINUTE + 1)).toEqual([]);
    expect(found({ ...unregistered, createdAt: NOW - 30 * MINUTE })).toEqual(unknown);
    const early = check({ ...unregistered, createdAt: NOW - 30 * MINUTE + 1 });
    expect(early).toMatchObject({ open: [], again: [{ entity: { kind: 'order', id: 'o-1' }, at: NOW + 1 }] });
  });
});

it('each kind is settled, and what is found holds both sides', () => {
  const { open, resolve, again } = check({ ...underpaid, similar: registered('paid') });
  expect([...open, ...resolve].map(({ kind }) => kind).toSorted()).toEqual([
    'order_amount_mismatch',
    'order_overpaid',
    'order_underpaid',
    'order_unknown_reference',
    'similar_reference_paid',
  ]);
  expect(again).toEqual([]);
  expect(open[0]?.entity).toEqual({ kind: 'order', id: 'o-1' });
  expect(open[0]?.evidence).toEqual({
    'paymentIntent pi_1': {
      ours: { amount: '10', currency: 'EUR' },
      theirs: { ...asking, totalAmountReceived: null },
      source: { kind: 'payment_intent', id: 'pi_1', verified: true, type: 'poll', ref: 'run-1' },
    },
    reason: 'underpaid',
    status: 'underpaid',
    similarReferences: ['o-2'],
  });
  expect(check(underpaid).open[0]?.evidence).not.toHaveProperty('similarReferences');
});
