import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { exactValue, fiatReport, sumExactValues } from '../../src/domain/books/fiat-report.js';
import { sumAmounts } from '../../src/domain/money.js';
import { allAccounts, monthAccounts, monthValues } from '../../src/finance/exports/month-accounts.js';
import type { Finding } from '../../src/records/audit/verify-head.js';
import { verifyMonths } from '../../src/records/audit/verify-months.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { appendEntries } from '../../src/records/books/append-entries.js';
import { appendRates } from '../../src/records/books/entry-rates.js';
import { resettableDatabase } from '../support/resettable-database.js';

const database = resettableDatabase();
const RUNS = process.env['TALLYHOOK_LONG'] ? 200 : 15;
const MONTHS = ['2026-01', '2026-02', '2026-03'] as const;
const ASSETS = ['BTC', 'USDT.TRON'] as const;
const ACCOUNTS = ['assets:operating', 'income:payments', 'liabilities:disputes'] as const;

/** A rate that an entry got once; null: none was known. */
const rate = fc.record({
  currency: fc.constantFrom('EUR', 'EUR', 'USD'),
  rate: fc.option(fc.constantFrom('0.333333333333333333', '65000.5', '1.000000000000000001'), { freq: 3 }),
});
const entry = fc.record({
  month: fc.constantFrom(...MONTHS),
  asset: fc.constantFrom(...ASSETS),
  amount: fc
    .bigInt(1n, 10n ** 20n)
    .map((size) => `${size / 10n ** 18n}.${String(size % 10n ** 18n).padStart(18, '0')}`),
  from: fc.constantFrom(...ACCOUNTS),
  to: fc.constantFrom(...ACCOUNTS),
  isMemo: fc.boolean(),
  /** One after the other, each instead of the one before: together with its entry, or later. */
  rates: fc.array(fc.tuple(rate, fc.boolean()), { maxLength: 3 }),
});
type Given = typeof entry extends fc.Arbitrary<infer T> ? T : never;

const linesOf = ({ asset, amount, from, to, isMemo }: Given) => [
  { account: to, assetCode: asset, amount: amount.replace(/\.?0+$/, ''), memo: isMemo },
  { account: from, assetCode: asset, amount: `-${amount.replace(/\.?0+$/, '')}`, memo: isMemo },
];

async function post(given: readonly Given[]): Promise<void> {
  await database.reset();
  await database.db.transaction(async (trx) => {
    const entries = given.map((one, n) => ({
      recordKind: 'payout' as const,
      recordId: `po_${n}`,
      key: 'payout',
      type: 'entry' as const,
      version: 1,
      reverses: null,
      corrects: null,
      description: 'd',
      sources: [],
      observed: null,
      lines: linesOf(one),
      dated: { at: Date.parse(`${one.month}-15T00:00:00Z`), by: 'created' as const },
      day: `${one.month}-15`,
      period: { month: one.month, date: `${one.month}-15`, adjusts: null },
    }));
    const ids = await appendEntries(trx, entries, '0');
    const rowOf = (n: number, { currency, rate: known }: { currency: string; rate: string | null }) => ({
      entryId: ids[n] ?? '',
      assetCode: given[n]?.asset ?? '',
      currency,
      valuation:
        known === null
          ? { rate: null, source: null, rateAt: null, reason: 'none' }
          : { rate: known, source: 'file' as const, rateAt: 0, reason: null },
    });
    const together = given.flatMap(({ rates }, n) =>
      rates.flatMap(([one, isLater]) => (isLater ? [] : [rowOf(n, one)])),
    );
    await appendRates(trx, together);
    for (const [n, { rates }] of given.entries())
      for (const [one, isLater] of rates) if (isLater) await appendRates(trx, [rowOf(n, one)]);
  });
}

/** By plain arithmetic: the newest rate is the last that came later, else the last that came together. */
function worthIn(given: readonly Given[], currency: string) {
  return given.flatMap((one) => {
    const newest = one.rates.findLast(([, isLater]) => isLater) ?? one.rates.at(-1);
    const known = newest?.[0].currency === currency ? newest[0].rate : null;
    return linesOf(one)
      .filter(({ memo }) => !memo)
      .map((line) => ({ ...line, month: one.month, value: known === null ? null : exactValue(line.amount, known) }));
  });
}

const wanted = (month: string, currency: string) => ({ month, currency, timeZone: 'UTC' });

test('what accounts open and close with is what their lines come to, each at the newest rate of its entry', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 8 }), async (given) => {
      await post(given);
      const { db } = database;
      const findings: Finding[] = [];
      await verifyMonths(db, (finding) => findings.push(finding), null);
      expect(findings).toEqual([]);
      for (const currency of ['EUR', 'USD']) {
        const lines = worthIn(given, currency);
        let before = new Map<string, string>();
        for (const month of MONTHS) {
          const found = await allAccounts(db, wanted(month, currency));
          expect(found).toMatchObject(await accountTotals(db, month));
          for (const row of found) {
            const own = lines.filter(
              (one) => one.account === row.account && one.assetCode === row.assetCode && one.month <= month,
            );
            const sum = (some: typeof own) => sumExactValues(some.flatMap(({ value }) => value ?? []));
            expect(row).toMatchObject({
              openingValue: sum(own.filter((one) => one.month < month)),
              activityValue: sum(own.filter((one) => one.month === month)),
              closingValue: sum(own),
              unpriced: own.filter(({ value }) => value === null).length,
            });
            expect(row.openingValue).toBe(before.get(`${row.account} ${row.assetCode}`) ?? '0');
            expect(row.closing).toBe(sumAmounts([row.opening, row.activity]));
          }
          before = new Map(found.map((row) => [`${row.account} ${row.assetCode}`, row.closingValue]));
          const report = await monthValues(db, wanted(month, currency), defaultChart);
          const { accounts, ...rest } = fiatReport(
            lines.filter((one) => one.month === month).map((one) => ({ ...one, unpriced: one.value === null ? 1 : 0 })),
            currency,
          );
          expect(report).toMatchObject(rest);
          const moved = report.accounts.filter(({ account }) => accounts.some((one) => one.account === account));
          expect(moved.map(({ account, value }) => ({ account, value }))).toEqual(accounts);
          expect((await monthAccounts(db, wanted(month, currency))).values).toEqual(report);
        }
      }
    }),
    { numRuns: RUNS },
  );
}, 240_000);
