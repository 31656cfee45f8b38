/** Times as a person reads them, in a zone of choice. */
export const UTC = 'UTC';

const usual = {
  calendar: 'gregory',
  numberingSystem: 'latn',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
} as const;
const clock = {
  hourCycle: 'h23',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'longOffset',
} as const;

/** A day alone is made in less than half the time. */
const formats = { day: usual, moment: { ...usual, ...clock } };
const known = new Map<string, Intl.DateTimeFormat>();

function partsIn(
  zone: string,
  at: number,
  format: keyof typeof formats,
): (type: Intl.DateTimeFormatPartTypes) => string {
  const key = `${format} ${zone}`;
  const formatter = known.get(key) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone, ...formats[format] });
  known.set(key, formatter);
  const parts = formatter.formatToParts(at);
  return (type) => parts.find((one) => one.type === type)?.value ?? '';
}

const dateOf = (part: ReturnType<typeof partsIn>): string =>
  `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;

/** The day of a zone as YYYY-MM-DD. */
export const dayIn = (zone: string, at: number): string => dateOf(partsIn(zone, at, 'day'));

/** A moment in a zone: its day, its time, and how far that is from UTC, as `UTC+5:30`. */
export function momentIn(zone: string, at: number): { date: string; clock: string; offset: string } {
  const part = partsIn(zone, at, 'moment');
  const [, sign = '', hours = '0', minutes = '00'] = /([+-])0?(\d+):(\d\d)/.exec(part('timeZoneName')) ?? [];
  const away = minutes === '00' ? hours : `${hours}:${minutes}`;
  return {
    date: dateOf(part),
    clock: `${part('hour')}:${part('minute')}:${part('second')}`,
    offset: away === '0' ? 'UTC' : `UTC${sign}${away}`,
  };
}

const IN_WORDS = /\b(\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?) UTC\b(?![+-]\d)/g;

/** Words with the times that stand in them (`2026-10-31 18:00 UTC`) as the zone has them. */
export function wordsIn(zone: string, words: string): string {
  if (zone === UTC) return words;
  return words.replace(IN_WORDS, (text, moment: string, seconds: string | undefined) => {
    const at = Date.parse(`${moment.replace(' ', 'T')}Z`);
    if (Number.isNaN(at)) return text;
    const { date, clock: all, offset } = momentIn(zone, at);
    return `${date} ${seconds === undefined ? all.slice(0, 5) : all} ${offset}`;
  });
}

let byName: ReadonlyMap<string, string | null> | undefined;

/** In lower case by the whole name and by each end of it behind a slash; null: several end so. */
function zonesByName(): ReadonlyMap<string, string | null> {
  if (byName !== undefined) return byName;
  const named = new Map<string, string | null>();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const parts = zone.toLowerCase().split('/');
    for (const n of parts.keys()) {
      const name = parts.slice(n).join('/');
      named.set(name, named.has(name) ? null : zone);
    }
  }
  byName = named;
  return named;
}

/** The zone that somebody means by its name (`Europe/Berlin`), or by that of its city alone; null: there is none. */
export function zoneNamed(given: string): string | null {
  const text = given.trim().replaceAll(' ', '_').toLowerCase();
  if (text === '' || text === 'utc') return UTC;
  const found = zonesByName().get(text);
  return found ?? (/^[a-z][a-z0-9_+/-]*$/.test(text) ? canonical(text) : null);
}

function canonical(zone: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
