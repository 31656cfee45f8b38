import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { defaultChart } from '../../../src/domain/books/chart.js';
import { currencyDecimals, fiatReport } from '../../../src/domain/books/fiat-report.js';
import { incomeStatement, statementRows } from '../../../src/domain/books/income-statement.js';

const MONTHS = ['2025-11', '2025-12', '2026-01', '2026-02', '2026-03'] as const;
const NAMES = ['assets:operating', 'income:payments', 'income:refunds', 'equity:withdrawals', 'expenses:fees:service'];
const value = fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }).map((size) => {
  const text = (size < 0n ? -size : size).toString().padStart(6, '0');
  return `${size < 0n ? '-' : ''}${text.slice(0, -5)}.${text.slice(-5)}`;
});
const values = fc.uniqueArray(
  fc.record({
    month: fc.constantFrom(...MONTHS),
    account: fc.constantFrom(...NAMES),
    value: fc.option(value, { freq: 5 }),
    unpriced: fc.nat(3),
  }),
  { selector: ({ month, account }) => `${month} ${account}`, maxLength: 20 },
);
/** Withdrawals are wages, and refunds stand on the balance sheet. */
const accounts = { 'equity:withdrawals': 'expenses:wages', 'income:refunds': 'liabilities:refunds' } as const;
const chart = fc.record({ accounts: fc.constantFrom({}, accounts), fiscalYearEnd: fc.constantFrom(12, 1, 2) });

it('of a month is what its files say of income and expenses, and a year is what its months come to', () => {
  fc.assert(
    fc.property(values, chart, fc.constantFrom('EUR', 'JPY', 'KWD'), (given, named, currency) => {
      const units = (text: string) => {
        expect(text.split('.')[1]?.length ?? 0).toBe(currencyDecimals(currency));
        return BigInt(text.replace('.', ''));
      };
      const own = { ...defaultChart, ...named };
      const nameOf = (account: string) => (named.accounts as Record<string, string>)[account] ?? account;
      let year = 0n;
      for (const month of MONTHS) {
        const found = incomeStatement(given, { month, currency, chart: own });
        if (found.from === month) year = 0n;
        expect(found.from <= month).toBe(true);
        const filed = fiatReport(
          given.flatMap((one) => (one.month === month ? [{ ...one, account: nameOf(one.account) }] : [])),
          currency,
        ).accounts.filter(({ account }) => /^(income|expenses):/.test(account));
        const result = -filed.reduce((sum, one) => sum + units(one.value), 0n);
        year += result;
        expect([units(found.totals.result.month), units(found.totals.result.year)]).toEqual([result, year]);
        const rows = [...found.income, ...found.expenses];
        for (const { account, value: own } of filed) {
          const sign = account.startsWith('income:') ? -1n : 1n;
          expect(
            rows.filter(({ name, month: shown }) => name === account && units(shown) === sign * units(own)),
          ).toHaveLength(1);
        }
        expect(statementRows(found)).toHaveLength(rows.length + 3);
      }
    }),
  );
});

it('takes the months of the fiscal year alone, and counts lines without a rate', () => {
  const of = (month: string, account: string, sum: string | null) => ({ month, account, value: sum, unpriced: 1 });
  const given = [
    of('2025-12', 'income:payments', '-500'),
    of('2026-01', 'income:payments', '-100.005'),
    of('2026-01', 'assets:operating', '7'),
    of('2026-02', 'income:payments', '-10'),
    of('2026-02', 'expenses:fees:service', '1.5'),
    of('2026-02', 'income:refunds', '4'),
    of('2026-03', 'income:payments', '-9'),
  ];
  const found = incomeStatement(given, { month: '2026-02', currency: 'EUR', chart: defaultChart });
  expect(found).toEqual({
    from: '2026-01',
    income: [
      { name: 'income:payments', month: '10.00', year: '110.00' },
      { name: 'income:refunds', month: '-4.00', year: '-4.00' },
    ],
    expenses: [{ name: 'expenses:fees:service', month: '1.50', year: '1.50' }],
    totals: {
      income: { month: '6.00', year: '106.00' },
      expenses: { month: '1.50', year: '1.50' },
      result: { month: '4.50', year: '104.50' },
    },
    unpriced: 4,
  });
  expect(statementRows(found).map(({ name }) => name)).toEqual([
    'income:payments',
    'income:refunds',
    'Income',
    'expenses:fees:service',
    'Expenses',
    'Result',
  ]);
});
