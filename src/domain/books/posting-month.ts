import { dayIn } from '../time-zones.js';

export { dayIn };

/** YYYY-MM. */
export const monthIn = (timeZone: string, at: number): string => dayIn(timeZone, at).slice(0, 7);

export interface Period {
  /** YYYY-MM. */
  month: string;
  date: string;
  /** The earlier month that it belongs to; null: its own. */
  adjusts: string | null;
}

/**
 * The month of the day on which something is booked, or where that is closed the next open one, on its first day. `day`: to which it belongs.
 * `after`: it is booked no earlier; null: any day will do.
 */
export function periodOf(
  day: string,
  closed: ReadonlySet<string>,
  { bookedOn: named = day, after = null }: { bookedOn?: string | undefined; after?: string | null } = {},
): Period {
  const own = day.slice(0, 7);
  const bookedOn = after !== null && after > named ? after : named;
  let month = bookedOn.slice(0, 7);
  while (closed.has(month)) month = monthAfter(month);
  const date = bookedOn.startsWith(month) ? bookedOn : `${month}-01`;
  return { month, date, adjusts: month === own ? null : own };
}

export function monthAfter(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return number === 12
    ? `${String(year + 1).padStart(4, '0')}-01`
    : `${String(year).padStart(4, '0')}-${String(number + 1).padStart(2, '0')}`;
}

/** YYYY-MM-DD. */
export const firstDayAfter = (month: string): string => `${monthAfter(month)}-01`;

/** YYYY-MM-DD. */
export const lastDayOf = (month: string): string => dayBefore(firstDayAfter(month));

export const dayBefore = (day: string): string => daysFrom(day, -1);
export const dayAfter = (day: string): string => daysFrom(day, 1);

/** YYYY-MM-DD. */
function daysFrom(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The first month (YYYY-MM) of the fiscal year that a month is in. `end`: the last month of such a year, 1 to 12. */
export function fiscalYearStart(month: string, end: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const first = (end % 12) + 1;
  return `${String(number < first ? year - 1 : year).padStart(4, '0')}-${String(first).padStart(2, '0')}`;
}

const HOUR_MS = 3_600_000;

/** The moment at which a day of the zone (YYYY-MM-DD) begins, in ms: clocks that are changed that day make no difference. */
export function startOfDay(timeZone: string, day: string): number {
  const noon = Date.parse(`${day}T12:00:00Z`);
  let [before, from] = [noon - 48 * HOUR_MS, noon + 24 * HOUR_MS];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (dayIn(timeZone, middle) < day) before = middle;
    else from = middle;
  }
  return from;
}

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export const isMonth = (text: string): boolean => isDay(`${text}-01`);
