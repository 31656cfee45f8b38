/** Times as a person reads them, in a zone of choice. */
export const UTC = 'UTC';

const known = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const kept = known.get(zone);
  if (kept !== undefined) return kept;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  known.set(zone, made);
  return made;
}

/** A moment in a zone: its day, its time, and how far that is from UTC, as `UTC+5:30`. */
export function momentIn(zone: string, at: number): { date: string; clock: string; offset: string } {
  const parts = new Map(
    formatterOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const [, sign = '', hours = '0', minutes = '00'] = /([+-])0?(\d+):(\d\d)/.exec(part('timeZoneName')) ?? [];
  const away = minutes === '00' ? hours : `${hours}:${minutes}`;
  return {
    date: `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`,
    clock: `${part('hour')}:${part('minute')}:${part('second')}`,
    offset: away === '0' ? 'UTC' : `UTC${sign}${away}`,
  };
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
