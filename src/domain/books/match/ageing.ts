import { type AgeBucket, ageBucket, ageBuckets } from '../../age-buckets.js';
import { dayIn, startOfDay } from '../posting-month.js';

const DAY_MS = 86_400_000;

/** In which bucket something stands that began on a day (YYYY-MM-DD), on another. */
export function ageOn(day: string, opened: string): AgeBucket {
  return ageBucket(Math.round((Date.parse(day) - Date.parse(opened)) / DAY_MS));
}

/** The moments, in ms, between which that began which stands in a bucket on a day of the zone: from, and before. */
export function openedBetween(bucket: AgeBucket, day: string, timeZone: string): { from: number; before: number } {
  const [youngest, oldest] = ageBuckets[bucket];
  const start = (days: number) => {
    const before = new Date(Date.parse(day) - days * DAY_MS);
    return startOfDay(timeZone, before.toISOString().slice(0, 10));
  };
  return {
    from: bucket === '90+' ? 0 : start(oldest),
    before: youngest === 0 ? Number.MAX_SAFE_INTEGER : start(youngest - 1),
  };
}

export const todayIn = (timeZone: string, now: Date): string => dayIn(timeZone, now.getTime());
