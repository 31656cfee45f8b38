import * as fc from 'fast-check';
import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { ServiceClock } from '../../src/service-api/service-clock.js';
import { withoutNetwork } from './no-network.js';
import { BASE_URL, testClient } from './test-client.js';

withoutNetwork();

const START = 1_900_000_000_000;

/** A call: how long since the one before, how long to the service and back, and where on the way it wrote its date. */
const callArb = fc.record({
  idle: fc.integer({ min: 0, max: 120_000 }),
  trip: fc.integer({ min: 0, max: 5_000 }),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
});

function clockAt(start: number) {
  let now = start;
  const clock = new ServiceClock(() => now);
  return {
    clock,
    now: () => now,
    /** `offset`: true service time minus local time, as a function of local time. */
    call({ idle, trip, at }: { idle: number; trip: number; at: number }, offset: (local: number) => number) {
      const sentAt = now + idle;
      const receivedAt = sentAt + trip;
      const wrote = sentAt + trip * at;
      now = receivedAt;
      clock.note({ sentAt, receivedAt, date: Math.floor((wrote + offset(wrote)) / 1_000) * 1_000 });
    },
  };
}

describe('the service clock', () => {
  it('always encloses the true offset, whatever it is, however long calls take, and while clocks drift', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.double({ min: -0.0009, max: 0.0009, noNaN: true }),
        fc.array(callArb, { minLength: 1, maxLength: 100 }),
        (offset, drift, calls) => {
          const bench = clockAt(START);
          const truth = (local: number) => offset + (local - START) * drift;
          for (const call of calls) {
            bench.call(call, truth);
            const { low, high } = bench.clock.bounds();
            expect(low).toBeLessThanOrEqual(truth(bench.now()));
            expect(high).toBeGreaterThanOrEqual(truth(bench.now()));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('forgets nothing in a burst: each reading begins after the one before it', () => {
    const bench = clockAt(START + 990);
    let last = 0;
    for (let i = 0; i < 400; i++) {
      bench.call({ idle: 1, trip: 1, at: 0.5 }, () => 0);
      const from = bench.now() + bench.clock.bounds().low;
      expect(from).toBeGreaterThan(last);
      last = from;
    }
    const { low, high } = bench.clock.bounds();
    expect(high - low).toBeLessThan(50);
  });

  it('learns to a fraction of a second what each answer says to a second', () => {
    const bench = clockAt(START);
    for (let i = 0; i < 40; i++) bench.call({ idle: 1_037, trip: 10, at: 0.5 }, () => 250);
    const { low, high } = bench.clock.bounds();
    expect(high - low).toBeLessThan(150);
    expect(Math.abs(bench.clock.now() - bench.now() - 250)).toBeLessThan(100);
  });

  it('follows when the clock of the service is set ahead, at the third answer, and back, at once', () => {
    const bench = clockAt(START);
    const answer = (offset: number) => bench.call({ idle: 5_000, trip: 20, at: 0.5 }, () => offset);
    const isAt = (offset: number) => Math.abs(bench.clock.now() - bench.now() - offset) < 1_500;
    for (let i = 0; i < 10; i++) answer(0);
    for (const followed of [false, false, true, true]) {
      answer(3_600_000);
      expect(isAt(followed ? 3_600_000 : 0)).toBe(true);
    }
    answer(0);
    expect(isAt(0)).toBe(true);
  });

  it('is not led astray by one host of many whose date is years ahead', () => {
    const bench = clockAt(START);
    for (let i = 0; i < 40; i++) {
      bench.call({ idle: 1_037, trip: 10, at: 0.5 }, () => (i % 4 === 2 ? 1e11 : 0));
      expect(Math.abs(bench.clock.now() - bench.now())).toBeLessThan(1_000);
    }
  });

  it('encloses both of two hosts that disagree, and forgets the one that is gone', () => {
    const bench = clockAt(START);
    for (let i = 0; i < 20; i++) bench.call({ idle: 1_037, trip: 10, at: 0.5 }, () => (i % 2) * 2_500);
    const { low, high } = bench.clock.bounds();
    expect(low).toBeLessThanOrEqual(0);
    expect(high).toBeGreaterThanOrEqual(2_500);
    for (let i = 0; i < 20; i++) bench.call({ idle: 60_037, trip: 10, at: 0.5 }, () => 0);
    expect(bench.clock.bounds().high).toBeLessThan(1_200);
  });

  it('knows nothing before the first answer, and says so', () => {
    const clock = new ServiceClock(() => START);
    expect(clock.measured()).toBeNull();
    expect(clock.now()).toBe(START);
    clock.note({ sentAt: START, receivedAt: START, date: Number.NaN });
    expect(clock.measured()).toBeNull();
  });
});

describe('the times of a reply', () => {
  const reply = async (headers: Record<string, string>) => {
    nock(BASE_URL).get('/v1/payment-intents').reply(200, [], headers);
    const client = testClient();
    const before = performance.timeOrigin + performance.now();
    const { from, to } = await client.listPaymentIntents();
    const after = performance.timeOrigin + performance.now();
    return { client, from, to, before, after };
  };

  it('enclose the call on the clock of the service, in whole milliseconds', async () => {
    const hourAhead = 3_600_000;
    const { client, from, to, before, after } = await reply({ Date: new Date(Date.now() + hourAhead).toUTCString() });
    expect(from).toBeLessThanOrEqual(before + hourAhead);
    expect(from).toBeGreaterThan(before + hourAhead - 2_000);
    expect(to).toBeGreaterThanOrEqual(after + hourAhead - 1_000);
    expect(Number.isInteger(from) && Number.isInteger(to)).toBe(true);
    expect(Math.abs(client.serviceNow() - Date.now() - hourAhead)).toBeLessThan(1_500);
    expect(client.clock()).toMatchObject({ samples: 1 });
  });

  it.each([{}, { Date: 'yesterday' }, { Date: new Date(0).toUTCString(), Age: '60' }])(
    'rest on our own clock and a margin where the answer has %j',
    async (headers: Record<string, string>) => {
      const { client, from, to, before, after } = await reply(headers);
      expect(client.clock()).toBeNull();
      expect(before - from).toBeGreaterThanOrEqual(1_000);
      expect(before - from).toBeLessThan(10_000);
      expect(to - after).toBeGreaterThan(0);
    },
  );
});
