const FORM = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** A day that the calendar lacks is none, though Date.parse takes it for one of the next month. */
export function isIsoTime(text: string): boolean {
  const day = text.slice(0, 10);
  return FORM.test(text) && !Number.isNaN(Date.parse(text)) && iso(Date.parse(day)).startsWith(day);
}

/** Milliseconds. A time without a zone is one of UTC, wherever this runs. */
export function timeOf(text: string): number {
  return Date.parse(/T.*(Z|[+-]\d{2}:?\d{2})$/.test(text) || !text.includes('T') ? text : `${text}Z`);
}

export const iso = (at: number): string => new Date(at).toISOString();

export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));

const TIME_FIELD = /"(\w+At|timestamp)":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})Z"/g;

/** The JSON text with the zone left out of its times: what a service says that forgets where it stands. */
export const withoutZone = (text: string): string => text.replace(TIME_FIELD, '"$1":"$2"');
