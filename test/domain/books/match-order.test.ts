import { describe, expect, it } from 'vitest';
import { ageOn, openedBetween } from '../../../src/domain/books/match/ageing.js';
import { factsAsOf } from '../../../src/domain/books/match/facts-as-of.js';
import type { MatchFacts } from '../../../src/domain/books/match/match-facts.js';
import { matchOrder } from '../../../src/domain/books/match/match-order.js';
import { expectedOf, sidesOf } from '../../../src/domain/books/match/match-sides.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { textField } from '../../../src/domain/records.js';
import { ASSET, facts, paidPayment, paidRefund, shown } from './match-facts.js';

const one = paidPayment('pi_1', { net: '107', fee: '1', requested: '100' });
const other = paidPayment('pi_2', { net: '107', fee: '1', requested: '100' });
const withIntent = (fields: JsonObject, more: Partial<MatchFacts> = {}): MatchFacts =>
  facts([{ ...one, intent: { ...one.intent, fields: { ...one.intent.fields, ...fields } } }], [], more);
const unpaid: JsonObject = {
  status: 'pending',
  totalAmountReceived: '0',
  amountNetMerchant: '0',
  feeAmountTotal: '0',
  payins: [],
};
const nothing = { moved: [], booked: [] };
const row = (amounts: object) => ({
  code: ASSET,
  asked: '0',
  paid: '0',
  returned: '0',
  booked: '0',
  unpriced: 0,
  ...amounts,
});

