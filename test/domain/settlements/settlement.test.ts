import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addAmounts, compareAmounts } from '../../../src/domain/money.js';
import {
  differences,
  missingOf,
  type SettlementFacts,
  settlementOf,
  whyRefused,
} from '../../../src/domain/settlements/settlement.js';

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
        expect(state === 'arrived' || state === 'short').toBe(given.arrival !== null);
        expect(ageDays === null).toBe(given.settledOn === null);
        if (missing !== null) expect(addAmounts(missing, given.arrival?.amount ?? '')).toBe(given.expected);
        else expect(given.arrival === null || given.expected === null || given.arrival.currency !== 'EUR').toBe(true);
      }),
    );
  });

  test('asks what the rest is exactly where there is one', () => {
    fc.assert(
      fc.property(facts, fc.option(fc.constantFrom(...differences)), (given, difference) => {
        const missing = missingOf(given);
        const isLess = missing !== null && compareAmounts(missing, '0') > 0;
        expect(whyRefused(missing, difference) === null).toBe(isLess === (difference !== null));
      }),
    );
  });
});
