import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accounts, chartSchema, isEarned, nameIn } from '../../../src/domain/books/chart.js';
import { exactValue, fiatReport } from '../../../src/domain/books/fiat-report.js';
import { Journal, postingsOf } from '../../../src/domain/books/journal.js';
import { namedTotals } from '../../../src/domain/books/retained-earnings.js';
import { addAmounts, sumAmounts } from '../../../src/domain/money.js';

const NAMES = ['assets:operating', 'income:payments', 'expenses:fees:service', 'equity:withdrawals'] as const;
const units = fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n });
const amountOf = (size: bigint): string => {
  const text = (size < 0n ? -size : size).toString().padStart(19, '0');
  return `${size < 0n ? '-' : ''}${text.slice(0, -18)}.${text.slice(-18)}`;
};

/** Entries that balance, each at a rate of its own; null: not known. */
const entry = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...NAMES), units), { minLength: 1, maxLength: 4 }),
    fc.option(fc.constantFrom('0.333333333333333333', '65000.5', '0.005'), { freq: 4 }),
  )
  .map(([lines, rate]) => {
    const rest = -lines.reduce((sum, [, size]) => sum + size, 0n);
    const all = [...lines, ['income:payments', rest] as const];
    return all.map(([account, size]) => ({ account, value: rate === null ? null : exactValue(amountOf(size), rate) }));
  });
const currency = fc.constantFrom('EUR', 'JPY', 'KWD');

describe('a journal in money', () => {
  it('has entries that balance, and accounts that are what the report says', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), currency, (entries, money) => {
        const journal = new Journal(money);
        const sums = new Map<string, bigint>();
        let rest = 0n;
        for (const [index, lines] of entries.entries()) {
          const { units: booked, rounding } = journal.book(lines);
          expect(journal.number).toBe(index + 1);
          expect(booked.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n) + rounding).toBe(0n);
          rest += rounding;
          for (const [place, { account, value }] of lines.entries()) {
            const own = booked[place] ?? null;
            expect(own === null).toBe(value === null);
            if (own !== null && value !== null) {
              sums.set(account, (sums.get(account) ?? 0n) + own);
              // Less than a unit of the last decimal from its own value, and one where both sums before and after are halves.
              expect(Math.abs(Number(journal.text(own)) - Number(value))).toBeLessThanOrEqual(
                Number(journal.text(1n)) * (1 + 1e-9) + Math.abs(Number(value)) * 1e-12,
              );
            }
          }
        }
        const report = fiatReport(
          entries.flat().map(({ account, value }) => ({ account, value, unpriced: 0 })),
          money,
        );
        expect(report.accounts.map(({ account, value }) => [account, value])).toEqual(
          [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([account, sum]) => [account, journal.text(sum)]),
        );
        expect([journal.text(rest), Number(report.total)]).toEqual([report.residual, 0]);
      }),
    );
  });

  it('is postings from account to account that move the same', () => {
    const booked = fc.array(
      fc.record({ account: fc.constantFrom('1000', '2000', '3000', '4000'), units: fc.bigInt(-50n, 50n) }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(booked, fc.constantFrom(7n, 1_000n), (lines, most) => {
        const rest = { account: '9000', units: -lines.reduce((sum, one) => sum + one.units, 0n) };
        const sums = new Map<string, bigint>();
        const add = (account: string, size: bigint) => sums.set(account, (sums.get(account) ?? 0n) + size);
        for (const { account, units: size } of [...lines, rest]) add(account, size);
        const moved = [...sums].filter(([, size]) => size !== 0n).length;
        const postings = postingsOf([...lines, rest], most);
        for (const { debit, credit, units: size } of postings) {
          expect(debit).not.toBe(credit);
          expect(size > 0n && size <= most).toBe(true);
          add(debit, -size);
          add(credit, size);
        }
        expect([...sums.values()].every((size) => size === 0n)).toBe(true);
        if (most === 1_000n) expect(postings.length).toBeLessThanOrEqual(Math.max(0, moved - 1));
      }),
    );
  });
});

describe('a year that is over', () => {
  it('leaves what it earned in retained earnings, and every sum as it was', () => {
    const amount = units.map(amountOf);
    const total = fc.record({
      account: fc.constantFrom(...NAMES),
      assetCode: fc.constantFrom('BTC', 'USDT.TRON'),
      opening: amount,
      activity: amount,
    });
    const all = fc.uniqueArray(total, { selector: ({ account, assetCode }) => `${account} ${assetCode}` });
    const chart = chartSchema.parse({ accounts: { 'equity:withdrawals': 'expenses:given' } });
    fc.assert(
      fc.property(all, (given) => {
        const totals = given.map((one) => ({ ...one, closing: addAmounts(one.opening, one.activity) }));
        const held = totals.map(({ account, assetCode, opening }) => ({ account, assetCode, amount: opening }));
        const named = namedTotals(totals, held, chart);
        for (const asset of ['BTC', 'USDT.TRON']) {
          const sum = (of: readonly { assetCode: string; closing: string }[]) =>
            sumAmounts(of.filter(({ assetCode }) => assetCode === asset).map(({ closing }) => closing));
          expect(sum(named)).toBe(sum(totals));
        }
        for (const { account, assetCode, activity } of totals.filter((one) => isEarned(chart, one.account))) {
          const own = named.find(({ name, assetCode: of }) => name === nameIn(chart, account) && of === assetCode);
          expect([own?.opening, own?.closing]).toEqual([addAmounts('0', '0'), addAmounts(activity, '0')]);
        }
        const others = named.filter(({ name }) => !/^(income|expenses):/.test(name) && name !== accounts.retained);
        expect(others.map(({ name, opening }) => [name, opening])).toEqual(
          totals
            .filter(({ account }) => !isEarned(chart, account))
            .map(({ account, opening }) => [account, addAmounts(opening, '0')]),
        );
      }),
    );
  });
});
