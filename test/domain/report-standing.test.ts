import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type HistoryKnown,
  historyDiffers,
  knownAfter,
  LONGEST_RETRY_MS,
  matchedToCount,
  OTHERS_TO_COUNT,
  pointsAtSecret,
  standingOf,
} from '../../src/domain/deliveries/report-standing.js';
import { leakOf, leakWords } from '../../src/domain/deliveries/secret-leak.js';
import { sized } from '../support/sizes.js';

/** An event that came; `made`: when its delivery was made, null: nobody made one. `lag`: when the history lists it. */
interface Report {
  arrivedAt: number;
  made: number | null;
  lag: number;
  endpointListed: boolean;
}

/** `complete`: to the end of what was to be read. `keeps`: the history lists so many of the newest, once it was read first. */
interface Reading {
  at: number;
  complete: boolean;
  full: boolean;
  keeps: number;
}

const GRACE = 900;
const MINUTES = 20_000;

const report: fc.Arbitrary<Report> = fc
  .record({
    arrivedAt: fc.integer({ min: 0, max: MINUTES }),
    before: fc.integer({ min: 0, max: 300 }),
    isForged: fc.boolean(),
    // With `before` ten minutes: a history is written no more than that out of order (DISORDER_MS).
    lag: fc.integer({ min: 0, max: 300 }),
    endpointListed: fc.boolean(),
  })
  .map(({ before, isForged, ...given }) => ({ ...given, made: isForged ? null : given.arrivedAt - before }));
const reading: fc.Arbitrary<Reading> = fc.record({
  at: fc.integer({ min: 0, max: MINUTES * 2 }),
  complete: fc.boolean(),
  full: fc.boolean(),
  keeps: fc.constantFrom(0, 1, 3, 1_000),
});
const worlds = fc.record({
  reports: fc.array(report, { maxLength: 12 }),
  readings: fc.array(reading, { maxLength: 12 }),
});
const runs = { numRuns: sized(300, 20_000) };

interface Step {
  standing: ReturnType<typeof standingOf>;
  known: HistoryKnown | null;
  reading: Reading;
}

/** What is said of each report after each reading, as reconcile/deliveries has it. */
function play(reports: readonly Report[], readings: readonly Reading[]): Step[][] {
  const matched = new Set<Report>();
  let known: HistoryKnown | null = null;
  return readings
    .toSorted((a, b) => a.at - b.at)
    .map((one) => {
      const keeps = known === null ? reports.length : one.keeps;
      const listed = reports
        .filter(({ arrivedAt, made, lag }) => made !== null && arrivedAt + lag <= one.at)
        .toSorted((a, b) => (b.made ?? 0) - (a.made ?? 0))
        // What it lost before it was read once is distinguished from what was never sent by nobody (docs/security.md).
        .filter((report, place) => place < keeps || !matched.has(report));
      const downTo: number | null = one.full || known === null ? null : known.readAt - 600;
      const shown = one.complete ? listed : listed.slice(0, listed.length / 2);
      const seen = shown.filter(({ made }) => downTo === null || (made ?? 0) >= downTo);
      for (const report of seen) matched.add(report);
      const isAtEnd = seen.length === shown.length;
      const oldest = seen.length === 0 ? null : Math.min(...seen.map(({ made }) => made ?? 0));
      const { complete, at: readAt } = one;
      const hasLost = isAtEnd && oldest !== null && [...matched].some(({ made }) => (made ?? 0) < oldest);
      known = knownAfter(known, { complete, readAt, downTo: isAtEnd ? null : downTo, oldest, hasLost });
      return reports.map((report) => ({
        standing: one.complete
          ? standingOf({ ...report, matched: matched.has(report) }, { known, graceMs: GRACE })
          : matched.has(report)
            ? 'matched'
            : 'unmatched',
        known,
        reading: one,
      }));
    });
}

