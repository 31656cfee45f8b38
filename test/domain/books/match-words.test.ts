import { describe, expect, it, test } from 'vitest';
import type { MatchFacts } from '../../../src/domain/books/match/match-facts.js';
import { matchOrder } from '../../../src/domain/books/match/match-order.js';
import { matchedReasons, matchReasons } from '../../../src/domain/books/match/match-shapes.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { ASSET, facts, having, nothing, one, other, paidPayment, paidRefund, shown, withOrder } from './match-facts.js';

const none = { totalAmountReceived: '0', amountNetMerchant: '0', feeAmountTotal: '0', payins: [] };
const withIntent = (fields: JsonObject, more: Partial<MatchFacts> = {}) => facts([having(fields)], [], more);
const reason = (given: MatchFacts) => {
  const { state, reasons } = matchOrder(given);
  return [state, reasons[0].code, reasons[0].told];
};
const lapsed = (status: string) => withIntent({ ...none, status }, nothing);
const disputed = having({ irregularStatus: 'refunded', amountInRange: '100', amountRejected: '8' });

test.each<[string, string, string, MatchFacts]>([
  ['matched', 'agreed', 'asked, paid and booked agree', facts([one])],
  ['matched', 'given_back', 'what came in was given back', facts([one], [paidRefund('po_1', 'pi_1', '107')])],
  ['matched', 'lapsed', 'expired, and nothing came in', withOrder(lapsed('expired'), { expected: null })],
  ['matched', 'lapsed', 'cancelled, and nothing came in', withOrder(lapsed('cancelled'), { expected: null })],
  [
    'unmatched',
    'lapsed_unpaid',
    'expired, and nothing came in of 100 EUR that the store registered',
    lapsed('expired'),
  ],
  [
    'unmatched',
    'lapsed_unpaid',
    'cancelled, and nothing came in of 100 EUR that the store registered',
    lapsed('cancelled'),
  ],
  ['unmatched', 'not_paid', 'nothing came in yet of 100 EUR', lapsed('pending')],
  ['unmatched', 'not_paid', 'nothing came in yet of what was asked', withOrder(facts(), { expected: null })],
  [
    'unmatched',
    'not_at_service',
    'the service does not list its records any more',
    withOrder(lapsed('pending'), { intents: [{ ...having({ ...none, status: 'pending' }).intent, absent: true }] }),
  ],
  [
    'unmatched',
    'not_paid',
    'nothing came in yet of 100 EUR',
    withOrder(lapsed('pending'), { invoices: [shown('inv_1', { status: 'sent' }, { absent: true })] }),
  ],
  ['unmatched', 'confirming', 'a payin is being confirmed', lapsed('confirming')],
  [
    'unmatched',
    'claimed',
    'said to be paid; the service’s own list does not show it yet',
    facts([{ ...one, intent: { ...one.intent, verified: false } }], [], nothing),
  ],
  [
    'partly_matched',
    'underpaid',
    `54 ${ASSET} came in, asked were 100 EUR`,
    facts([paidPayment('pi_1', { net: '53', fee: '1', requested: '50' })]),
  ],
  [
    'partly_matched',
    'overpaid',
    `108 ${ASSET} came in, more than 99.5 EUR`,
    withOrder(facts([one]), { expected: { amount: '99.50', currency: 'EUR' } }),
  ],
  [
    'partly_matched',
    'paid_twice',
    `paid more than once: 216 ${ASSET} came in, asked were 100 EUR`,
    facts([one, other]),
  ],
  [
    'partly_matched',
    'out_of_range',
    `108 ${ASSET} came in, which the service does not take for 100 EUR`,
    withIntent({ amountRejected: '108' }),
  ],
  [
    'partly_matched',
    'disputed',
    `a dispute is not decided: 108 ${ASSET} came in, asked were 100 EUR`,
    withIntent({ irregularStatus: 'pending_decision' }),
  ],
  [
    'partly_matched',
    'disputed',
    `a dispute is not decided: 108 ${ASSET} and 5 BTC came in, asked were 100 EUR`,
    facts([
      having({ irregularStatus: 'pending_decision' }),
      having({ assetCode: 'BTC', totalAmountReceived: '5' }, other),
    ]),
  ],
  [
    'unmatched',
    'disputed',
    'a dispute is not decided: nothing came in, asked were 100 EUR',
    withIntent({ ...none, irregularStatus: 'pending_decision' }, nothing),
  ],
  [
    'partly_matched',
    'shared_reference',
    'too many payments carry its reference: each is matched by itself',
    withOrder(facts([one]), { shared: true }),
  ],
  [
    'unmatched',
    'counted_elsewhere',
    'its payment is counted with order A',
    facts([], [], { ...nothing, elsewhere: ['order A', 'B'] }),
  ],
  ['matched', 'agreed', 'asked, paid and booked agree', facts([one], [], { elsewhere: ['order A'] })],
  ['matched', 'partly_given_back', 'paid; a part was given back', facts([one], [paidRefund('po_1', 'pi_1', '7')])],
  [
    'partly_matched',
    'underpaid',
    `54 ${ASSET} came in, asked were 100 EUR; a part was given back`,
    facts([paidPayment('pi_1', { net: '53', fee: '1', requested: '50' })], [paidRefund('po_1', 'pi_1', '7')]),
  ],
  [
    'partly_matched',
    'overpaid',
    `108 ${ASSET} came in, more than 90 EUR; a part was given back`,
    withOrder(facts([one], [paidRefund('po_1', 'pi_1', '7')]), { expected: { amount: '90', currency: 'EUR' } }),
  ],
  ['partly_matched', 'underpaid', `108 ${ASSET} came in, asked were 100 EUR; a part was given back`, facts([disputed])],
  [
    'partly_matched',
    'underpaid',
    `108 ${ASSET} came in, asked were 100 EUR; a part was given back`,
    facts([having({ ...disputed.intent.fields, amountCryptoExpected: null, requestedCurrencyType: 'fiat' })]),
  ],
  [
    'partly_matched',
    'not_asked',
    'money came in, and no order or invoice asks for it',
    facts([one], [], { kind: 'payment_intent' }),
  ],
  [
    'partly_matched',
    'not_asked',
    'money came in, and no order or invoice asks for it',
    facts([having({ totalAmountReceived: null })], [], { kind: 'payment_intent' }),
  ],
  ['unmatched', 'not_paid', 'nothing came in yet of 100 EUR', { ...lapsed('pending'), kind: 'payment_intent' }],
])('%s, %s: %s', (state, code, words, given) => {
  expect(reason(given)).toEqual([state, code, words]);
  expect(matchReasons).toContain(code);
  expect(matchedReasons.some((one) => one === code)).toBe(state === 'matched');
});

