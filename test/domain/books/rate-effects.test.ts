import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundedValue, sumExactValues } from '../../../src/domain/books/fiat-report.js';
import { effectWords, rateEffects, ratesByAsset } from '../../../src/domain/books/rate-effects.js';
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
  }),
  { selector: ({ month, account }) => `${month} ${account}` },
);

describe('what rates make of months', () => {
  it('is for each month that is worth something else what its accounts come to, once rounded', () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        const sumOf = (all: typeof before, month: string, root: string) =>
          sumExactValues(
            all.flatMap((one) => (one.month === month && one.account.startsWith(root) ? (one.value ?? []) : [])),
          );
        const effects = rateEffects(before, after, 'EUR');
        for (const month of ['2026-03', '2026-04']) {
          const effect = effects.find((one) => one.month === month);
          for (const [root, name] of [
            ['expenses:', 'expenses'],
            ['assets:', 'assets'],
            ['income:', 'income'],
          ] as const) {
            const [was, is] = [before, after].map((all) => Number(roundedValue(sumOf(all, month, root), 'EUR')));
            if (effect === undefined) {
              if (after.some((one) => one.month === month)) expect(is).toBe(was);
              continue;
            }
            const sign = name === 'income' ? -1 : 1;
            expect(Number(effect[name].before) - sign * (was ?? 0)).toBeCloseTo(0, 9);
            expect(Number(effect[name].after) - sign * (is ?? 0)).toBeCloseTo(0, 9);
            expect(Number(effect[name].difference)).toBeCloseTo(
              Number(effect[name].after) - Number(effect[name].before),
              9,
            );
          }
        }
      }),
      { numRuns: sized(100, 3_000) },
    );
  });

  it('is said in a sentence', () => {
    const [effect] = rateEffects(
      [{ month: '2026-10', account: 'income:payments', value: '-48000' }],
      [
        { month: '2026-10', account: 'income:payments', value: '-51840.005' },
        { month: '2026-10', account: 'assets:operating', value: null },
      ],
      'EUR',
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