describe('a report and the delivery history', () => {
  test('what the service sent is never named, whatever the history lists late, loses or is read of', () => {
    fc.assert(
      fc.property(worlds, ({ reports, readings }) => {
        for (const step of play(reports, readings)) {
          for (const [index, { standing }] of step.entries()) {
            if (reports[index]?.made !== null) expect(standing).not.toBe('not_sent');
          }
        }
      }),
      runs,
    );
  });

  test('what it did not send is named after the first complete reading past the grace, from before it, and not sooner', () => {
    let named = 0;
    fc.assert(
      fc.property(worlds, ({ reports, readings }) => {
        for (const step of play(reports, readings)) {
          for (const [index, { standing, known, reading: at }] of step.entries()) {
            const { arrivedAt, made, endpointListed } = reports[index] ?? report0;
            if (made !== null) continue;
            const isDue = at.complete && known !== null && arrivedAt + GRACE < at.at && known.from < arrivedAt;
            expect(standing).toBe(isDue && endpointListed ? 'not_sent' : 'unmatched');
            if (standing === 'not_sent') named += 1;
          }
        }
      }),
      runs,
    );
    expect(named).toBeGreaterThan(100);
  });

  test('matched once is matched for good', () => {
    fc.assert(
      fc.property(worlds, ({ reports, readings }) => {
        const steps = play(reports, readings);
        for (const [at, step] of steps.entries()) {
          for (const [index, { standing }] of step.entries()) {
            if (standing === 'matched') expect(steps.at(at + 1)?.at(index)?.standing ?? 'matched').toBe('matched');
          }
        }
      }),
      runs,
    );
  });

  const report0: Report = { arrivedAt: 0, made: null, lag: 0, endpointListed: true };
});

test.each([
  [101, 0, 'not_sent'],
  [100, 0, 'unmatched'],
  [4_899, 100, 'not_sent'],
  [4_900, 100, 'unmatched'],
  [4_999, -100, 'not_sent'],
  [5_000, -100, 'unmatched'],
])(
  'what the history lacks came at %i, known from 100 to 5000, with a grace of %i: %s',
  (arrivedAt, graceMs, standing) => {
    const about = { known: { from: 100, readAt: 5_000 }, graceMs };
    const report = { arrivedAt, matched: false, endpointListed: true };
    expect(standingOf(report, about)).toBe(standing);
    expect(standingOf({ ...report, matched: true }, about)).toBe('matched');
    expect(standingOf({ ...report, endpointListed: false }, about)).toBe('unmatched');
    expect(standingOf(report, { ...about, known: null })).toBe('unmatched');
  },
);

describe('what is known of the history', () => {
  const before: HistoryKnown = { from: 100, readAt: 5_000 };

  test('a poll that is not complete says nothing', () => {
    expect(knownAfter(before, { complete: false, readAt: 9_000, downTo: null, oldest: 1, hasLost: false })).toBe(
      before,
    );
    expect(knownAfter(null, { complete: false, readAt: 9_000, downTo: null, oldest: 1, hasLost: false })).toBeNull();
  });

  test('one that goes on where the last began keeps since when it is known; one that ends above it begins anew', () => {
    expect(knownAfter(before, { complete: true, readAt: 9_000, downTo: 4_400, oldest: 4_600, hasLost: false })).toEqual(
      {
        from: 100,
        readAt: 9_000,
      },
    );
    const adjacent = { complete: true, readAt: 9_000, downTo: null, oldest: 5_000, hasLost: false };
    expect(knownAfter(before, adjacent)).toEqual({ from: 100, readAt: 9_000 });
    expect(knownAfter(before, { complete: true, readAt: 9_000, downTo: null, oldest: 5_001, hasLost: false })).toEqual({
      from: 5_001,
      readAt: 9_000,
    });
    expect(knownAfter(before, { complete: true, readAt: 9_000, downTo: null, oldest: null, hasLost: false })).toEqual({
      from: 9_000,
      readAt: 9_000,
    });
  });

  test('a history that goes on below what was read may have made a delivery that is tried again three days later', () => {
    expect(LONGEST_RETRY_MS).toBe(72 * 3_600_000);
    expect(knownAfter(null, { complete: true, readAt: 9_000, downTo: 1_000, oldest: 900, hasLost: false })?.from).toBe(
      1_000 + LONGEST_RETRY_MS,
    );
    const toEnd = { complete: true, readAt: 9_000, downTo: null, oldest: 900 };
    expect(knownAfter(null, { ...toEnd, hasLost: false })?.from).toBe(900);
    expect(knownAfter(null, { ...toEnd, hasLost: true })?.from).toBe(900 + LONGEST_RETRY_MS);
  });
});

