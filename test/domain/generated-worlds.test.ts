import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Generation,
  type GenerationEvidence,
  generationOf,
  type WatchedEndpoint,
} from '../../src/domain/deliveries/generated-events.js';
import { sized } from '../support/sizes.js';

const TYPE = 'payment_intent.completed';
const OWN = { publicUrl: 'https://shop.example/webhooks', webhookPath: '/webhooks' };
const GRACE = 900;
const LONG = 20_000;
const at = fc.integer({ min: 0, max: LONG });
const runs = { numRuns: sized(2_000, 100_000) };

/** How an endpoint is set from a time on. */
interface Setting {
  from: number;
  isActive: boolean;
  takes: boolean;
  isOurs: boolean;
}

/** A service, and when it is read. `swallowed`: it generates no event. `lag`: from the state to its delivery in the history. */
interface World {
  endpoints: { createdAt: number; settings: Setting[]; polledAfter: number }[];
  created: number;
  after: number;
  shown: number;
  swallowed: boolean;
  lag: number;
  copies: number;
  historyFrom: number;
  readAt: number;
  endpointsAfter: number;
}

const setting = fc.record({
  from: at,
  isActive: fc.boolean(),
  takes: fc.boolean(),
  isOurs: fc.constantFrom(true, true, false),
});
const worlds: fc.Arbitrary<World> = fc.record({
  endpoints: fc.array(
    fc.record({
      createdAt: fc.integer({ min: 0, max: LONG / 4 }),
      settings: fc.array(setting, { minLength: 1, maxLength: 3 }),
      polledAfter: fc.integer({ min: 0, max: 500 }),
    }),
    { maxLength: 3 },
  ),
  created: at,
  after: fc.integer({ min: 0, max: 2_000 }),
  shown: fc.integer({ min: 0, max: 2_000 }),
  swallowed: fc.boolean(),
  lag: fc.integer({ min: 0, max: GRACE * 2 }),
  copies: fc.integer({ min: 1, max: 3 }),
  historyFrom: fc.integer({ min: 0, max: LONG / 2 }),
  readAt: fc.integer({ min: 0, max: LONG * 2 }),
  endpointsAfter: fc.integer({ min: 0, max: 500 }),
});

interface Played {
  said: Generation;
  /** An endpoint of ours takes the event at the moment of the state. */
  isDue: boolean;
  listed: number;
  stateAt: number;
}

/** What is said once the history was read at `readAt`, and the endpoints just after. A change of one is polled before its next. */
function play(world: World, more: Partial<GenerationEvidence> = {}): Played {
  const { created, after, shown, swallowed, lag, copies, historyFrom, readAt, endpointsAfter } = world;
  const stateAt = created + after;
  const endpointsRead = readAt + endpointsAfter;
  const setAt = (settings: readonly Setting[], moment: number) =>
    settings.toSorted((a, b) => a.from - b.from).findLast(({ from }) => from <= moment);
  const takers = world.endpoints.filter(({ createdAt, settings }) => {
    const set = createdAt <= stateAt ? setAt(settings, stateAt) : undefined;
    return set?.isActive === true && set.takes;
  });
  const listed =
    !swallowed && takers.length > 0 && stateAt + lag <= readAt && stateAt >= historyFrom ? takers.length * copies : 0;
  const endpoints = world.endpoints.flatMap(({ createdAt, settings, polledAfter }, n): WatchedEndpoint[] => {
    const set = setAt(settings, endpointsRead);
    if (set === undefined || createdAt > endpointsRead) return [];
    const { from, isActive, takes, isOurs } = set;
    const url = isOurs ? OWN.publicUrl : 'https://other.example/webhooks';
    const sameSince = Math.min(Math.max(from, createdAt) + polledAfter, endpointsRead);
    return [{ id: `we_${n}`, url, events: takes ? ['*'] : ['payout.failed'], isActive, createdAt, sameSince }];
  });
  const evidence = { delivered: listed > 0, came: false, unnamed: false, isUsual: true, ...more };
  const state = { eventType: TYPE, createdAt: created, shownAt: stateAt + shown };
  const known = { from: historyFrom, readAt };
  const said = generationOf(state, evidence, { known, graceMs: GRACE, own: OWN, endpoints });
  const isDue = takers.some(({ settings }) => setAt(settings, stateAt)?.isOurs === true);
  return { said, isDue, listed, stateAt };
}

test('what was generated is never said not to be, unless the history lists it later than the grace', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const { said, isDue, listed } = play(world);
      if (said !== 'never') return;
      expect(isDue).toBe(true);
      expect(listed).toBe(0);
      expect(world.swallowed || world.lag > GRACE).toBe(true);
    }),
    runs,
  );
});

test('a delivery ends it, however late and however often, and to whichever endpoint', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const { listed } = play(world);
      if (listed > 0) expect(play(world).said).toBe('generated');
      const late = { ...world, swallowed: false, readAt: world.readAt + LONG * 2, historyFrom: 0 };
      if (play(late).listed > 0) expect(play(late).said).toBe('generated');
    }),
    runs,
  );
});

test('an event that came, a delivery that may be it, a type that was never generated, an unread history: nothing is said', () => {
  fc.assert(
    fc.property(
      worlds,
      fc.constantFrom<Partial<GenerationEvidence>>({ came: true }, { unnamed: true }, { isUsual: false }),
      (world, more) => {
        expect(play(world, more).said).not.toBe('never');
      },
    ),
    runs,
  );
  const evidence = { delivered: false, came: false, unnamed: false, isUsual: true };
  const rules = { known: null, graceMs: 0, own: OWN, endpoints: [] };
  expect(generationOf({ eventType: TYPE, createdAt: 1, shownAt: 2 }, evidence, rules)).toBe('unknown');
});

test('what is swallowed under an endpoint that was there all the time is said, once the grace is over', () => {
  const quiet = worlds.map((world): World => {
    const settings = [{ from: 0, isActive: true, takes: true, isOurs: true }];
    const endpoint = { createdAt: 0, settings, polledAfter: 0 };
    return { ...world, endpoints: [...world.endpoints, endpoint], swallowed: true, created: world.created + 1 };
  });
  fc.assert(
    fc.property(quiet, (world) => {
      const { said, stateAt } = play(world);
      const isRead = world.historyFrom < world.created && stateAt + world.shown + GRACE < world.readAt;
      expect(said).toBe(isRead ? 'never' : 'unknown');
    }),
    runs,
  );
});
