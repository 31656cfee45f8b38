import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { deriveOrder, requested } from '../../src/domain/orders/order.js';
import {
  describeLines,
  eur,
  fiat,
  gave,
  half,
  type Line,
  many,
  order,
  over,
  paid,
  ruled,
  state,
  under,
  want,
} from '../support/order-lines.js';

const refunded = ruled(under, 'refunded');
const unasked = { ...paid, amountRequested: null };

const precedence: Line[] = [
  ['O1', 'a dispute beside a good payment', many(paid, { ...paid, irregularStatus: 'pending_decision' }), 'disputed'],
  [
    'O2',
    'a good payment beside an expired, an unmatched and a pending one',
    many(state('expired'), paid, state('unmatched'), fiat),
    'paid',
    'proven',
  ],
  [
    'O2',
    'a good payment beside one that does not exist',
    order({ intents: [{ fields: paid }, { fields: paid, absent: true }] }),
    'paid',
    'proven',
  ],
  [
    'O2',
    'a good payment beside one that is only claimed',
    order({ intents: [{ fields: paid }, { fields: paid, verified: false }] }),
    'paid',
    'proven',
  ],
  [
    'O3',
    'a claim beside a confirming payment',
    order({ intents: [{ fields: state('confirming') }, { fields: paid, verified: false }] }),
    'paid_unverified',
    'not_verified',
  ],
  [
    'O3',
    'two claims, one of them of no record',
    order({
      intents: [
        { fields: paid, absent: true },
        { fields: paid, verified: false },
      ],
    }),
    'paid_unverified',
    'not_verified',
  ],
  [
    'O3',
    'an invoice that is paid, by a payment unknown',
    order({ invoices: [{ fields: { status: 'paid' } }] }),
    'paid_unverified',
    'intent_unknown',
  ],
  ['O4', 'confirming beside unmatched', many(state('unmatched'), state('confirming')), 'confirming'],
  [
    'O5',
    'too little beside unmatched and pending',
    many(fiat, state('unmatched'), { ...state('expired'), totalAmountReceived: '1' }),
    'underpaid',
  ],
  ['O6', 'unmatched beside refunded and pending', many(fiat, refunded, state('unmatched')), 'unmatched'],
  ['O7', 'refunded beside pending', many(fiat, refunded, state('expired')), 'refunded'],
  ['O8', 'pending beside expired', many(state('expired'), fiat), 'awaiting_payment'],
  [
    'O8',
    'an invoice sent, its payment expired',
    order({ intents: [{ fields: state('expired') }], invoices: [{ fields: { status: 'sent' } }] }),
    'awaiting_payment',
  ],
  ['O9', 'expired beside cancelled', many(state('cancelled'), state('expired')), 'expired'],
  ['O9', 'an expired invoice', order({ invoices: [{ fields: { status: 'expired' } }] }), 'expired'],
  ['O10', 'cancelled', many(state('cancelled'), state('cancelled')), 'cancelled'],
  [
    'O10',
    'cancelled beside one that does not exist',
    order({ intents: [{ fields: state('cancelled') }, { fields: fiat, absent: true }] }),
    'cancelled',
  ],
  ['O11', 'registered, and nothing yet', { ...order({}), expected: eur('100') }, 'awaiting_payment'],
  [
    'O12',
    'only a record that does not exist',
    order({ invoices: [{ fields: { status: 'sent' }, absent: true }] }),
    'awaiting_payment',
    'record_not_at_service',
  ],
];

const twice = { ...paid, amountRequested: '60', amountCryptoExpected: '30', totalAmountReceived: '30' };
const dollars = { ...paid, currencyRequested: 'USD' };

/** A good payment of 100 EUR beside an invoice. */
const billed = (invoice: JsonObject) => order({ intents: [{ fields: paid }], invoices: [{ fields: invoice }] });

