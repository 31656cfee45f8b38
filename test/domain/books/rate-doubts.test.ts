import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { doubtfulRates, rateDoubts } from '../../../src/domain/books/rate-doubts.js';
import type { KnownRates } from '../../../src/domain/books/rate-means.js';
import type { GivenRate } from '../../../src/domain/books/rates-file.js';
import { multiplyAmounts } from '../../../src/domain/money.js';
import { factors, hasEnough, nothing, RUNS, rateOf, times, worlds } from '../../support/rate-worlds.js';

describe('a rate of a day', () => {
  it('is asked about where it is more than a fifth from what else is known near its day', () => {
    const doubts = (rate: string, known: object) =>
      doubtfulRates([rateOf('2026-10-31', rate, 2)], [{ ...nothing, ...known }], []).asked.length;
    expect(['80', '100', '120'].map((rate) => doubts(rate, { payment: '100' }))).toEqual([0, 0, 0]);
    expect(['79.99', '120.01', '1000000'].map((rate) => doubts(rate, { service: '100' }))).toEqual([1, 1, 1]);
    expect(doubts('1', { before: { rate: '100', date: '2026-10-24' }, payment: '100', service: '100' })).toBe(3);
    expect(doubts('1', { before: { rate: '100', date: '2026-10-23' } })).toBe(0);
    const few = { paid: { mean: '100', payments: 4 } };
    expect(['80', '79.99'].map((rate) => doubts(rate, few))).toEqual([0, 1]);
    // The mean of the day stands in for the payment that is booked on it.
    expect(doubts('1', { ...few, payment: '1' })).toBe(0);
  });

  it('is taken by who names its line, or its day and asset', () => {
    const two = [rateOf('2026-10-31', '100', 3), rateOf('2026-10-30', '50', 2)];
    const known = [nothing, { ...nothing, payment: '50' }];
    const told = 'line 3: 100 EUR for BTC is far from that of 2026-10-30, 50';
    const of = (...named: string[]) => doubtfulRates(two, known, named);
    expect(of()).toEqual({ accepted: [], asked: [told], unfounded: [] });
    for (const name of ['3', '2026-10-31:BTC'])
      expect(of(name)).toEqual({ accepted: [told], asked: [], unfounded: [] });
    for (const name of ['2', '2026-10-30:BTC', '2026-10-31:ETH', '2026-10:BTC', '2026-10', '03', ''])
      expect(of(name)).toEqual({ accepted: [], asked: [told], unfounded: [name] });
    // What was given before for a day that the file has as well says nothing of the next day.
    const wrong = { ...nothing, before: { rate: '5000', date: '2026-10-30' } };
    const right = { ...nothing, payment: '100' };
    const next = [rateOf('2026-10-30', '99', 2), rateOf('2026-10-31', '100', 3)];
    expect(doubtfulRates(next, [right, wrong], []).asked).toEqual([]);
  });

  it('says of its neighbour that it is asked about too: of two that are apart the first may be the wrong one', () => {
    const three = [rateOf('2026-10-12', '3300', 2), rateOf('2026-10-13', '2300', 3), rateOf('2026-10-14', '3310', 4)];
    const known = [{ ...nothing, payment: '3300' }, nothing, nothing];
    expect(doubtfulRates(three, known, []).asked).toEqual([
      'line 3: 2300 EUR for BTC is far from that of 2026-10-12, 3300',
      'line 4: 3310 EUR for BTC is far from that of 2026-10-13, 2300, which is asked about too',
    ]);
  });

  it('is not named for the wrong one beside it where payments of its own day agree with it', () => {
    const dates = ['2026-10-12', '2026-10-13', '2026-10-14', '2026-10-15'];
    const all = dates.map((date, n) => rateOf(date, n === 1 ? '230' : '2300', n + 2));
    const paid = { ...nothing, paid: { mean: '2310', payments: 3 } };
    const asked = (known: KnownRates[]) => doubtfulRates(all, known, []).asked;
    expect(asked([paid, paid, paid, nothing])).toEqual([
      '2026-10:BTC: rates of BTC, 2026-10-13: given are 230 EUR in the mean, 3 payments of these days say 2310 EUR: 9.96 % of that',
      'line 3: 230 EUR for BTC is far from that of 2026-10-12, 2300',
      'line 3: 230 EUR for BTC is far from the mean of payments of the day, 2310',
    ]);
    // One that something of its day contradicts is held against the day before as well.
    expect(asked([paid, paid, { ...paid, payment: '2600' }, nothing])).toContainEqual(
      'line 4: 2300 EUR for BTC is far from that of 2026-10-13, 230, which is asked about too',
    );
  });

  it('is held against the mean of five payments of the day more closely, and against the service’s rates crosswise', () => {
    const paid = { mean: '100', payments: 5 };
    // Ten other payments of the month keep its mean near.
    const two = (rate: string) => [rateOf('2026-10-30', '100', 2), rateOf('2026-10-31', rate, 3)];
    const many = { ...nothing, paid: { mean: '100', payments: 50 } };
    const asked = (rate: string) => doubtfulRates(two(rate), [many, { ...nothing, paid }], []).asked;
    expect(['90', '110'].map(asked)).toEqual([[], []]);
    expect(asked('89')).toEqual([
      'line 3: 89 EUR for BTC is 11 % less than 100 EUR, the mean of 5 payments of the day',
    ]);
    const assets = ['BTC', 'ETH', 'XRP'];
    const day = assets.map((asset, n) => rateOf('2026-10-31', asset === 'XRP' ? '120' : '90', n + 2, asset));
    const known = assets.map(() => ({ ...nothing, dollars: '100' }));
    expect(doubtfulRates(day, known, []).asked).toEqual([
      'line 4: 120 EUR for XRP is 33.3 % more than 90 EUR, what it would be by the service’s rates in USD',
    ]);
  });
});

