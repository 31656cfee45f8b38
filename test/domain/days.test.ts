import { describe, expect, test } from 'vitest';
import { ageBucket, ageBuckets } from '../../src/domain/age-buckets.js';
import { asOfMoment } from '../../src/domain/books/as-of.js';

describe('what was known as of', () => {
  test.each([
    ['2026-10-31', 'UTC', '2026-10-31T23:59:59.999Z'],
    [' 2026-10-31 ', 'UTC', '2026-10-31T23:59:59.999Z'],
    ['2026-10-31', 'Asia/Tokyo', '2026-10-31T14:59:59.999Z'],
    ['2026-10-31', 'Pacific/Kiritimati', '2026-10-31T09:59:59.999Z'],
    ['2026-10-31', 'Pacific/Auckland', '2026-10-31T10:59:59.999Z'],
    ['2026-05-31', 'Pacific/Auckland', '2026-05-31T11:59:59.999Z'],
    ['2026-10-31', 'Pacific/Pago_Pago', '2026-11-01T10:59:59.999Z'],
    ['2026-10-31', 'Etc/GMT+12', '2026-11-01T11:59:59.999Z'],
    // This zone left out the day after it.
    ['2011-12-29', 'Pacific/Apia', '2011-12-30T09:59:59.999Z'],
    // Clocks were changed that day: it has 25 hours.
    ['2026-10-25', 'Europe/Berlin', '2026-10-25T22:59:59.999Z'],
  ])('the day %s in %s is its last millisecond', (text, zone, moment) => {
    expect(asOfMoment(text, zone)?.toISOString()).toBe(moment);
  });

  test.each([
    ['2026-10-31T18:00', '2026-10-31T18:00:00.000Z'],
    ['2026-10-31T18:00:59Z', '2026-10-31T18:00:59.000Z'],
    ['2026-10-31 18:00:00.5+02:00', '2026-10-31T16:00:00.500Z'],
    ['2026-10-31T18:00:00.123-10:00', '2026-11-01T04:00:00.123Z'],
    ['2028-02-29T10:00', '2028-02-29T10:00:00.000Z'],
  ])('the moment %s is itself, in UTC where it names no zone, wherever the books are', (text, moment) => {
    expect(asOfMoment(text, 'Asia/Tokyo')?.toISOString()).toBe(moment);
  });

  test.each([
    '2026-02-30',
    '2026-13-01',
    '2026-02-31T10:00',
    '2026-02-29 10:00+02:00',
    '2026-10-31T24:01',
    '2026-10-31T18',
    '2026-10-31 noon',
    '2026-10-31 6:00',
    '2026-10-31T18:00:00.1234',
    'yesterday',
    '',
    '31.10.2026',
  ])('%j is neither', (text) => {
    expect(asOfMoment(text, 'UTC')).toBeNull();
  });
});

test('an age is in one bucket, from its first day to its last; what is dated ahead of us is new', () => {
  for (const [bucket, [from, to]] of Object.entries(ageBuckets))
    expect([ageBucket(from), ageBucket(to)]).toEqual([bucket, bucket]);
  const ages = [-5, 0, 30, 31, 60, 61, 90, 91, 5_000].map(ageBucket);
  expect(ages.join(' ')).toBe('0-30 0-30 0-30 31-60 31-60 61-90 61-90 90+ 90+');
});
