/** How long something has been waiting, in whole days. */
export type AgeBucket = '0-30' | '31-60' | '61-90' | '90+';

/** The first and the last whole day of each. */
export const ageBuckets: Readonly<Record<AgeBucket, readonly [from: number, to: number]>> = {
  '0-30': [0, 30],
  '31-60': [31, 60],
  '61-90': [61, 90],
  '90+': [91, 100_000],
};

/** What is not a day old yet, and what is dated ahead of our clock, is in the first. */
export function ageBucket(days: number): AgeBucket {
  if (days <= ageBuckets['0-30'][1]) return '0-30';
  if (days <= ageBuckets['31-60'][1]) return '31-60';
  return days <= ageBuckets['61-90'][1] ? '61-90' : '90+';
}
