import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultChart, nameIn } from '../../../src/domain/books/chart.js';
import { roundedValue, sumExactValues } from '../../../src/domain/books/fiat-report.js';
import { effectWords, rateEffects, ratesByAsset } from '../../../src/domain/books/rate-effects.js';
import { grouped } from '../../../src/domain/grouped.js';
import { sized } from '../../support/sizes.js';

const value = fc.option(
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => `${n / 1000}`),
  { freq: 4 },
);
const values = fc.uniqueArray(
  fc.record({
    month: fc.constantFrom('2026-03', '2026-04'),
    account: fc.constantFrom(
      'income:payments',
      'income:refunds',
      'expenses:fees:service',
      'assets:operating',
      'equity:opening',
    ),
    value,
    unpriced: fc.constant(0),
  }),
  { selector: ({ month, account }) => `${month} ${account}` },
);

describe('what rates make of months', () => {
  it('is for each month that is worth something else what its report shows: each account of the chart rounded once', () => {
    // Two of ours may be one of the chart.
    const charts = [defaultChart, { ...defaultChart, accounts: { 'income:refunds': 'income:payments' } }] as const;
    fc.assert(
      fc.property(values, values, fc.constantFrom(...charts), (before, after, chart) => {
        const shown = (all: typeof before, month: string, root: string) => {
          const own = all.filter((one) => one.month === month && one.account.startsWith(root));
          const byName = [...grouped(own, ({ account }) => nameIn(chart, account)).values()];
          return byName.reduce(
            (sum, some) => sum + Number(roundedValue(sumExactValues(some.flatMap((one) => one.value ?? [])), 'EUR')),
            0,
          );
        };
        const effects = rateEffects(before, after, { currency: 'EUR', chart });
        for (const month of ['2026-03', '2026-04']) {
          const effect = effects.find((one) => one.month === month);
          for (const name of ['expenses', 'assets', 'income'] as const) {
            const [was, is] = [before, after].map((all) => shown(all, month, `${name}:`));
            if (effect === undefined) {
              if (after.some((one) => one.month === month)) expect(is).toBeCloseTo(was ?? 0, 9);
              continue;
            }
            const sign = name === 'income' ? -1 : 1;
            expect(Number(effect[name].before)).toBeCloseTo(sign * (was ?? 0), 9);
            expect(Number(effect[name].after)).toBeCloseTo(sign * (is ?? 0), 9);
            const difference = Number(effect[name].after) - Number(effect[name].before);
            expect(Number(effect[name].difference)).toBeCloseTo(difference, 9);
          }
        }
      }),
      { numRuns: sized(100, 3_000) },
    );
  });

  it('is said in a sentence', () => {
    const [effect] = rateEffects(
      [{ month: '2026-10', account: 'income:payments', value: '-48000', unpriced: 0 }],
      [
        { month: '2026-10', account: 'income:payments', value: '-51840.005', unpriced: 0 },
        { month: '2026-10', account: 'assets:operating', value: null, unpriced: 1 },
      ],
      { currency: 'EUR', chart: defaultChart },
    );
    expect(effect && effectWords(effect, 'EUR')).toBe(
      'In 2026-10 would be income 51840.00 EUR (+3840.00), expenses 0.00 EUR (+0.00), what moved on assets 0.00 EUR (+0.00).',
    );
  });

  it('names of each asset how many rates there are, of which days, and from which to which', () => {
    const rate = (date: string, assetCode: string, of: string) => ({
      date,
      assetCode,
      currency: 'EUR',
      rate: of,
      line: 2,
    });
    expect(
      ratesByAsset([
        rate('2026-10-02', 'BTC', '49000'),
        rate('2026-10-01', 'BTC', '100000'),
        rate('2026-10-02', 'XRP', '0.5'),
      ]),
    ).toEqual([
      'BTC: 2 rates of 2026-10-01 to 2026-10-02, from 49000 to 100000 EUR',
      'XRP: 1 rate of 2026-10-02, 0.5 EUR',
    ]);
  });
});
