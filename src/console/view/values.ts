import { currencyDecimals } from '../../domain/books/fiat-report.js';
import { duration, groups, words } from '../../domain/in-words.js';
import { normalizeAmount } from '../../domain/money.js';

/** A small line drawing. `points` are ready for a polyline in a box of `width` by `height`. */
export interface Spark {
  width: number;
  height: number;
  line: string;
  area: string;
  /** What it shows, in words, for who can't see it. */
  summary: string;
}

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet';

/**
 * The smallest thing that is shown; `views/components/value.eta` draws each. All text is escaped there. What is made of null
 * is shown as `otherwise`.
 */
export type Value =
  | { is: 'text'; text: string; quiet?: boolean; nowrap?: boolean }
  /** `isStep`: drawn as a button, since it is what to do next. */
  | { is: 'link'; text: string; href: string; isStep?: true }
  /** Set in a fixed pitch, with a button that copies it. */
  | { is: 'id'; id: string; href?: string }
  /** `amount` is a decimal string without trailing zeros. */
  | { is: 'amount'; amount: string; unit: string | null }
  /** In the zone of who reads it; scripts add the local time as a hint and keep the age fresh where it is `aged`. */
  | { is: 'time'; at: string; aged: boolean }
  | { is: 'badge'; text: string; tone: Tone }
  /** `stacked`: each on a line of its own. */
  | { is: 'list'; values: Value[]; stacked?: true }
  /** One after the other as they are, as words of a sentence. */
  | { is: 'line'; values: Value[] }
  | { is: 'spark'; spark: Spark }
  | { is: 'none'; text: string };

export const text = (text: string | null | undefined, otherwise = '–'): Value =>
  text === null || text === undefined ? none(otherwise) : { is: 'text', text };
export const quiet = (text: string): Value => ({ is: 'text', text, quiet: true });
/** On one line, as a date. */
export const oneLine = (text: string): Value => ({ is: 'text', text, nowrap: true });
export const link = (text: string, href: string): Value => ({ is: 'link', text, href });
export const step = (text: string, href: string): Value => ({ is: 'link', text, href, isStep: true });
export const id = (id: string, href?: string): Value =>
  href === undefined ? { is: 'id', id } : { is: 'id', id, href };
export const badge = (text: string, tone: Tone = 'quiet'): Value => ({ is: 'badge', text, tone });
/** Badges of words of ours, each in its colour. */
export const badgesOf =
  <Word extends string>(tones: Readonly<Record<Word, Tone>>) =>
  (word: Word): Value =>
    badge(words(word), tones[word]);
export const none = (text = '–'): Value => ({ is: 'none', text });
export const list = (values: Value[], empty = '–'): Value =>
  values.length === 0 ? none(empty) : { is: 'list', values };
/** As `list`, each value on a line of its own. */
export const stack = (values: Value[]): Value => (values.length === 0 ? none() : { is: 'list', values, stacked: true });
export const line = (values: Value[]): Value => ({ is: 'line', values });
export const drawing = (spark: Spark): Value => ({ is: 'spark', spark });
/** A whole number with thin groups of three. */
export const count = (n: number | string | null, otherwise = '–'): Value =>
  n === null ? none(otherwise) : text(groups(String(n)));

/** Money as it is: digits are never lost, trailing zeros are; null is shown as not known. */
export function amount(value: string | null | undefined, unit: string | null = null): Value {
  return value === null || value === undefined ? none() : { is: 'amount', amount: plain(value), unit };
}

/** Of a currency, with as many decimals as it has, or more where there are more; null is shown as not known. */
export function money(value: string | null | undefined, currency: string | null | undefined): Value {
  if (value === null || value === undefined || currency === null || currency === undefined) return amount(value);
  const [whole = '', fraction = ''] = plain(value).split('.');
  const decimals = fraction.padEnd(currencyDecimals(currency), '0');
  return { is: 'amount', amount: decimals === '' ? whole : `${whole}.${decimals}`, unit: currency };
}

/** An ISO 8601 time. */
export function time(at: string | null | undefined, otherwise = '–'): Value {
  if (at === null || at === undefined) return none(otherwise);
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return text(at);
  return { is: 'time', at: date.toISOString(), aged: false };
}

/** The same as an age, computed when it is drawn; the time itself stands beside. */
export function ago(at: string | null | undefined, otherwise?: string): Value {
  const value = time(at, otherwise);
  return value.is === 'time' ? { ...value, aged: true } : value;
}

/** As `3 min ago`; `assets/console.js` says it in the same words. */
export function ageOf(at: string, now: Date): string {
  const seconds = Math.round((now.getTime() - Date.parse(at)) / 1_000);
  return seconds < 0 ? `in ${duration(-seconds)}` : `${duration(seconds)} ago`;
}

function plain(value: string): string {
  try {
    return normalizeAmount(value);
  } catch {
    return value;
  }
}
