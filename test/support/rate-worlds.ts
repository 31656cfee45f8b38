import * as fc from 'fast-check';
import { rateDoubts } from '../../src/domain/books/rate-doubts.js';
import type { KnownRates, RateDoubt } from '../../src/domain/books/rate-means.js';
import type { GivenRate } from '../../src/domain/books/rates-file.js';
import { divideAmounts, multiplyAmounts } from '../../src/domain/money.js';
import { sized } from './sizes.js';

export const nothing: KnownRates = { before: null, payment: null, service: null, paid: null, dollars: null };
export const rateOf = (date: string, rate: string, line: number, assetCode = 'BTC', currency = 'EUR'): GivenRate => ({
  date,
  assetCode,
  currency,
  rate,
  line,
});

/** Noise in thousandths: of payments and of the treasury's rates two percent, of the service's rates a third of one. */
const noise = (most: number) => fc.integer({ min: -most, max: most });
const noisy = (rate: string, thousandths: number) =>
  multiplyAmounts(rate, `${(1000 + thousandths) / 1000}`, 'half_even');
const assetWorld = (days: number) =>
  fc.record({
    base: fc.constantFrom('0.00001234', '0.4853', '1', '92.5', '61234.5'),
    steps: fc.array(noise(30), { minLength: days, maxLength: days }),
    given: fc.array(noise(20), { minLength: days, maxLength: days }),
    paid: fc.array(fc.record({ off: noise(20), payments: fc.integer({ min: 0, max: 9 }) }), {
      minLength: days,
      maxLength: days,
    }),
    shown: fc.array(noise(3), { minLength: days, maxLength: days }),
  });

interface World {
  rates: GivenRate[];
  known: KnownRates[];
  /** Payments of each asset. */
  payments: Map<string, number>;
}

/** Rates that are right, with what is known beside them. `sources`: what there is. */
export const worlds = (fewest: number, sources: 'payments' | 'service' | 'both') =>
  fc
    .record({ days: fc.integer({ min: 5, max: 28 }), dollar: fc.constantFrom('0.8', '0.9', '0.95', '1.06', '1.2') })
    .chain(({ days, dollar }) =>
      fc.array(assetWorld(days), { minLength: fewest, maxLength: 5 }).map((assets): World => {
        const world: World = { rates: [], known: [], payments: new Map() };
        for (const [a, { base, steps, given, paid, shown }] of assets.entries()) {
          const assetCode = `A${a}`;
          let rate: string = base;
          for (const [n, step] of steps.entries()) {
            rate = noisy(rate, step);
            const date = `2026-11-${String(n + 1).padStart(2, '0')}`;
            world.rates.push(rateOf(date, noisy(rate, given[n] ?? 0), world.rates.length + 2, assetCode));
            const { off = 0, payments = 0 } = paid[n] ?? {};
            const isPaid = sources !== 'service' && payments > 0;
            if (isPaid) world.payments.set(assetCode, (world.payments.get(assetCode) ?? 0) + payments);
            world.known.push({
              ...nothing,
              before: n === 0 ? { rate, date: '2026-10-31' } : null,
              paid: isPaid ? { mean: noisy(rate, off), payments } : null,
              dollars: sources === 'payments' ? null : noisy(divideAmounts(rate, dollar, 'half_even'), shown[n] ?? 0),
            });
          }
        }
        return world;
      }),
    );

export const times = ({ rates, known }: World, factor: string, of: (assetCode: string) => boolean): RateDoubt[] =>
  rateDoubts(
    rates.map((one) => (of(one.assetCode) ? { ...one, rate: multiplyAmounts(one.rate, factor, 'half_even') } : one)),
    known.map((one) => ({ ...one, before: null, payment: null })),
  );
/** More than the noise hides. */
export const factors = fc
  .oneof(fc.integer({ min: 10, max: 899 }), fc.integer({ min: 1101, max: 100_000 }))
  .map((n) => `${n / 1000}`);
export const RUNS = { numRuns: sized(40, 3_000) };
export const hasEnough = ({ payments }: World, fewest = 1) =>
  [...payments.values()].filter((n) => n >= 5).length >= fewest;
