import { expect, test } from 'vitest';
import { refusedAgain, withdrawnSince } from '../../src/reconcile/lists/payouts.js';
import type { Watermark } from '../../src/records/runs/watermarks.js';

const HOUR = 3_600_000;
const refusals = (...hours: number[]): Watermark | undefined =>
  hours.reduce<Watermark | undefined>((mark, hour) => refusedAgain(mark, hour * HOUR), undefined);
const every = (step: number, until: number) => Array.from({ length: until / step + 1 }, (_, n) => 1 + n * step);

test('a list that is refused for a day, again and again, is withdrawn since the first refusal', () => {
  expect(withdrawnSince(refusals(...every(1, 24)))).toBe(HOUR);
  expect(withdrawnSince(refusals(...every(1, 23)))).toBeNull();
  expect(withdrawnSince(refusals(...every(2, 24)))).toBe(HOUR);
  // It stays so while nobody asks.
  expect(withdrawnSince(refusals(...every(1, 24), 99))).toBe(HOUR);
});

test('two refusals a day apart say nothing of the day between, nor do those before a pause', () => {
  expect(withdrawnSince(refusals(1, 26))).toBeNull();
  expect(withdrawnSince(refusals(...every(0.25, 4), 30))).toBeNull();
  expect(withdrawnSince(refusals(1, 6, 11, 16, 21, 26))).toBeNull();
  expect(withdrawnSince({ since: null, at: null })).toBeNull();
  // Noted before they were counted.
  expect(withdrawnSince({ since: HOUR, at: 26 * HOUR })).toBe(HOUR);
});