describe('of the three sides of an order', () => {
  it.each<[string, MatchFacts, string, string, object[]]>([
    ['all agree', facts([one]), 'matched', 'agreed', [row({ asked: '108', paid: '108', booked: '108', value: '108' })]],
    [
      'nothing came in yet',
      withIntent(unpaid, nothing),
      'unmatched',
      'not_paid',
      [row({ code: 'EUR', asked: '100', value: '0' })],
    ],
    [
      'it lapsed, and the store still expects the money',
      withIntent({ ...unpaid, status: 'expired' }, nothing),
      'unmatched',
      'lapsed_unpaid',
      [row({ code: 'EUR', asked: '100', value: '0' })],
    ],
    [
      'half came in',
      facts([{ ...one, intent: paidPayment('pi_1', { net: '107', fee: '1', requested: '50' }).intent }]),
      'partly_matched',
      'underpaid',
      [
        row({ asked: '108', paid: '108', booked: '108', value: '108' }),
        row({ code: 'EUR', asked: '50', value: '0' }),
      ].sort((a, b) => (a.code < b.code ? -1 : 1)),
    ],
    [
      'it was paid twice: asked for once',
      facts([one, other]),
      'partly_matched',
      'paid_twice',
      [row({ asked: '108', paid: '216', booked: '216', value: '216' })],
    ],
    [
      'the books do not say it yet',
      facts([one], [], { booked: [] }),
      'partly_matched',
      'not_booked',
      [row({ asked: '108', paid: '108', value: '0' })],
    ],
    [
      'the balance did not move',
      facts([one], [], nothing),
      'partly_matched',
      'not_moved',
      [row({ asked: '108', paid: '108', value: '0' })],
    ],
    [
      'it was given back whole',
      facts([one], [paidRefund('po_1', 'pi_1', '107')]),
      'matched',
      'given_back',
      [row({ asked: '108', paid: '108', returned: '107', booked: '1', value: '1' })],
    ],
    [
      'a part was given back',
      facts([one], [paidRefund('po_1', 'pi_1', '7')]),
      'matched',
      'partly_given_back',
      [row({ asked: '108', paid: '108', returned: '7', booked: '101', value: '101' })],
    ],
    [
      'it was paid before the books were opened',
      facts([one], [], { moved: one.moved.map((moved) => ({ ...moved, base: moved.delta })), booked: [] }),
      'matched',
      'agreed',
      [row({ asked: '108', paid: '108', value: '0' })],
    ],
  ])('%s', (_name, given, state, code, amounts) => {
    const match = matchOrder(given);
    expect([match.state, match.reasons[0].code]).toEqual([state, code]);
    expect(match.amounts).toEqual(amounts);
  });

  it.each([
    ['fiat', '100', 'EUR', '108'],
    ['crypto', '108', ASSET, null],
  ])('what was too much of a request in %s may be given back', (requestedCurrencyType, amount, currency, due) => {
    const given = withIntent({
      irregularStatus: 'refunded',
      requestedCurrencyType,
      amountRequested: amount,
      currencyRequested: currency,
      amountCryptoExpected: due,
      totalAmountReceived: '120',
      amountRejected: '12',
    });
    const match = matchOrder({ ...given, order: { ...given.order, expected: { amount, currency } } });
    expect(match).toMatchObject({ state: 'matched', reasons: [{ code: 'partly_given_back' }] });
  });

  it('a request that lapsed and that nobody registered asks for nothing', () => {
    const order = { ...withIntent({ ...unpaid, status: 'expired' }).order, expected: null };
    const match = matchOrder({ ...facts([], [], nothing), order });
    expect(match).toMatchObject({ state: 'matched', reasons: [{ code: 'lapsed' }], amounts: [] });
  });

  it('a claim is no payment, and one that the list lost none either', () => {
    const claimed = facts([{ ...one, intent: { ...one.intent, verified: false } }], [], nothing);
    expect(matchOrder(claimed)).toMatchObject({ state: 'unmatched', reasons: [{ code: 'claimed' }] });
    expect(matchOrder(claimed).amounts).toMatchObject([{ paid: '0' }]);
    const gone = facts([{ ...one, intent: { ...one.intent, absent: true } }], [], nothing);
    expect(matchOrder(gone).state).toBe('unmatched');
  });

  it('what reports alone say or doubt changes nothing', () => {
    const given = facts([one, other], [paidRefund('po_1', 'pi_2', '107')]);
    const heard = <R extends object>(records: readonly R[]) => records.map((each) => ({ ...each, doubted: true }));
    const { intents, payins, refunds } = given.order;
    const doubted = { ...given.order, intents: heard(intents), payins: heard(payins), refunds: heard(refunds) };
    expect(matchOrder({ ...given, order: doubted })).toEqual(matchOrder(given));
    const none = facts([], [], nothing);
    const said = { ...none, order: { ...none.order, saysPaid: true, refundReported: true } };
    expect(matchOrder(said)).toEqual(matchOrder(none));
  });

  it('a payment that the service lists no more asks for nothing beside one that it lists', () => {
    const larger = paidPayment('pi_0', { net: '160', fee: '1', requested: '160' }).intent;
    const given = facts([one]);
    const order = { ...given.order, expected: null, intents: [{ ...larger, absent: true }, ...given.order.intents] };
    expect(expectedOf({ ...given, order })?.amount).toBe('100');
    const gone = { ...order, intents: order.intents.map((intent) => ({ ...intent, absent: true })) };
    expect(expectedOf({ ...given, order: gone })).not.toBeNull();
    const inOther = { ...larger, absent: true, fields: { ...larger.fields, assetCode: 'BTC' } };
    const outside = { ...one.intent, fields: { ...one.intent.fields, amountRejected: '8' } };
    const registered = { ...given, order: { ...given.order, intents: [inOther, outside] } };
    expect(sidesOf(registered)).toMatchObject([{ code: ASSET, asked: '108' }]);
  });

  it('a payment that expired, though money came, asks for nothing beside one that is collected', () => {
    const late = paidPayment('pi_0', { net: '0', fee: '1', requested: '160' }).intent;
    const given = facts([one]);
    const expired = { ...late, fields: { ...late.fields, status: 'expired' } };
    const order = { ...given.order, expected: null, intents: [expired, ...given.order.intents] };
    expect(expectedOf({ ...given, order })?.amount).toBe('100');
    expect(expectedOf({ ...given, order: { ...order, intents: [expired] } })?.amount).toBe('160');
  });

  it('a payment by itself, that no order or invoice asks for, is never matched once money came in', () => {
    const given = facts([one], [], { kind: 'payment_intent', id: 'pi_1', registeredAt: null });
    const match = matchOrder({ ...given, order: { ...given.order, expected: null } });
    expect(match).toMatchObject({ state: 'partly_matched', reasons: [{ code: 'not_asked' }] });
  });

  it('payins that are unread, or add up to something else, are said with the payment', () => {
    const given = facts([one]);
    const without = { ...given, order: { ...given.order, payins: [] } };
    expect(matchOrder(without)).toMatchObject({ state: 'partly_matched', reasons: [{ code: 'deposits_unread' }] });
    const less = shown('pi_1-d', { ...one.payin.fields, amountNet: '106' });
    const differing = { ...given, order: { ...given.order, payins: [less] } };
    expect(matchOrder(differing).reasons.map(({ told }) => told)).toEqual([
      `payment pi_1 shows 107 ${ASSET} net, its payins 106 ${ASSET}`,
    ]);
  });

  it('a payment that is inside the opening is history: what its payins were, nobody has to read', () => {
    const old = { ...one, moved: one.moved.map((sum) => ({ ...sum, base: sum.delta })), booked: [] };
    const given = facts([old]);
    const unread = { ...given, order: { ...given.order, payins: [] } };
    expect(matchOrder(unread)).toMatchObject({
      state: 'matched',
      reasons: [{ code: 'agreed', told: 'asked and paid agree; inside the opening balance' }],
    });
    const then = factsAsOf(unread, '2026-03-31', 'UTC');
    expect(then && matchOrder(then)).toMatchObject({ state: 'matched', reasons: [{ code: 'agreed' }] });
    // A part of it came after the opening: that part's payin is to be read.
    const sums = { base: '60', delta: '107' };
    const grown = { ...unread, moved: one.moved.map((sum) => ({ ...sum, ...sums })) };
    const booked = one.booked.filter(({ account }) => account === 'operating').map((sum) => ({ ...sum, amount: '47' }));
    expect(matchOrder({ ...grown, booked })).toMatchObject({
      state: 'partly_matched',
      reasons: [{ code: 'deposits_unread' }],
    });
  });

  it('a refund that no movement shows is not taken for one that left the balance', () => {
    const unseen = { ...paidRefund('po_1', 'pi_1', '107'), moved: [], booked: [] };
    expect(matchOrder(facts([one], [unseen]))).toMatchObject({
      state: 'partly_matched',
      reasons: [{ code: 'not_moved', told: expect.stringContaining('refund po_1') }],
    });
    const ofDispute = { ...one.intent, fields: { ...one.intent.fields, irregularRefundPayoutId: 'po_1' } };
    expect(matchOrder(facts([{ ...one, intent: ofDispute }], [unseen]))).toMatchObject({ state: 'matched' });
  });

  it('books that are not open, other sums and unclear effects are put in words', () => {
    const wordsOf = (more: Partial<MatchFacts>) => matchOrder(facts([one], [], more)).reasons[0].told;
    expect(wordsOf({ booked: [], opened: new Set() })).toContain(`the books of ${ASSET} are not open`);
    expect(wordsOf({ booked: one.booked.map((sum) => ({ ...sum, amount: sum.amount.replace('107', '106') })) })).toBe(
      `payment pi_1 moved 107 ${ASSET}, booked is 106 ${ASSET}`,
    );
    expect(wordsOf({ unclear: ['its state is not shown'] })).toContain('its state is not shown');
  });
});