describe('rates of a month', () => {
  const days = Array.from({ length: 10 }, (_, n) => `2026-11-${String(n + 1).padStart(2, '0')}`);

  it('of which nothing else is known are asked about once, and taken by month and asset', () => {
    const all = days.map((date, n) => rateOf(date, '48.53', n + 2, 'XRP'));
    const known = days.map((_, n) =>
      n === 0 ? nothing : { ...nothing, before: { rate: '48.53', date: days[n - 1] ?? '' } },
    );
    const told =
      '2026-11:XRP: nothing else is known of XRP: no rate of the week before 2026-11-01, no payment asked for in EUR, no rate of the service to compare';
    expect(doubtfulRates(all, known, []).asked).toEqual([told]);
    expect(doubtfulRates(all, known, ['2026-11:XRP'])).toEqual({ accepted: [told], asked: [], unfounded: [] });
    const before = { rate: '48', date: '2026-10-30' };
    expect(doubtfulRates(all, [{ ...nothing, before }, ...known.slice(1)], []).asked).toEqual([]);
    // What the service shows of one asset alone, in dollars, says nothing of it in euros.
    const shown = known.map((one) => ({ ...one, dollars: '0.52' }));
    expect(doubtfulRates(all, shown, []).asked).toEqual([told]);
  });

  it('that are a hundred times what its payments say are one sentence that a person understands', () => {
    const all = days.map((date, n) => rateOf(date, '48.53', n + 2, 'XRP'));
    const known = days.map(() => ({ ...nothing, paid: { mean: '0.485312345678', payments: 4 } }));
    const [first, ...others] = doubtfulRates(all, known, []).asked;
    expect(first).toBe(
      '2026-11:XRP: rates of XRP, 2026-11-01 to 2026-11-10: given are 48.53 EUR in the mean, 40 payments of these days say 0.485312 EUR: 100 times that',
    );
    expect(others).toHaveLength(days.length);
    const less = doubtfulRates(
      all,
      days.map(() => ({ ...nothing, paid: { mean: '52', payments: 1 } })),
      [],
    ).asked;
    expect(less).toEqual([expect.stringMatching(/10 payments of these days say 52 EUR: 6\.67 % less than that$/)]);
  });

  it('of two assets, of which nobody knows which is wrong, are both asked about', () => {
    for (const factor of ['0.5', '2']) {
      const all = ['BTC', 'ETH'].flatMap((asset, a) =>
        days.map((date, n) => rateOf(date, asset === 'BTC' ? factor : '0.9', a * 10 + n + 2, asset)),
      );
      const known = all.map(({ assetCode }) => ({ ...nothing, dollars: assetCode === 'BTC' ? '1.2' : '1' }));
      const names = rateDoubts(all, known)
        .filter(({ isOfDay }) => !isOfDay)
        .flatMap((one) => one.names);
      expect(names).toEqual(['2026-11:BTC', '2026-11:ETH']);
    }
  });

  it('that are beyond all sense are asked about too', () => {
    const all = ['BTC', 'ETH'].map((asset, n) => rateOf('2026-11-01', '999999999999999999', n + 2, asset));
    const known = all.map(() => ({
      ...nothing,
      dollars: '0.000000000000000001',
      paid: { mean: '0.000000000000000001', payments: 9 },
    }));
    expect(doubtfulRates(all, known, []).asked.length).toBeGreaterThan(0);
    expect(
      doubtfulRates(
        all,
        known.map((one) => ({ ...one, paid: null })),
        [],
      ).asked.length,
    ).toBeGreaterThan(0);
  });

  it('that are dollars are said to be, of all assets at once', () => {
    const assets = ['BTC', 'ETH'];
    const all = assets.flatMap((asset, a) => days.map((date, n) => rateOf(date, '108', a * 10 + n + 2, asset)));
    const known = all.map(() => ({ ...nothing, dollars: '108', paid: { mean: '100', payments: 1 } }));
    expect(doubtfulRates(all, known, []).asked).toEqual([
      '2026-11: the rates given for 2 assets are all about 8 % more than what payments and the service say: as if they were in USD, not in EUR',
    ]);
    expect(doubtfulRates(all, known, ['2026-11']).asked).toEqual([]);
    const other = known.map((one) => ({ ...one, dollars: '130' }));
    expect(doubtfulRates(all, other, []).asked).toEqual([expect.stringMatching(/: as if they were not in EUR$/)]);
    const unpaid = known.map((one) => ({ ...one, paid: null }));
    expect(doubtfulRates(all, unpaid, []).asked).toEqual([
      '2026-11: the rates given are what the service showed in USD: as if they were not in EUR',
    ]);
    const inDollars = all.map((one) => ({ ...one, currency: 'USD' }));
    expect(doubtfulRates(inDollars, unpaid, []).asked).toEqual([]);
  });
});

