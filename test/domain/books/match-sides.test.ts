import { describe, expect, it } from 'vitest';
import { openedBetween, todayIn } from '../../../src/domain/books/match/ageing.js';
import { factsAsOf } from '../../../src/domain/books/match/facts-as-of.js';
import type { MatchFacts } from '../../../src/domain/books/match/match-facts.js';
import { expectedOf, sidesOf } from '../../../src/domain/books/match/match-sides.js';
import { matchTotals } from '../../../src/domain/books/match/totals.js';
import type { JsonObject } from '../../../src/domain/json.js';
import {
  ASSET,
  facts,
  having,
  nothing,
  one,
  other,
  type Payment,
  paidPayment,
  paidRefund,
  withOrder,
} from './match-facts.js';

describe('the sides of an order', () => {
  const sums = { asked: '0', paid: '0', returned: '0', booked: '0', value: '0', unpriced: 0 };

  it('are what was paid and booked by asset, with what is unpriced, and without what is nothing', () => {
    const about = { recordKind: 'payment_intent', recordId: 'pi_1', account: 'payments', date: '2026-03-01' } as const;
    const booked = [
      { ...about, assetCode: 'BTC', amount: '-2', value: '1.5', unpriced: 0 },
      { ...about, assetCode: 'BTC', amount: '-1', value: '0.5', unpriced: 1 },
      { ...about, assetCode: 'ADA', amount: '0', value: '0', unpriced: 2 },
      { ...about, assetCode: 'ETH', amount: '0', value: '0', unpriced: 0 },
      { ...about, assetCode: 'TRX', amount: '5', value: '0', unpriced: 0, account: 'operating' as const },
    ];
    expect(sidesOf(withOrder(facts([], [], { booked }), { expected: null }))).toEqual([
      { ...sums, code: 'ADA', unpriced: 2 },
      { ...sums, code: 'BTC', booked: '3', value: '2', unpriced: 1 },
    ]);
  });

  it('of a payment whose fee is not shown are its net, without it', () => {
    expect(sidesOf(facts([having({ feeAmountTotal: null })]))).toMatchObject([{ code: ASSET, paid: '107' }]);
  });

  it('ask for the same as the first of two requests that are alike', () => {
    const alike = having({ amountRequested: '100.0', currencyRequested: 'eur' }, other);
    const given = withOrder(facts([one, alike]), { expected: null });
    expect(expectedOf(given)).toEqual({ amount: '100', currency: 'EUR' });
  });

  it('ask in the asset for what was paid, in shares of what is due, and for the rest in the currency', () => {
    const asked = (given: MatchFacts) => sidesOf(given).map(({ code, asked: amount }) => [code, amount]);
    const expecting = (amount: string, ...payments: Payment[]) =>
      asked(withOrder(facts(payments), { expected: { amount, currency: 'eur' } }));
    expect(expecting('100', one)).toEqual([[ASSET, '108']]);
    expect(expecting('50', one)).toEqual([[ASSET, '54']]);
    expect(expecting('150', one)).toEqual([
      [ASSET, '108'],
      ['eur', '50'],
    ]);
    expect(expecting('150', one, other)).toEqual([[ASSET, '162']]);
    expect(expecting('30', having({ amountRequested: '90', amountCryptoExpected: '100' }))[0]?.[1]).toBe(
      '33.333333333333333333',
    );
    for (const fields of [
      { currencyRequested: 'USD' },
      { amountRequested: '0' },
      { amountRequested: null },
      { amountCryptoExpected: null },
    ])
      expect(expecting('100', having(fields))).toEqual([
        [ASSET, '0'],
        ['eur', '100'],
      ]);
    expect(expecting('100', having({ assetCode: null }))).toEqual([
      [ASSET, '0'],
      ['eur', '100'],
    ]);
  });

  it('ask of the payment that was paid as it was asked before any other, whatever their ids', () => {
    const outside = having({ assetCode: 'BTC', amountRejected: '8' });
    expect(sidesOf(facts([outside, other])).map(({ code, asked }) => [code, asked])).toEqual([
      ['BTC', '0'],
      [ASSET, '108'],
    ]);
  });

  it('of a day are those of records that were made until then', () => {
    const made = (id: string, createdAt: string) =>
      paidPayment(id, { net: '107', fee: '1', requested: '100', createdAt });
    const given = facts([made('pi_1', '2026-03-01T10:00:00Z'), made('pi_2', '2026-03-03T00:00:00Z')]);
    const on = (day: string) => factsAsOf(given, day, 'UTC')?.order.intents.map(({ id }) => id);
    expect([on('2026-03-02'), on('2026-03-03')]).toEqual([['pi_1'], ['pi_1', 'pi_2']]);
  });

  it('ask in the currency for what only payments ask that the service does not list any more, and nothing came', () => {
    const { intent } = having({ status: 'pending', totalAmountReceived: '0', amountNetMerchant: '0' });
    const gone = withOrder(facts([], [], nothing), { intents: [{ ...intent, absent: true }] });
    expect(sidesOf(gone)).toEqual([{ ...sums, code: 'EUR', asked: '100' }]);
    expect(sidesOf(withOrder(gone, { expected: null }))).toEqual([]);
  });

  it('of which a refund takes back what it gave, once it is confirmed and moved or is booked', () => {
    const refund = paidRefund('po_1', 'pi_1', '7');
    const returned = (given: Partial<typeof refund>, about: object = {}, fields: JsonObject = {}) => {
      const all = { ...refund, ...given };
      const changed = { ...all.refund, ...about, fields: { ...all.refund.fields, ...fields } };
      return sidesOf(facts([one], [{ ...all, refund: changed }]))[0]?.returned;
    };
    expect([returned({}), returned({ moved: [] }), returned({ booked: [] }), returned(nothing)]).toEqual([
      '7',
      '7',
      '7',
      '0',
    ]);
    expect([returned({}, { absent: true }), returned({}, {}, { status: 'pending' })]).toEqual(['0', '0']);
    expect([returned({}, {}, { amount: null }), returned({}, {}, { assetCode: null })]).toEqual(['0', '0']);
  });
});

