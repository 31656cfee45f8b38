import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ageBuckets } from '../../../src/domain/age-buckets.js';
import { ageOn } from '../../../src/domain/books/match/ageing.js';
import { factsAsOf } from '../../../src/domain/books/match/facts-as-of.js';
import type { MatchFacts } from '../../../src/domain/books/match/match-facts.js';
import { matchOrder } from '../../../src/domain/books/match/match-order.js';
import { matchReasons, matchStates } from '../../../src/domain/books/match/match-shapes.js';
import { amountField } from '../../../src/domain/family/money.js';
import { compareAmounts, subtractAmounts, sumAmounts } from '../../../src/domain/money.js';
import { sized } from '../../support/sizes.js';
import { ASSET, facts, paidPayment, paidRefund } from './match-facts.js';

const RUNS = sized(50, 5_000);
const whole = (most: number) => fc.integer({ min: 1, max: most }).map(String);
const day = fc.integer({ min: 0, max: 100 }).map((n) => new Date(Date.parse('2026-03-01') + n * 86_400_000));
const dayText = day.map((date) => date.toISOString().slice(0, 10));

const payments = fc.array(fc.record({ net: whole(200), fee: whole(5), requested: whole(150), booked: dayText }), {
  maxLength: 4,
});
const refunds = fc.array(fc.record({ of: fc.nat(3), amount: whole(100), booked: dayText }), { maxLength: 2 });

/** An order as it may be found: some of it unverified, gone, in dispute, unread, not moved, not booked, or booked otherwise. */
const orders: fc.Arbitrary<MatchFacts> = fc
  .record({
    payments,
    refunds,
    registered: fc.boolean(),
    kind: fc.constantFrom('order' as const, 'invoice' as const),
    states: fc.array(
      fc.constantFrom('completed', 'pending', 'confirming', 'expired', 'cancelled', 'unmatched', 'made up'),
      { minLength: 4, maxLength: 4 },
    ),
    verified: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    absent: fc.array(fc.constantFrom(false, false, false, true), { minLength: 4, maxLength: 4 }),
    lost: fc.constantFrom('nothing', 'payins', 'moved', 'booked', 'opening'),
  })
  .map(({ payments: given, refunds: back, registered, kind, states, verified, absent, lost }) => {
    const made = given.map((one, n) => {
      const payment = paidPayment(`pi_${n}`, one, one.booked);
      const fields = { ...payment.intent.fields, status: states[n] ?? 'completed' };
      return {
        ...payment,
        intent: { ...payment.intent, fields, verified: verified[n] ?? true, absent: absent[n] ?? false },
      };
    });
    const returned = back
      .filter(({ of }) => of < made.length)
      .map(({ of, amount, booked }, n) => paidRefund(`po_${n}`, `pi_${of}`, amount, booked));
    const all = facts(made, returned);
    return {
      ...all,
      kind,
      order: {
        ...all.order,
        expected: registered ? all.order.expected : null,
        payins: lost === 'payins' ? all.order.payins.slice(1) : all.order.payins,
      },
      moved: lost === 'moved' ? all.moved.slice(1) : all.moved,
      booked: lost === 'booked' ? all.booked.slice(2) : all.booked,
      opened: new Set(lost === 'opening' ? [] : [ASSET]),
    };
  });

const total = (given: MatchFacts, side: 'asked' | 'paid' | 'booked', code = ASSET) =>
  sumAmounts(
    matchOrder(given)
      .amounts.filter((one) => one.code === code)
      .map((one) => one[side]),
  );