describe('as of a day', () => {
  const later = paidPayment('pi_1', { net: '107', fee: '1', requested: '100' }, '2026-04-02');
  const given = facts([later], [paidRefund('po_1', 'pi_1', '107', '2026-05-01')]);
  const on = (day: string) => {
    const then = factsAsOf(given, day, 'UTC');
    return then === null ? null : [matchOrder(then).state, matchOrder(then).reasons[0].code];
  };

  it('an order is what was booked and made until then', () => {
    expect(on('2026-02-28')).toBeNull();
    expect(on('2026-03-31')).toEqual(['unmatched', 'not_paid']);
    expect(on('2026-04-02')).toEqual(['matched', 'agreed']);
    expect(on('2026-05-01')).toEqual(['matched', 'given_back']);
  });

  it('each payment is paid from its own entries on, whatever is booked of others or of records by the same id', () => {
    const early = paidPayment('pi_0', { net: '107', fee: '1', requested: '100' });
    const paidOn = (all: MatchFacts, day: string) =>
      factsAsOf(all, day, 'UTC')?.order.intents.map(({ id, fields }) => `${id} ${textField(fields, 'status')}`);
    const both = facts([early, later]);
    expect(paidOn(both, '2026-04-01')).toEqual(['pi_0 completed', 'pi_1 pending']);
    expect(paidOn(both, '2026-04-02')).toEqual(['pi_0 completed', 'pi_1 completed']);
    const payout = later.booked.map((sum) => ({ ...sum, recordKind: 'payout' as const, date: '2026-03-01' }));
    const beside = facts([later], [], { booked: [...later.booked, ...payout] });
    expect(paidOn(beside, '2026-04-01')).toEqual(['pi_1 pending']);
  });

  it('a payment of which nothing is booked is unpaid until its first payin came, or was booked', () => {
    const came = paidPayment('pi_1', { net: '107', fee: '1', requested: '100' });
    const madeOn = (createdAt: string) => shown('pi_1-d', { ...came.payin.fields, createdAt });
    const disputed = { irregularStatus: 'pending_decision', status: 'unmatched' };
    const intent = { ...came.intent, fields: { ...came.intent.fields, ...disputed } };
    const code = (all: MatchFacts, asOf: string) => {
      const then = factsAsOf(all, asOf, 'UTC');
      return then === null ? null : matchOrder(then).reasons[0].code;
    };
    const open = facts([{ ...came, intent, payin: madeOn('2026-04-02T10:00:00Z') }], [], nothing);
    expect(['2026-03-31', '2026-04-02'].map((asOf) => code(open, asOf))).toEqual(['not_paid', 'disputed']);
    const closed = facts([{ ...came, payin: madeOn('2026-04-02T10:00:00Z') }], [], { booked: [], opened: new Set() });
    expect(['2026-03-31', '2026-04-02'].map((asOf) => code(closed, asOf))).toEqual(['not_paid', 'books_not_open']);
    const payin = { recordKind: 'payin', recordId: 'pi_1-d' } as const;
    const byPayin = facts([came], [], {
      moved: came.moved.map((one) => ({ ...one, ...payin })),
      booked: later.booked.map((one) => ({ ...one, ...payin })),
    });
    expect(['2026-03-31', '2026-04-02'].map((asOf) => code(byPayin, asOf))).toEqual(['not_paid', 'agreed']);
  });
});

it('ages by whole days of the books’ zone', () => {
  const ages = ['2026-03-31', '2026-03-01', '2026-02-28', '2026-01-30', '2026-01-29', '2025-12-31', '2025-12-30'];
  expect(ages.map((opened) => ageOn('2026-03-31', opened))).toEqual([
    '0-30',
    '0-30',
    '31-60',
    '31-60',
    '61-90',
    '61-90',
    '90+',
  ]);
  const { from, before } = openedBetween('31-60', '2026-03-31', 'Asia/Tokyo');
  expect([new Date(from), new Date(before)]).toEqual([
    new Date('2026-01-29T15:00:00Z'),
    new Date('2026-02-28T15:00:00Z'),
  ]);
});
