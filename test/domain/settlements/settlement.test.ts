import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addAmounts, compareAmounts, negated } from '../../../src/domain/money.js';
import {
  differences,
  markedText,
  needsTwo,
  type SettlementFacts,
  settlementOf,
  whyRefused,
} from '../../../src/domain/settlements/settlement.js';

const cents = (n: number) => String(n / 100);
const amount = fc.integer({ min: 0, max: 99_999 }).map((cents) => String(cents / 100));
const day = fc.integer({ min: 1, max: 28 }).map((one) => `2026-11-${String(one).padStart(2, '0')}`);
const arrival = fc.record({
  amount,
  currency: fc.constantFrom('EUR', 'EUR', 'USD'),
  on: day,
  reference: fc.constant(null),
  difference: fc.option(fc.constantFrom(...differences)),
  note: fc.constant('n'),
  by: fc.constant('ann'),
  at: fc.constant('2026-11-28T00:00:00.000Z'),
});
const facts: fc.Arbitrary<SettlementFacts> = fc.record({
  payoutId: fc.constant('po_1'),
  status: fc.option(fc.constantFrom('confirmed', 'confirmed', 'pending', 'failed', 'under_review')),
  amount: fc.constant('1000'),
  assetCode: fc.constant('USDT.TRON'),
  settledOn: fc.option(day, { freq: 6 }),
  expected: fc.option(amount),
  currency: fc.constant('EUR'),
  arrival: fc.option(arrival),
});

describe('a settlement', () => {
  test('is late exactly when it is confirmed, no history, booked longer ago than its days, and finance saw nothing', () => {
    fc.assert(
      fc.property(facts, day, fc.integer({ min: 0, max: 20 }), fc.boolean(), (given, today, lateDays, isHistory) => {
        const { state, ageDays, missing } = settlementOf(given, { today, lateDays, isHistory });
        const age = given.settledOn === null ? null : Number(today.slice(-2)) - Number(given.settledOn.slice(-2));
        const isUnmarked = given.arrival === null && given.status === 'confirmed';
        expect(state === 'late').toBe(isUnmarked && !isHistory && age !== null && age > lateDays);
        expect(state === 'history').toBe(isUnmarked && isHistory);
        expect(['arrived', 'short', 'over'].includes(state)).toBe(given.arrival !== null);
        if (state === 'over') expect(missing).toMatch(/^-/);
        expect(ageDays === null).toBe(given.settledOn === null);
        if (missing !== null) expect(addAmounts(missing, given.arrival?.amount ?? '')).toBe(given.expected);
        else expect(given.arrival === null || given.expected === null || given.arrival.currency !== 'EUR').toBe(true);
      }),
    );
  });

  test('asks what the difference is, less or more, exactly where there is one beyond a rounding', () => {
    const rest = fc.oneof(
      fc.constantFrom('0.01', '-0.01', '0', null),
      fc.integer({ min: -99_999, max: 99_999 }).map(cents),
    );
    fc.assert(
      fc.property(rest, fc.option(fc.constantFrom(...differences)), (missing, difference) => {
        const isMore = missing !== null && missing.startsWith('-');
        const by = missing === null ? '0' : isMore ? negated(missing) : missing;
        const mayBeSaid = compareAmounts(by, '0') > 0 && !(isMore && difference === 'fees');
        const mustBeSaid = compareAmounts(by, '0.01') > 0;
        const isTaken = difference === null ? !mustBeSaid : mayBeSaid;
        expect(whyRefused({ missing, currency: 'EUR' }, difference) === null).toBe(isTaken);
      }),
    );
    // Of a currency without decimals the rounding is a whole unit.
    expect(whyRefused({ missing: '1', currency: 'JPY' }, null)).toBeNull();
    expect(whyRefused({ missing: '-2', currency: 'JPY' }, null)).not.toBeNull();
  });
});

test('is said by one person only where nothing is explained away: the law of four eyes', () => {
  const money = fc.constantFrom('0', '0.01', '-0.01', '-3', '5', null);
  fc.assert(
    fc.property(money, fc.constantFrom(...differences, null), fc.boolean(), (missing, difference, saidBefore) => {
      const arrival = {
        amount: '1',
        currency: 'EUR',
        on: '2026-03-01',
        reference: null,
        difference,
        note: 'n',
        by: 'a',
        at: '',
      };
      fc.pre(whyRefused({ missing, currency: 'EUR' }, difference) === null);
      const alone = !needsTwo({ missing, arrival }, { saidBefore });
      const leavesABreak = difference === 'unexplained';
      const isAllThere = missing !== null && difference === null;
      expect(alone).toBe(leavesABreak || (isAllThere && !saidBefore));
      if (missing === '-3' || missing === '5') expect(alone).toBe(leavesABreak);
      expect(needsTwo({ missing: null, arrival: null }, { saidBefore })).toBe(false);
    }),
  );
});

test('is told with what is missing or too much', () => {
  const fact = {
    payoutId: 'po',
    status: 'confirmed',
    amount: '1',
    assetCode: 'BTC',
    settledOn: '2026-03-01',
    expected: '100',
    currency: 'EUR',
  };
  const said = (amount: string, difference: (typeof differences)[number] | null) => {
    const arrival = {
      amount,
      currency: 'EUR',
      on: '2026-03-02',
      reference: null,
      difference,
      note: 'n',
      by: 'a',
      at: '',
    };
    return markedText(settlementOf({ ...fact, arrival }, { today: '2026-03-02', lateDays: 5, isHistory: false }));
  };
  expect(said('108.23', 'unexplained')).toBe(
    'po: 108.23 EUR arrived on 2026-03-02, 8.23 EUR more than expected: unexplained, and a break.',
  );
  expect(said('100.01', null)).toBe('po: 100.01 EUR arrived on 2026-03-02, 0.01 EUR more than expected.');
  expect(said('99.99', 'rate')).toBe('po: 99.99 EUR arrived on 2026-03-02, 0.01 EUR less than expected: rate.');
});