describe('ages and totals', () => {
  it('a bucket begins with a day of the zone; the youngest never ends, the oldest never began', () => {
    const between = (bucket: '0-30' | '61-90' | '90+') => openedBetween(bucket, '2026-03-31', 'UTC');
    const start = (day: string) => Date.parse(`${day}T00:00:00Z`);
    expect(between('0-30')).toEqual({ from: start('2026-03-01'), before: Number.MAX_SAFE_INTEGER });
    expect(between('61-90')).toEqual({ from: start('2025-12-31'), before: start('2026-01-30') });
    expect(between('90+')).toEqual({ from: 0, before: start('2025-12-31') });
    expect(todayIn('Asia/Tokyo', new Date('2026-03-31T15:00:00Z'))).toBe('2026-04-01');
  });

  it('orders are counted by state and age, and their amounts by asset as well', () => {
    const totals = matchTotals();
    const place = (state: 'matched' | 'unmatched', age: '0-30' | '90+', matches = 1) => ({ state, age, matches });
    const amount = { code: 'BTC', asked: '1', paid: '2', returned: '3', booked: '4', value: '0.5', unpriced: 1 };
    totals.count(place('unmatched', '0-30', 2));
    totals.count(place('matched', '90+'));
    totals.count(place('matched', '0-30'));
    totals.count(place('matched', '0-30', 4));
    totals.add({ ...place('unmatched', '0-30'), amount });
    totals.add({ ...place('matched', '90+'), amount });
    totals.add({ ...place('matched', '90+', 2), amount: { ...amount, asked: '10', value: '1', unpriced: 2 } });
    totals.add({ ...place('matched', '0-30'), amount: { ...amount, code: 'ADA' } });
    totals.add({ ...place('matched', '0-30'), amount: { ...amount, code: 'CAT' } });
    expect(totals.report()).toEqual({
      counts: [place('matched', '0-30', 5), place('matched', '90+'), place('unmatched', '0-30', 2)],
      amounts: [
        { ...place('matched', '0-30'), ...amount, code: 'ADA' },
        {
          ...place('matched', '90+', 3),
          code: 'BTC',
          asked: '11',
          paid: '4',
          returned: '6',
          booked: '8',
          value: '1.5',
          unpriced: 3,
        },
        { ...place('unmatched', '0-30'), ...amount },
        { ...place('matched', '0-30'), ...amount, code: 'CAT' },
      ],
    });
  });
});