const expectations: Line[] = [
  ['E1', 'what was registered', want(eur('100.00'), paid), 'paid', 'proven'],
  ['E1', 'what was registered, in lower case', want({ amount: '100', currency: 'eur' }, paid), 'paid', 'proven'],
  ['E1', 'asked for more than registered, received what was registered', want(eur('80'), under), 'underpaid'],
  ['E2', 'asked for less than registered', want(eur('100.01'), paid), 'underpaid'],
  ['E2', 'received less', want(eur('100'), under), 'underpaid'],
  ['E3', 'asked for more than registered', want(eur('99.99'), paid), 'overpaid'],
  ['E3', 'received more', want(eur('100'), over), 'overpaid'],
  ['E4', 'registered, paid twice', want(eur('100'), paid, paid), 'paid_twice'],
  ['E4', 'registered, a full and a partial payment', want(eur('100'), paid, half), 'paid_twice'],
  ['E4', 'not registered, paid twice', many(paid, paid), 'paid_twice'],
  ['E4', 'paid twice, and nobody knows what was asked for', many(unasked, unasked), 'paid_twice'],
  ['E4', 'not registered, more than the larger of two', many(paid, twice), 'paid_twice'],
  ['E4', 'paid twice, a part of it given back', { ...many(paid, paid), refunds: [gave('10')] }, 'paid_twice'],
  ['E5', 'registered, in two instalments', want(eur('120'), twice, twice), 'paid', 'proven'],
  [
    'E5',
    'two good ones, one of them fully refunded',
    { ...want(eur('100'), paid, paid), refunds: [gave('49.5')] },
    'paid',
    'proven',
  ],
  ['E6', 'registered, instalments that do not reach it', want(eur('200'), paid, twice), 'underpaid'],
  ['E6', 'not registered, two partial payments', many(half, { ...half, totalAmountReceived: '24' }), 'underpaid'],
  ['E7', 'another currency', want(eur('100'), dollars), 'underpaid', 'other_currency'],
  [
    'E7',
    'another currency beside too little of the right one',
    want(eur('100'), twice, dollars),
    'underpaid',
    'other_currency',
  ],
  [
    'E7',
    'not registered, two partial payments in two currencies',
    many(half, { ...half, currencyRequested: 'USD' }),
    'underpaid',
    'other_currency',
  ],
  ['E8', 'another currency beside enough of the right one', want(eur('100'), dollars, paid), 'paid_twice'],
  [
    'E8',
    'not registered, a good payment beside half of one in another currency',
    many({ ...half, currencyRequested: 'USD' }, paid),
    'paid_twice',
  ],
  [
    'E8',
    'not registered, the other currency’s request the larger',
    many(paid, { ...half, amountRequested: '900', currencyRequested: 'USD' }),
    'paid_twice',
  ],
  [
    'E8',
    'not registered, two in two currencies beside a larger request in the second one’s',
    many(paid, dollars, { ...state('pending'), amountRequested: '150', currencyRequested: 'USD' }),
    'paid_twice',
  ],
  [
    'E7',
    'not registered, two in two currencies beside a larger request in the first one’s',
    many(paid, dollars, { ...state('pending'), amountRequested: '150' }),
    'underpaid',
    'other_currency',
  ],
  ['E9', 'amount unknown', want(eur('100'), { status: 'completed', payins: [] }), 'underpaid', 'amount_unknown'],
  [
    'E9',
    'amount received unknown',
    want(eur('100'), { ...under, totalAmountReceived: null }),
    'underpaid',
    'amount_unknown',
  ],
  ['E10', 'an invoice of more', billed({ status: 'sent', amount: '150', currency: 'eur' }), 'underpaid'],
  ['E10', 'an invoice of less', billed({ status: 'sent', amount: '50', currency: 'EUR' }), 'paid', 'proven'],
  [
    'E10',
    'an invoice of more in another currency',
    billed({ status: 'sent', amount: '150', currency: 'USD' }),
    'paid',
    'proven',
  ],
  [
    'E10',
    'an invoice of more, cancelled',
    billed({ status: 'cancelled', amount: '150', currency: 'EUR' }),
    'paid',
    'proven',
  ],
  [
    'E10',
    'an invoice of more, registered with less',
    { ...billed({ status: 'sent', amount: '150', currency: 'EUR' }), expected: eur('100') },
    'paid',
    'proven',
  ],
  ['E11', 'a part refunded', { ...want(eur('100'), paid), refunds: [gave('10')] }, 'partially_refunded'],
  [
    'E11',
    'a refund that names no payment, of the only one',
    { ...many(paid), refunds: [{ amount: '49.5', status: 'confirmed' }] },
    'refunded',
  ],
  [
    'E11',
    'a refund of one of two, nobody knows which',
    { ...want(eur('120'), twice, twice), refunds: [{ amount: '1', status: 'confirmed' }] },
    'partially_refunded',
  ],
  [
    'E11',
    'a refund of a payment that is not of this order',
    { ...many(paid), refunds: [{ ...gave('1'), paymentIntentId: 'pi_9' }] },
    'partially_refunded',
  ],
  ['E12', 'another payment that shows no amount', many(paid, { status: 'pending' }), 'underpaid', 'amount_unknown'],
  [
    'E12',
    'one that says no amount of its own, beside another such payment',
    many({ ...paid, amountRequested: null }, { status: 'pending' }),
    'underpaid',
    'amount_unknown',
  ],
  [
    'E12',
    'the same, with an invoice that says what is expected',
    {
      ...many({ ...paid, amountRequested: null }, { status: 'pending' }),
      invoices: billed({ status: 'sent', amount: '100', currency: 'EUR' }).invoices,
    },
    'underpaid',
    'amount_unknown',
  ],
  ['E12', 'one that says no amount of its own', many({ ...paid, amountRequested: null }), 'paid', 'proven'],
  ['E12', 'another that shows none, cancelled', many(paid, { status: 'cancelled' }), 'paid', 'proven'],
  [
    'E12',
    'another payment that shows no amount, registered',
    { ...many(paid, { status: 'pending' }), expected: eur('100') },
    'paid',
    'proven',
  ],
];

