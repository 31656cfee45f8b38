import { dayIn, startOfDay } from './posting-month.js';

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;

/** The last millisecond of a day (YYYY-MM-DD) in the zone, or the moment itself (UTC where it names no zone). Null: neither. */
export function asOfMoment(given: string, timeZone: string): Date | null {
  const text = given.trim();
  const noon = new Date(`${text.slice(0, 10)}T12:00:00Z`);
  if (Number.isNaN(noon.getTime()) || noon.toISOString().slice(0, 10) !== text.slice(0, 10)) return null;
  if (DAY.test(text)) {
    // Noon UTC is in the next day already where clocks are twelve hours ahead or more; a day later it is so in every zone.
    const atNoon = dayIn(timeZone, noon.getTime());
    const next = atNoon > text ? atNoon : dayIn(timeZone, noon.getTime() + DAY_MS);
    return new Date(startOfDay(timeZone, next) - 1);
  }
  if (!MOMENT.test(text)) return null;
  const moment = new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(moment.getTime()) ? null : moment;
}