describe('a history that differs', () => {
  test.each([
    [50, 5_000, false],
    [51, 4_950, true],
    [5, 0, false],
    [5, 15, false],
    [6, 13, false],
    [6, 14, true],
    [6, 594, false],
    [250, 4_750, true],
    [0, 0, false],
  ])('%i lack beside %i: %s', (lacking, matched, differs) => {
    expect(historyDiffers({ lacking, matched })).toBe(differs);
    expect(historyDiffers({ lacking, matched: Math.min(matched, matchedToCount(lacking)) })).toBe(differs);
  });
});

describe('what lacks under one secret', () => {
  test.each([
    [6, 0, 34, true],
    [6, 20, 14, false],
    [6, 20, 22, true],
    [6, 20, 21, false],
    [25, 475, 2, false],
    [25, 475, 100, true],
    [0, 0, 100, false],
  ])('%i lack beside %i of its own and %i others: %s', (lacking, matched, others, points) => {
    expect(pointsAtSecret({ lacking, matched, others })).toBe(points);
    expect(pointsAtSecret({ lacking, matched, others: Math.min(others, OTHERS_TO_COUNT) })).toBe(points);
  });

  test('no more of the others are counted than the largest share needs, and no fewer', () => {
    const most = { lacking: 1, matched: matchedToCount(1) };
    expect(pointsAtSecret({ ...most, others: OTHERS_TO_COUNT })).toBe(true);
    expect(pointsAtSecret({ ...most, others: OTHERS_TO_COUNT - 1 })).toBe(false);
  });

  test('points at it where a history that lacks that share of all would hardly have had all others', () => {
    const n = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(n, n, n, (lacking, matched, others) => {
        const points = pointsAtSecret({ lacking, matched, others });
        if (points) expect((1 - lacking / (lacking + matched)) ** others).toBeLessThan(0.007);
        if (points) expect(pointsAtSecret({ lacking, matched, others: others + 1 })).toBe(true);
        if (historyDiffers({ lacking, matched }))
          expect(pointsAtSecret({ lacking, matched, others: Math.min(others, OTHERS_TO_COUNT) })).toBe(points);
      }),
      runs,
    );
  });
});

describe('a secret', () => {
  const endpoint = { id: 'we_1', isActive: true, events: null };
  const fine = {
    secret: { label: 'live', endpoint },
    hasMatched: true,
    notSent: 0,
    unmatched: 0,
    lacking: 0,
    endpointListed: true,
    historyKnown: true,
    historyReason: null,
  };

  test('of which nothing is known says why, and what was found stays found', () => {
    expect(leakOf(fine)).toEqual({ notSent: 0, unmatched: 0, lacking: 0, untold: null });
    const refused = leakOf({ ...fine, historyKnown: false, historyReason: 'degraded: refused' });
    expect(refused).toMatchObject({ notSent: null, untold: expect.stringMatching(/degraded: refused$/) });
    expect(leakOf({ ...fine, endpointListed: false }).notSent).toBeNull();
    expect(leakOf({ ...fine, secret: { label: 'live', endpoint: null } })).toMatchObject({
      notSent: null,
      untold: expect.stringContaining('send a test to its endpoint'),
    });
    expect(leakOf({ ...fine, unmatched: 6, lacking: 6 })).toMatchObject({
      notSent: null,
      untold: expect.stringContaining('lacks 6 events'),
    });
    expect(leakOf({ ...fine, endpointListed: false, notSent: 3 }).notSent).toBe(3);
    expect(leakOf({ ...fine, hasMatched: false, historyKnown: false })).toMatchObject({ notSent: 0, untold: null });
  });

  test('says what to do', () => {
    const words = (notSent: number | null, lacking: number) => leakWords({ label: 'live', notSent, lacking });
    expect(words(1, 0)).toContain('1 event that the service did not send came under "live". Rotate it now');
    expect(words(3, 5)).toContain(
      '3 events that the service did not send came under "live", and the delivery history lacks 5 more',
    );
    expect(words(null, 6)).toMatch(
      /^This secret may have leaked, or the history lacks events: it has not 6 events .*Compare/,
    );
    expect(words(0, 0)).toBeNull();
    expect(words(null, 0)).toBeNull();
  });
});
