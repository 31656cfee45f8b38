/** How long, in the greatest unit that says enough: `3 min`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** A count of things in words: `1 break`, `3 breaks`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${groups(String(n))} ${n === 1 ? one : many}`;
}

/** `payment_intent` as `payment intent`. */
export const words = (name: string): string => name.replaceAll('_', ' ');

/** With a large letter at its beginning. */
export const capitalized = (text: string): string => text.replace(/^./, (first) => first.toUpperCase());

/** `httpStatus` as a person writes it: `http status`. */
export function spaced(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A moment, ms since the epoch, as ISO 8601 UTC. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** A time, ISO 8601 UTC, to the minute: `2026-10-31 18:00`. */
export const minuteOf = (at: string): string => at.slice(0, 16).replace('T', ' ');
/** The same to the second. */
export const secondOf = (at: string): string => at.slice(0, 19).replace('T', ' ');

/** Digits of a whole number with thin groups of three, where there are many. */
export function groups(digits: string): string {
  return /^\d{5,}$/.test(digits) ? digits.replace(/\B(?=(\d{3})+$)/g, ' ') : digits;
}

const NAMED = 5;

/** The first of them by name, and how many more there are: a sentence stays one, however many assets a service has. */
export function named(all: readonly string[]): string {
  const more = all.length - NAMED;
  return more <= 1 ? all.join(', ') : `${all.slice(0, NAMED).join(', ')} and ${more} more`;
}

/** So many lines of a preview are shown, where nothing else is said. */
const MOST_LINES = 40;

export function shortened(lines: readonly string[], most = MOST_LINES): string[] {
  const more = lines.length - most;
  return more > 0 ? [...lines.slice(0, most), `… and ${more} more`] : [...lines];
}

/** How many findings are to be fixed, and how many only to be watched, as they end by themselves. */
export function findingWords(findings: readonly { isWatched?: true }[]): string[] {
  const watched = findings.filter(({ isWatched }) => isWatched).length;
  const fix = findings.length - watched;
  return [...(fix > 0 ? [`${fix} to fix`] : []), ...(watched > 0 ? [`${watched} to watch`] : [])];
}
