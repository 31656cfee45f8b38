import type { KindFacts } from '../alerts/facts.js';
import { minuteOf } from '../in-words.js';
import { unprovenText } from './notices.js';

/** What the service's own lists prove, in a line: all kinds up to when, or how many and which are not. */
export function provenWords(kinds: readonly KindFacts[]): string {
  const unproven = kinds.filter((of) => unprovenText(of) !== null);
  const proven = kinds.filter((of) => unprovenText(of) === null);
  if (proven.length === 0) return 'Nothing is proven yet';
  const until = proven.map(({ completeUntil }) => completeUntil ?? '').sort()[0] ?? '';
  const upTo = `proven up to ${minuteOf(until)} UTC`;
  if (unproven.length === 0) return `All ${upTo}`;
  return `${proven.length} of ${kinds.length} kinds ${upTo}; not proven: ${unproven.map(({ kind }) => kind).join(', ')}`;
}