const crowd = (length: number) => Array.from({ length }, () => ({ fields: state('expired') }));
const shared: Line[] = [
  ['H1', 'a good payment beside 199 others', order({ intents: [{ fields: paid }, ...crowd(199)] }), 'paid', 'proven'],
  ['H1', 'a good payment beside 200 others', order({ intents: [{ fields: paid }, ...crowd(200)] }), 'shared_reference'],
  [
    'H1',
    'a good payment beside 201 invoices',
    order({ intents: [{ fields: paid }], invoices: crowd(201) }),
    'shared_reference',
  ],
  ['H1', 'whatever is at hand, where more are known', { ...many(paid), shared: true }, 'shared_reference'],
];

describeLines('a reference that too many share', 'H', shared);
describeLines('what the order shows', 'O', precedence);
describeLines('where money was collected', 'E', expectations);

describe('an order', () => {
  it('asks for what its open payments and invoices ask for, and for nothing that the service does not know', () => {
    const { intents, invoices } = order({ intents: [{ fields: fiat }] });
    expect(requested([], { intents, invoices })).toEqual({ expected: eur('100'), unclear: null });
    const none = { expected: null, unclear: null };
    for (const about of [{ unknown: true }, { absent: true }, { fields: { ...fiat, status: 'cancelled' } }])
      expect(requested([], { intents: intents.map((intent) => ({ ...intent, ...about })), invoices })).toEqual(none);
  });

  it('holds amounts of the greatest length, and quotients that do not end', () => {
    const most = '999999999999999999.999999999999999999';
    const huge = {
      ...over,
      amountRequested: most,
      amountCryptoExpected: '0.000000000000000001',
      totalAmountReceived: most,
    };
    expect(deriveOrder(want(eur(most), huge)).status).toBe('overpaid');
    const third = { ...under, amountRequested: '100', amountCryptoExpected: '3', totalAmountReceived: '1' };
    expect(deriveOrder(want(eur('33.333333333333333333'), third)).status).toBe('underpaid');
  });
});
