import fc from 'fast-check';
import { expect, test } from 'vitest';
import { breakKinds } from '../../src/domain/breaks/breaks.js';
import { severities } from '../../src/domain/breaks/findings.js';
import { linesOf, type MoneyOfBreak, moneyByAsset } from '../../src/domain/breaks/money-once.js';
import type { Money } from '../../src/domain/family/money.js';
import { grouped } from '../../src/domain/grouped.js';
import { sumAmounts } from '../../src/domain/money.js';
import { stateOf } from '../../src/domain/state/state.js';
import { calm } from './calm-facts.js';

const held = (about: Partial<MoneyOfBreak> = {}): MoneyOfBreak => ({
  kind: 'kyt_hold',
  severity: 'high',
  breaks: 1,
  oldestSeconds: 60,
  subject: 'payment_intent pi_1',
  money: { amount: '25', currency: 'EUR' },
  ...about,
});

/** Few kinds, subjects and assets, so that many are about the same money, and say it differently. */
const breaks = fc.array(
  fc.record<MoneyOfBreak>({
    kind: fc.constantFrom(...breakKinds.slice(0, 4)),
    severity: fc.constantFrom(...severities),
    breaks: fc.integer({ min: 1, max: 3 }),
    oldestSeconds: fc.nat(9_000),
    subject: fc.constantFrom('payment_intent pi_1', 'payment_intent pi_2', 'payout po_1'),
    money: fc.option(
      fc.record({
        amount: fc.constantFrom('0.1', '25', '25.000000000000000001', '999999999999999999'),
        currency: fc.constantFrom('EUR', 'BTC'),
      }),
    ),
  }),
  { maxLength: 12 },
);
const rates = new Map([['BTC', '2.5']]);

const inOrder = (moneys: readonly Money[]) =>
  [...grouped(moneys, ({ currency }) => currency)]
    .map(([currency, some]) => ({ currency, amount: sumAmounts(some.map(({ amount }) => amount)) }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));

/** Of each record and asset the largest amount that is said, as a list of moneys. */
function distinct(given: readonly MoneyOfBreak[]): Money[] {
  const largest = new Map<string, Money>();
  for (const { subject, money } of given) {
    if (money === null) continue;
    const key = `${subject} ${money.currency}`;
    const known = largest.get(key);
    // All are of one length before the point, or differ by more than a double forgets.
    if (
      known === undefined ||
      Number(money.amount) > Number(known.amount) ||
      money.amount.startsWith(`${known.amount}.`)
    )
      largest.set(key, money);
  }
  return [...largest.values()];
}

test('law: all lines together, and all assets, come to each money once', () => {
  fc.assert(
    fc.property(breaks, (given) => {
      const lines = linesOf(given, rates);
      expect(inOrder(lines.flatMap(({ money }) => money))).toEqual(inOrder(distinct(given)));
      const known = moneyByAsset(given, rates).filter(({ currency }) => currency !== null);
      expect(
        known
          .map(({ currency, amount }) => ({ currency, amount }))
          .sort((a, b) => (String(a.currency) < String(b.currency) ? -1 : 1)),
      ).toEqual(inOrder(distinct(given)));
    }),
  );
});

test('law: each break is counted, in its own line; what its line lacks of its money is named', () => {
  fc.assert(
    fc.property(breaks, (given) => {
      const lines = linesOf(given, rates);
      const total = (some: readonly { breaks: number }[]) => some.reduce((sum, one) => sum + one.breaks, 0);
      expect(moneyByAsset(given, rates).reduce((sum, one) => sum + one.breaks, 0)).toBe(total(given));
      for (const { kind, severity, count, money, countedWith = [] } of lines) {
        const own = given.filter((one) => one.kind === kind && one.severity === severity);
        expect(count).toBe(total(own));
        const isAbout = own.some((one) => one.money !== null);
        expect(money.length + countedWith.length > 0).toBe(isAbout);
        for (const other of countedWith)
          expect(lines.some((one) => one.kind === other && one.money.length > 0)).toBe(true);
      }
      expect(lines).toHaveLength(new Set(given.map(({ kind, severity }) => `${kind} ${severity}`)).size);
    }),
  );
});

test('law: the order in which breaks come does not matter', () => {
  const shuffled = breaks.chain((given) =>
    fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
  );
  const sorted = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line)).sort();
  fc.assert(
    fc.property(shuffled, ([one, other]) => {
      expect(sorted(linesOf(other, rates))).toEqual(sorted(linesOf(one, rates)));
      expect(moneyByAsset(other, rates)).toEqual(moneyByAsset(one, rates));
    }),
  );
});

test('the worst line has the money; what has no rate has no worth, and is put in order by its number', () => {
  const payin = held({ breaks: 2 });
  const order = held({ kind: 'order_underpaid', severity: 'critical', money: { amount: '30', currency: 'EUR' } });
  const coins = held({ subject: 'payout po_1', money: { amount: '0.123456', currency: 'BTC' } });
  const [worst, others] = linesOf([payin, coins, order], rates);
  expect(worst).toMatchObject({ kind: 'order_underpaid', money: [{ amount: '30', currency: 'EUR' }], countedWith: [] });
  expect(others).toMatchObject({
    count: 3,
    money: [{ currency: 'BTC' }],
    countedWith: ['order_underpaid'],
    worth: 0.31,
  });
  expect(moneyByAsset([payin, coins, order, held({ money: null })], rates)).toEqual([
    { currency: 'BTC', breaks: 1, amount: '0.123456', worth: '0.31' },
    { currency: 'EUR', breaks: 3, amount: '30', worth: null },
    { currency: null, breaks: 1, amount: null, worth: null },
  ]);
});

test('a problem without money of its own names the kind in whose line it is counted', () => {
  const lines = linesOf(
    [
      held({ oldestSeconds: 2_000 }),
      held({ kind: 'payout_stuck', oldestSeconds: 2_000 }),
      held({ kind: 'stale_record', severity: 'medium' }),
    ],
    rates,
  );
  const { problems } = stateOf({ ...calm, breaks: lines }, [], new Date());
  const shown = problems.map(({ subjects, money, countedWith }) => [subjects, money.length, countedWith]);
  expect(shown).toEqual([
    [['kyt_hold'], 1, []],
    [['payout_stuck'], 0, ['kyt_hold']],
    [['stale_record'], 0, ['kyt_hold']],
  ]);
});
