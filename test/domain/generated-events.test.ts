import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generationOf, type WatchedEndpoint } from '../../src/domain/deliveries/generated-events.js';
import { type HistoryKnown, knownAfter } from '../../src/domain/deliveries/report-standing.js';
import { sized } from '../support/sizes.js';

const TYPE = 'payment_intent.completed';
const own = { publicUrl: 'https://shop.example/webhooks', webhookPath: '/webhooks' };
const graceMs = 900;
const endpoint: WatchedEndpoint = {
  id: 'we_1',
  url: own.publicUrl,
  events: [TYPE],
  isActive: true,
  createdAt: 0,
  sameSince: 0,
};
const state = { eventType: TYPE, createdAt: 1_000, shownAt: 5_000 };
const none = { delivered: false, came: false, unnamed: false, isUsual: true };
const rules = { known: { from: 500, readAt: 6_000 }, graceMs, own, endpoints: [endpoint] };

describe('an event of a state that a list shows', () => {
  test('was never generated where the history was read over all of it, and an endpoint of ours was subscribed', () => {
    expect(generationOf(state, none, rules)).toBe('never');
    const ofKind = [{ ...endpoint, events: ['payment_intent.*'] }];
    expect(generationOf(state, none, { ...rules, endpoints: ofKind })).toBe('never');
    expect(generationOf(state, { ...none, delivered: true }, rules)).toBe('generated');
  });

  test.each<[string, Partial<typeof rules>, Partial<WatchedEndpoint>]>([
    ['the history was not read', { known: null as never }, {}],
    ['the history is known from later on', { known: { from: 1_000, readAt: 6_000 } }, {}],
    ['the grace is not over', { known: { from: 500, readAt: 5_900 } }, {}],
    ['there is no endpoint', { endpoints: [] }, {}],
    ['the endpoint is another shop’s', {}, { url: 'https://other.example/webhooks' }],
    ['it is switched off', {}, { isActive: false }],
    ['nobody says whether it is on', {}, { isActive: null }],
    ['it does not subscribe', {}, { events: ['payout.failed'] }],
    ['it does not say what it subscribes to', {}, { events: null }],
    ['it was made later', {}, { createdAt: 1_000 }],
    ['nobody says when it was made', {}, { createdAt: null }],
    ['it was changed since', {}, { sameSince: 2_000 }],
    ['nobody saw it before the payment was made', {}, { sameSince: null }],
  ])('is not known where %s', (_why, changed, other) => {
    expect(generationOf(state, none, { ...rules, endpoints: [{ ...endpoint, ...other }], ...changed })).toBe('unknown');
  });

  test('is not known where a delivery may be its own, or the payment has no time', () => {
    expect(generationOf(state, { ...none, unnamed: true }, rules)).toBe('unknown');
    expect(generationOf(state, { ...none, came: true }, rules)).toBe('unknown');
    expect(generationOf(state, { ...none, isUsual: false }, rules)).toBe('unknown');
    expect(generationOf({ ...state, createdAt: null }, none, rules)).toBe('unknown');
  });
});

interface World {
  createdAt: number;
  untilPaid: number;
  untilShown: number;
  lag: number;
  swallowed: boolean;
  endpointAt: number;
  /** The history begins with it. */
  oldest: number;
  /** When it was switched on or off. */
  toggles: number[];
  readings: { at: number; complete: boolean; full: boolean }[];
}

const world: fc.Arbitrary<World> = fc.record({
  createdAt: fc.integer({ min: 0, max: 10_000 }),
  untilPaid: fc.integer({ min: 0, max: 5_000 }),
  untilShown: fc.integer({ min: 0, max: 2_000 }),
  lag: fc.integer({ min: 0, max: graceMs }),
  swallowed: fc.boolean(),
  endpointAt: fc.oneof(fc.constant(-1), fc.integer({ min: -1, max: 12_000 })),
  oldest: fc.oneof(fc.constant(-5), fc.integer({ min: -5, max: 15_000 })),
  toggles: fc.oneof(fc.constant<number[]>([]), fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 3 })),
  readings: fc.array(
    fc.record({ at: fc.integer({ min: 0, max: 25_000 }), complete: fc.boolean(), full: fc.boolean() }),
    { maxLength: 8 },
  ),
});

/** What the service did, and what of it is known here at each reading. */
function play(given: World) {
  const { createdAt, untilPaid, untilShown, lag, swallowed, endpointAt, toggles, readings } = given;
  // It loses nothing once it was read.
  const oldest = Math.min(given.oldest, ...readings.map(({ at }) => at));
  const paidAt = createdAt + untilPaid;
  const shownAt = paidAt + untilShown;
  const before = (at: number) => toggles.filter((toggle) => toggle <= at).toSorted((a, b) => a - b);
  const isSubscribed = (at: number) => endpointAt <= at && before(at).length % 2 === 0;
  const made = !swallowed && isSubscribed(paidAt) ? paidAt + lag : null;
  let known: HistoryKnown | null = null;
  let seen = false;
  return readings
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, complete, full }) => {
      const downTo: number | null = full || known === null ? null : known.readAt - 600;
      seen ||= complete && made !== null && made <= at && made >= oldest && (downTo === null || made >= downTo);
      known = knownAfter(known, { complete, readAt: at, downTo, oldest, hasLost: false });
      const endpoints: WatchedEndpoint[] =
        endpointAt > at
          ? []
          : [
              {
                ...endpoint,
                createdAt: endpointAt,
                isActive: isSubscribed(at),
                sameSince: before(at).at(-1) ?? endpointAt,
              },
            ];
      const verdict =
        shownAt > at
          ? 'unknown'
          : generationOf(
              { ...state, createdAt, shownAt },
              { ...none, delivered: seen },
              { ...rules, known, endpoints },
            );
      return { at, known, verdict, made, shownAt };
    });
}

describe('law: over random worlds', () => {
  test('what is called never generated was due and swallowed, whatever was read, switched or late', () => {
    fc.assert(
      fc.property(world, (given) => {
        for (const { verdict } of play(given)) if (verdict === 'never') expect(given.swallowed).toBe(true);
      }),
      { numRuns: sized(3_000, 100_000) },
    );
  });

  test('what is swallowed is found by the first complete reading behind the grace, where an endpoint was subscribed all the time', () => {
    fc.assert(
      fc.property(world, (given) => {
        const swallowed = { ...given, swallowed: true, endpointAt: -1, oldest: -5, toggles: [] };
        for (const { at, known, verdict, shownAt } of play(swallowed))
          if (known?.readAt === at && known.from < given.createdAt && shownAt + graceMs < at)
            expect(verdict).toBe('never');
      }),
      { numRuns: sized(1_000, 100_000) },
    );
  });
});
