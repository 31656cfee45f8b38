import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addTallies,
  type EventFacts,
  eventClasses,
  OTHER_TYPES,
  percentile,
  type Tally,
  tallyEvents,
} from '../../src/domain/scorecard/tally-events.js';
import { sized } from '../support/sizes.js';

const HOUR = 3_600_000;
const rules = { graceMs: 900_000, newestBefore: null };
const runs = { numRuns: sized(1_000, 50_000) };

const event: fc.Arbitrary<EventFacts> = fc.record({
  key: fc.nat(30).map(String),
  eventType: fc.constantFrom('payment_intent.completed', 'payout.failed', '__proto__'),
  madeAt: fc.option(fc.nat(4 * HOUR)),
  receivedAt: fc.option(fc.nat(4 * HOUR), { freq: 4 }),
  isRepeated: fc.boolean(),
  isForged: fc.boolean(),
  why: fc.constantFrom('under_way', 'rejected', 'missed', 'never_generated'),
});

function totalOf(tally: Tally): number {
  return Object.values(tally)
    .flatMap(({ classes }) => Object.values(classes))
    .reduce((sum, n) => sum + n, 0);
}

test('the classes add up to the events, each of which counts once, however often it is given', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const tally = tallyEvents(events, rules);
      expect(totalOf(tally)).toBe(new Set(events.map(({ key }) => key)).size);
      expect(tallyEvents([...events, ...events], rules)).toEqual(tally);
    }),
    runs,
  );
});

test('the order in which they are given makes no difference', () => {
  const shuffled = fc
    .array(event, { maxLength: 40 })
    .chain((events) => fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })));
  fc.assert(
    fc.property(shuffled, ([events, others]) => {
      expect(tallyEvents(others, rules)).toEqual(tallyEvents(events, rules));
    }),
    runs,
  );
});

test('parts one after the other add up to the whole, where each knows the newest before it', () => {
  const distinct = fc.uniqueArray(event, { selector: ({ key }) => key, maxLength: 40 });
  fc.assert(
    fc.property(distinct, fc.nat(4 * HOUR), (events, cut) => {
      const at = ({ receivedAt }: EventFacts) => receivedAt ?? 0;
      const [before, after] = [events.filter((one) => at(one) < cut), events.filter((one) => at(one) >= cut)];
      const made = before.flatMap(({ madeAt, receivedAt, isForged }) =>
        madeAt === null || receivedAt === null || isForged ? [] : [madeAt],
      );
      const newestBefore = made.length === 0 ? null : Math.max(...made);
      const parts = [tallyEvents(before, rules), tallyEvents(after, { ...rules, newestBefore })];
      expect(addTallies(parts)).toEqual(tallyEvents(events, rules));
    }),
    runs,
  );
});

const usual: EventFacts = {
  key: '1',
  eventType: 'a',
  madeAt: 10_000,
  receivedAt: 11_000,
  isRepeated: false,
  isForged: false,
  why: 'missed',
};

test.each<[string, Partial<EventFacts>, number | null, string]>([
  ['came in time', {}, null, 'received'],
  ['came twice', { isRepeated: true }, null, 'doubled'],
  ['was overtaken', { isRepeated: true }, 15_001, 'out_of_order'],
  ['was made about when the one before it was', {}, 15_000, 'received'],
  ['came at the end of the grace', { receivedAt: 910_000 }, null, 'received'],
  ['came later than the grace', { receivedAt: 910_001 }, 20_000, 'late'],
  ['says no time', { madeAt: null, receivedAt: 910_001 }, 20_000, 'received'],
  ['was forged', { isForged: true, receivedAt: 910_001 }, 20_000, 'not_sent'],
  ['did not come', { receivedAt: null }, 20_000, 'missed'],
  ['is still on its way', { receivedAt: null, why: 'under_way' }, null, 'under_way'],
])('one that %s', (_what, more, newestBefore, what) => {
  expect(tallyEvents([{ ...usual, ...more }], { ...rules, newestBefore })['a']?.classes).toEqual({ [what]: 1 });
});

test('one that came counts as come, whatever else is said of it; of one that did not the worst', () => {
  const lost = { ...usual, receivedAt: null };
  expect(tallyEvents([lost, usual], rules)['a']?.classes).toEqual({ received: 1 });
  const both = [lost, { ...lost, why: 'rejected' as const }];
  expect(tallyEvents(both, rules)['a']?.classes).toEqual({ missed: 1 });
  expect(eventClasses.indexOf('missed')).toBeGreaterThan(eventClasses.indexOf('rejected'));
});

test('delays: half and 99 of 100 came within that, to within a tenth', () => {
  const delays = Array.from({ length: 1_000 }, (_, n) => (n + 1) * 10);
  const events = delays.map((delay, n) => ({ ...usual, key: String(n), receivedAt: 10_000 + delay }));
  const { a } = tallyEvents(events, rules);
  const [p50, p99] = [percentile(a?.delays ?? {}, 50) ?? 0, percentile(a?.delays ?? {}, 99) ?? 0];
  expect(p50).toBeGreaterThanOrEqual(5_000);
  expect(p50).toBeLessThanOrEqual(5_501);
  expect(p99).toBeGreaterThanOrEqual(9_900);
  expect(p99).toBeLessThanOrEqual(10_891);
  expect(percentile({}, 50)).toBeNull();
  // Half of two is the first of them.
  expect(percentile({ 0: 1, 100: 1 }, 50)).toBe(1);
});

test('types beyond a hundred are counted as one', () => {
  const events = Array.from({ length: 150 }, (_, n) => ({ ...usual, key: String(n), eventType: `type ${n}` }));
  const tally = tallyEvents(events, rules);
  expect(Object.keys(tally)).toHaveLength(101);
  expect(tally[OTHER_TYPES]?.classes).toEqual({ received: 50 });
});
