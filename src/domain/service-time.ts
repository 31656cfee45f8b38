import type { Json } from './json.js';

const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,](\d+))?)?(?:Z|[+-]\d\d:?\d\d)?$/i;
const DATE_ONLY = /^\d{4}-\d\d-\d\d$/;
/** As programs mostly write it, to the millisecond, of a day that every month has. */
const USUAL = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/**
 * A service timestamp (ISO 8601) as text for a `timestamptz`, in UTC with microseconds; null for anything else.
 * One without a zone is UTC.
 */
export function instantText(value: Json | undefined): string | null {
  if (typeof value !== 'string') return null;
  if (USUAL.test(value)) return `${value.slice(0, -1)}000Z`;
  const match = ISO.exec(value);
  if (match === null && !DATE_ONLY.test(value)) return null;
  const zoned = match === null || /(?:Z|[+-]\d\d:?\d\d)$/i.test(value);
  const time = Date.parse(zoned ? value.replace(',', '.') : `${value.replace(',', '.')}Z`);
  if (Number.isNaN(time)) return null;
  const micros = (match?.[1] ?? '').padEnd(6, '0').slice(3, 6);
  const year = new Date(time).getUTCFullYear();
  if (year < 1 || year > 9999) return null;
  return new Date(time).toISOString().replace('Z', `${micros}Z`);
}

/** Within these the day has a year of 1 to 9999 in every zone: others have no month, and the database can't read them. */
const EARLIEST = Date.parse('0001-01-02T00:00:00Z');
const LATEST = Date.parse('9999-12-31T00:00:00Z');

/** The same in milliseconds since the epoch. */
export function momentOf(value: Json | undefined): number | null {
  const time = Date.parse(instantText(value) ?? '');
  return time >= EARLIEST && time <= LATEST ? time : null;
}
