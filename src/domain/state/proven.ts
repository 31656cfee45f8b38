import type { KindFacts } from '../alerts/facts.js';
import { KEY_REFUSED, SERVICE_AWAY } from '../alerts/outage-words.js';
import { endedBy } from '../alerts/record-conditions.js';
import { grouped } from '../grouped.js';
import { minuteOf } from '../in-words.js';
import { unprovenText, whyUnproven } from './notices.js';

/** What the service's own lists prove, in a line: first what is not proven and why, then up to when the others are. */
export function provenWords(kinds: readonly KindFacts[]): string {
  const unproven = kinds.filter((of) => unprovenText(of) !== null);
  const proven = kinds.filter((of) => unprovenText(of) === null);
  const reasons = [...grouped(unproven, shortReason)].map(
    ([why, some]) => `${some.map(({ kind }) => kind).join(', ')} (${why})`,
  );
  const lacking = `Not proven: ${reasons.join('; ')}`;
  if (proven.length === 0) return kinds.length === 0 ? 'Nothing is proven yet' : lacking;
  const until = proven.map(({ completeUntil }) => completeUntil ?? '').sort()[0] ?? '';
  const upTo = `proven up to ${minuteOf(until)} UTC`;
  if (unproven.length === 0) return `All ${upTo}`;
  const others = proven.length === 1 ? '1 other kind is' : `${proven.length} other kinds are`;
  return `${lacking}. ${others} ${upTo}`;
}

export function isAllProven(kinds: readonly KindFacts[]): boolean {
  return kinds.length > 0 && kinds.every((of) => unprovenText(of) === null);
}

/** What the service does to all kinds alike is said once. */
function shortReason(of: KindFacts): string {
  if (endedBy(of, ...SERVICE_AWAY)) return 'the service does not answer';
  if (endedBy(of, KEY_REFUSED)) return 'the service refuses our key';
  return whyUnproven(of) ?? '';
}