describe('law: ', () => {
  test.each(['payments', 'service', 'both'] as const)('right rates are never asked about, by %s', (sources) => {
    fc.assert(
      fc.property(worlds(sources === 'service' ? 2 : 1, sources), ({ rates, known }) => {
        expect(rateDoubts(rates, known)).toEqual([]);
      }),
      RUNS,
    );
  });

  test.each(['payments', 'both'] as const)(
    'an asset of a wrong month is asked about, and no other, by %s',
    (sources) => {
      fc.assert(
        fc.property(worlds(2, sources), factors, (world, factor) => {
          fc.pre(world.payments.size > 1 && hasEnough(world, world.payments.size));
          const means = times(world, factor, (asset) => asset === 'A0').filter(({ isOfDay }) => !isOfDay);
          expect(means.filter(({ assetCode }) => assetCode === 'A0').map(({ names }) => names)).toEqual([
            ['2026-11:A0'],
          ]);
          const others = means.filter(({ assetCode }) => assetCode !== 'A0');
          expect(others.filter(({ told }) => !told.startsWith('nothing else is known'))).toEqual([]);
        }),
        RUNS,
      );
    },
  );

  test('an asset of a wrong month is asked about, and no other, by the service’s dollars beside two others', () => {
    fc.assert(
      fc.property(worlds(3, 'service'), factors, (world, factor) => {
        const means = times(world, factor, (asset) => asset === 'A0').filter(({ isOfDay }) => !isOfDay);
        expect(means.map(({ names }) => names)).toEqual([['2026-11:A0']]);
      }),
      RUNS,
    );
  });

  test('of wrong days among right ones no other is named that its own payments agree with', () => {
    const many = fc.oneof(fc.integer({ min: 10, max: 750 }), fc.integer({ min: 1_250, max: 100_000 }));
    fc.assert(
      fc.property(worlds(1, 'payments'), many, fc.array(fc.nat(4), { minLength: 1 }), ({ rates, known }, n, places) => {
        const isWrong = ({ date }: GivenRate) => places.includes(Number(date.slice(-2)) - 1);
        const own = rates.flatMap((rate, place) =>
          rate.assetCode === 'A0' ? [{ rate, of: known[place] ?? nothing }] : [],
        );
        const given = own.map(({ rate: one }) =>
          isWrong(one) ? { ...one, rate: multiplyAmounts(one.rate, `${n / 1000}`, 'half_even') } : one,
        );
        const right = own.filter(({ rate, of }) => of.paid !== null && !isWrong(rate)).map(({ rate }) => rate.date);
        fc.pre(right.length > 0);
        const doubts = rateDoubts(
          given,
          own.map(({ of }) => of),
        );
        for (const { isOfDay, date, told } of doubts) {
          if (isOfDay) expect(right).not.toContain(date);
          else for (const named of told.match(/\d{4}-\d\d-\d\d/g) ?? []) expect(right).not.toContain(named);
        }
      }),
      RUNS,
    );
  });

  test('a month of which all is wrong by one factor is one sentence', () => {
    fc.assert(
      fc.property(worlds(2, 'both'), factors, (world, factor) => {
        fc.pre(hasEnough(world));
        const means = times(world, factor, () => true).filter(({ isOfDay }) => !isOfDay);
        expect(means.map(({ names, assetCode }) => [names, assetCode])).toEqual([[['2026-11'], null]]);
      }),
      RUNS,
    );
  });

  test('the mean of a month is asked about beyond a twentieth of that of five payments, to the last digit', () => {
    fc.assert(
      fc.property(worlds(1, 'payments'), fc.integer({ min: 9_000, max: 11_000 }), (world, n) => {
        fc.pre(hasEnough(world) && n !== 9_500 && n !== 10_500);
        const own = world.rates.filter(({ assetCode }) => assetCode === 'A0');
        const known = own.map((_, place) => ({ ...nothing, paid: world.known[place]?.paid ?? null }));
        const total = known.reduce((sum, { paid }) => sum + (paid?.payments ?? 0), 0);
        const given = own.map((one, place) => ({
          ...one,
          rate: multiplyAmounts(known[place]?.paid?.mean ?? '1', `${n / 10_000}`, 'half_even'),
        }));
        const means = rateDoubts(given, known).filter(({ names }) => names[0] === '2026-11:A0');
        expect(means.length).toBe(total >= 5 && Math.abs(n - 10_000) > 500 ? 1 : total === 0 ? 1 : 0);
      }),
      RUNS,
    );
  });
});