describe('the three-way match', () => {
  test('has a state and a reason in words for whatever there is, whatever the order it is given in', () => {
    fc.assert(
      fc.property(orders, (given) => {
        const { state, reasons, amounts } = matchOrder(given);
        expect(matchStates).toContain(state);
        for (const { code, told } of reasons) {
          expect(matchReasons).toContain(code);
          expect(told).not.toBe('');
          expect(told).not.toContain('undefined');
        }
        const { order } = given;
        const turned = {
          ...given,
          order: { ...order, intents: order.intents.toReversed(), payins: order.payins.toReversed() },
          moved: given.moved.toReversed(),
          booked: given.booked.toReversed(),
        };
        expect(matchOrder(turned)).toMatchObject({ state, amounts });
      }),
      { numRuns: RUNS },
    );
  });

  test('counts each amount once: what is booked and paid is what the entries and records add up to, asked is no more than expected', () => {
    fc.assert(
      fc.property(orders, (given) => {
        const income = given.booked.filter(({ account }) => account !== 'operating').map(({ amount }) => amount);
        expect(total(given, 'booked')).toBe(subtractAmounts('0', sumAmounts(income)));
        const shown = given.order.intents.filter(({ verified, absent }) => verified && !absent);
        const gross = shown.map(({ fields }) => amountField(fields, 'totalAmountReceived') ?? '0');
        expect(total(given, 'paid')).toBe(sumAmounts(gross));
        // Of one payment in its own asset, and of what was not paid in the currency of the request.
        const due = given.order.intents.map(({ fields }) => amountField(fields, 'amountCryptoExpected') ?? '0');
        expect(compareAmounts(total(given, 'asked'), sumAmounts(due))).toBeLessThanOrEqual(0);
        if (given.order.expected) expect(compareAmounts(total(given, 'asked', 'EUR'), '100')).toBeLessThanOrEqual(0);
      }),
      { numRuns: RUNS },
    );
  });

  test('matched means that nothing is missing: what was paid and kept is booked, by verified records', () => {
    fc.assert(
      fc.property(orders, (given) => {
        const { state, amounts, reasons } = matchOrder(given);
        if (state !== 'matched') return;
        for (const { paid, returned, booked } of amounts) expect(booked).toBe(subtractAmounts(paid, returned));
        if (reasons[0].code !== 'lapsed') {
          const counted = given.order.intents.filter(({ verified, absent }) => verified && !absent);
          expect(counted.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('is never matched where the books carry a payment at more than a fifth from what it asked for in money', () => {
    const paid = fc.record({ net: whole(200), fee: whole(5), requested: whole(400), booked: dayText });
    fc.assert(
      fc.property(paid, (one) => {
        const gross = Number(one.net) + Number(one.fee);
        // The books carry a unit at 1.
        const isFar = Math.abs(gross - Number(one.requested)) > 0.2 * Number(one.requested);
        const given = facts([paidPayment('pi_0', one, one.booked)], [], { currency: 'EUR' });
        const asked = { ...given, order: { ...given.order, expected: null } };
        const { state, reasons } = matchOrder(asked);
        expect([state, reasons[0].code]).toEqual(isFar ? ['partly_matched', 'value_differs'] : ['matched', 'agreed']);
        const lines = asked.booked.map((sum) => ({ ...sum, unpriced: 1 }));
        for (const other of [{ booked: lines }, { currency: 'GBP' }])
          expect(matchOrder({ ...asked, ...other }).state).toBe('matched');
      }),
      // At a fifth to the last digit: 5 / 6 is no decimal number.
      { numRuns: RUNS, examples: [[{ net: '5', fee: '1', requested: '5', booked: '2026-03-01' }]] },
    );
  });

  test('is monotone: where a side of a matched order is taken away, it is matched no more; given back, it is again', () => {
    const paid = fc.record({ net: whole(200), fee: whole(5), requested: fc.constant('100'), booked: dayText });
    const without = [
      (all: MatchFacts): MatchFacts => ({ ...all, booked: [] }),
      (all: MatchFacts): MatchFacts => ({ ...all, moved: [] }),
      (all: MatchFacts): MatchFacts => ({ ...all, order: { ...all.order, payins: [] } }),
      (all: MatchFacts): MatchFacts => ({ ...all, order: { ...all.order, intents: [] } }),
    ];
    const rank = (given: MatchFacts) => matchStates.indexOf(matchOrder(given).state);
    fc.assert(
      fc.property(paid, fc.subarray(without, { minLength: 1 }), (one, taken) => {
        const all = facts([paidPayment('pi_0', one, one.booked)]);
        expect(rank(all)).toBe(0);
        let [left, before] = [all, 0];
        for (const take of taken) {
          left = take(left);
          expect(rank(left)).toBeGreaterThan(0);
          expect(rank(left)).toBeGreaterThanOrEqual(before);
          before = rank(left);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('as of a later day knows no less, and no order grows younger', () => {
    const ages = Object.keys(ageBuckets);
    fc.assert(
      fc.property(orders, dayText, dayText, (given, a, b) => {
        const [early, late] = a < b ? [a, b] : [b, a];
        const [before, after] = [factsAsOf(given, early, 'UTC'), factsAsOf(given, late, 'UTC')];
        if (before === null) return;
        expect(after?.booked).toEqual(expect.arrayContaining(before.booked as unknown[]));
        expect(after?.order.intents.length).toBeGreaterThanOrEqual(before.order.intents.length);
        expect(ages.indexOf(ageOn(late, '2026-03-01'))).toBeGreaterThanOrEqual(
          ages.indexOf(ageOn(early, '2026-03-01')),
        );
        expect(matchStates).toContain(matchOrder(before).state);
      }),
      { numRuns: RUNS },
    );
  });
});
