import type { Knex } from 'knex';
import { dayIn, isDay } from '../../domain/books/posting-month.js';
import { closedMonths } from '../books/posting-progress.js';

export interface AttributionDay {
  /** YYYY-MM-DD. */
  day: string;
  /** Of the books. */
  timeZone: string;
}

/** Why nothing can be booked on a day, in a sentence; null: it can. `opening`: when the asset's books begin. */
export async function whyNoDay(
  trx: Knex,
  { day, timeZone }: AttributionDay,
  { opening, now }: { opening: string | null; now: Date },
): Promise<string | null> {
  if (!isDay(day)) return `${day.slice(0, 40)} is no day such as 2026-10-30`;
  if (day > dayIn(timeZone, now.getTime())) return `${day} is yet to come`;
  const first = opening === null ? null : dayIn(timeZone, Date.parse(opening));
  if (first !== null && day < first) return `the books of the asset begin on ${first}`;
  return (await closedMonths(trx)).has(day.slice(0, 7)) ? `${day.slice(0, 7)} is closed` : null;
}