describe('where records and books differ', () => {
  const reasonsOf = (given: MatchFacts) =>
    matchOrder(given).reasons.map(({ code, told: words }) => `${code}: ${words}`);
  const [payin, moved] = [one.payin, one.moved[0]!];
  const payins = (...all: (typeof payin)[]) => withOrder(facts([one]), { payins: all });
  const having1 = (fields: JsonObject) => ({ ...payin, fields: { ...payin.fields, ...fields } });
  const unread = 'deposits_unread: the payins of payment pi_1 are not read yet';
  const differ = (sum: string) => `deposits_differ: payment pi_1 shows 107 ${ASSET} net, its payins ${sum}`;
  const open = 'moved_unclear: what it moved is not known: why';

  it.each<[string, MatchFacts, string[]]>([
    ['a payin is not read', payins(), [`${unread} pi_1-d`]],
    ['a payin is only claimed', payins({ ...payin, verified: false }), [`${unread} pi_1-d`]],
    ['a payin is denied', payins({ ...payin, absent: true }), [`${unread} pi_1-d`]],
    ['none is named', withIntent({ payins: 'x' }), []],
    [
      'none is named, nor names it',
      withOrder(withIntent({ payins: [] }), { payins: [having1({ paymentIntentId: 'x' })] }),
      [unread],
    ],
    ['one is named by the payment alone', payins(having1({ paymentIntentId: null })), []],
    ['a payin is not confirmed', payins(having1({ status: 'pending' })), [differ(`0 ${ASSET}`)]],
    ['a payin shows no net', payins(having1({ amountNet: null })), [differ(`0 ${ASSET}`)]],
    ['a payin is of another asset', payins(having1({ assetCode: 'BTC' })), [differ('other assets')]],
    ['of a dispute, nobody knows', withOrder(withIntent({ irregularStatus: 'encashed' }), { payins: [] }), []],
    ['what it moved is not known', facts([one], [], { unclear: ['why'] }), [open]],
    [
      'nothing moved',
      facts([one], [], nothing),
      [`not_moved: 107 ${ASSET} of payment pi_1 is not among the movements yet`],
    ],
    [
      'something else moved',
      facts([one], [], { moved: [{ ...moved, delta: '106' }], booked: [] }),
      [
        `moved_differs: payment pi_1 shows 107 ${ASSET} net, the movements 106 ${ASSET}`,
        `not_booked: 106 ${ASSET} of payment pi_1 is not booked yet`,
      ],
    ],
    [
      'another asset moved as well',
      facts([one], [], { moved: [moved, { ...moved, assetCode: 'BTC', delta: '0' }] }),
      [`moved_differs: payment pi_1 shows 107 ${ASSET} net, the movements 107 ${ASSET} and other assets`],
    ],
    [
      'something moved that nobody paid',
      facts([{ ...one, intent: { ...one.intent, verified: false } }]),
      [
        'claimed: said to be paid; the service’s own list does not show it yet',
        `moved_differs: payment pi_1 shows 0 ${ASSET} net, the movements 107 ${ASSET}`,
      ],
    ],
    [
      'a payin moved it',
      facts([one], [], {
        moved: [{ ...moved, recordKind: 'payin', recordId: 'pi_1-d' }],
        booked: one.booked.map((sum) => ({ ...sum, recordKind: 'payin', recordId: 'pi_1-d' })),
      }),
      [],
    ],
    [
      'a refund is claimed by two',
      facts([one], [], { claims: ['two payments name it'] }),
      ['refund_differs: two payments name it'],
    ],
    [
      'a refund did not move',
      facts([one], [{ ...paidRefund('po_1', 'pi_1', '7'), ...nothing }]),
      ['not_moved: refund po_1 is not among the movements of the operating balance'],
    ],
    [
      'books of another asset are open alone',
      facts([one], [], { booked: [], opened: new Set(['BTC']) }),
      [`books_not_open: the books of ${ASSET} are not open: its opening balance was not read`],
    ],
    [
      'a refund is not booked',
      facts([one], [{ ...paidRefund('po_1', 'pi_1', '7'), booked: [] }]),
      [`not_booked: -8 ${ASSET} of refund po_1 is not booked yet`],
    ],
    [
      'less is booked than was paid, though the balance agrees',
      facts([one], [], {
        booked: one.booked.map((sum) => (sum.account === 'payments' ? { ...sum, amount: '-107' } : sum)),
      }),
      [`booked_differs: paid less what was given back is 108 ${ASSET}, booked is 107 ${ASSET}`],
    ],
  ])('%s', (_name, given, expected) => {
    const agreed = ['agreed: asked, paid and booked agree', 'partly_given_back: paid; a part was given back'];
    expect(reasonsOf(given).filter((text) => !agreed.includes(text))).toEqual(expected);
    for (const { code } of matchOrder(given).reasons) expect(matchReasons).toContain(code);
  });

  it.each<[string, JsonObject, boolean]>([
    ['pending', { status: 'pending' }, false],
    ['denied', {}, true],
  ])('a refund that is %s has not moved anything', (_name, fields, absent) => {
    const { refund, ...rest } = paidRefund('po_1', 'pi_1', '7');
    const unmoved = { ...rest, ...nothing, refund: { ...refund, absent, fields: { ...refund.fields, ...fields } } };
    expect(reasonsOf(facts([one], [unmoved])).join()).not.toContain('not_moved');
  });
});
