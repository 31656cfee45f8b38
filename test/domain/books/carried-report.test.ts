import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { carriedReport, rowsOfReport } from '../../../src/domain/books/carried-report.js';
import { currencyDecimals, fiatReport, sumExactValues } from '../../../src/domain/books/fiat-report.js';

const MONTHS = ['2026-01', '2026-02', '2026-03', '2026-05'] as const;
const NAMES = ['assets:operating', 'income:payments', 'expenses:fees:service'] as const;
const value = fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }).map((size) => {
  const text = (size < 0n ? -size : size).toString().padStart(6, '0');
  return `${size < 0n ? '-' : ''}${text.slice(0, -5)}.${text.slice(-5)}`;
});
/** Of an account in a month, once; null: nothing of it has a rate. */
const values = fc.uniqueArray(
  fc.record({
    month: fc.constantFrom(...MONTHS),
    account: fc.constantFrom(...NAMES),
    value: fc.option(value, { freq: 5 }),
    unpriced: fc.nat(3),
  }),
  { selector: ({ month, account }) => `${month} ${account}`, maxLength: 12 },
);
const currency = fc.constantFrom('EUR', 'JPY', 'KWD');

it('opens a month with what the one before closed with, and adds up to the last digit that a currency has', () => {
  fc.assert(
    fc.property(values, currency, (given, money) => {
      const decimals = currencyDecimals(money);
      const units = (text: string) => {
        expect(text).toMatch(decimals === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${decimals}}$`));
        return BigInt(text.replace('.', ''));
      };
      let before = new Map<string, bigint>();
      let unpriced = 0;
      for (const [n, month] of MONTHS.entries()) {
        const report = carriedReport(given, month, money);
        const own = fiatReport(
          given.filter((one) => one.month === month),
          money,
        );
        const activity = new Map(own.accounts.map((one) => [one.account, units(one.value)]));
        const rows = rowsOfReport(report);
        for (const row of rows) {
          expect(units(row.opening) + units(row.value)).toBe(units(row.closing));
          expect(units(row.opening)).toBe(before.get(row.name) ?? 0n);
        }
        for (const row of report.accounts) {
          expect(units(row.value)).toBe(activity.get(row.account) ?? 0n);
          const exact = sumExactValues(
            given.flatMap((one) => (one.account === row.account && one.month <= month ? (one.value ?? []) : [])),
          );
          const unit = 10 ** -decimals;
          expect(Math.abs(Number(row.closing) - Number(exact))).toBeLessThanOrEqual(
            ((n + 1) / 2) * unit * (1 + 1e-9) + 1e-9,
          );
        }
        expect({ ...report, accounts: own.accounts }).toMatchObject(own);
        expect(report.accounts.map(({ account }) => account)).toEqual(
          expect.arrayContaining([...before.keys()].filter((name) => !name.startsWith('('))),
        );
        const sum = report.accounts.reduce((total, row) => total + units(row.closing), 0n);
        expect(sum + units(report.closing.residual)).toBe(units(report.closing.total));
        expect(report.opening.unpriced).toBe(unpriced);
        unpriced = report.closing.unpriced;
        expect(unpriced).toBe(report.opening.unpriced + own.unpriced);
        before = new Map(rows.map((row) => [row.name, units(row.closing)]));
      }
    }),
  );
});

it('says nothing of what comes after the month, and takes accounts in the order of their names', () => {
  const of = (month: string, account: string, sum: string) => ({ month, account, value: sum, unpriced: 1 });
  const given = [
    of('2026-02', 'b', '1.005'),
    of('2026-01', 'c', '0.015'),
    of('2026-01', 'b', '2'),
    of('2026-03', 'a', '9'),
  ];
  expect(carriedReport(given, '2026-02', 'EUR')).toEqual({
    accounts: [
      { account: 'b', opening: '2.00', value: '1.00', closing: '3.00' },
      { account: 'c', opening: '0.02', value: '0.00', closing: '0.02' },
    ],
    residual: '0.00',
    total: '1.00',
    unpriced: 1,
    opening: { residual: '0.00', total: '2.02', unpriced: 2 },
    closing: { residual: '0.00', total: '3.02', unpriced: 3 },
  });
});
