import { type AlertFacts, type KindFacts, notOverdue } from '../alerts/facts.js';
import { KEY_REFUSED, SERVICE_AWAY, unansweredWords } from '../alerts/outage-words.js';
import { endedBy } from '../alerts/record-conditions.js';
import { grouped } from '../grouped.js';
import { counted, minuteOf, words } from '../in-words.js';
import { unprovenText, whyUnproven } from './notices.js';

type Answered = Pick<AlertFacts, 'kinds' | 'outage' | 'serviceBack' | 'answeredSeconds'>;
type Provable = Answered & Pick<AlertFacts, 'balances'>;

/**
 * What the service's own lists prove, in a line: first what is not proven and why, then of when the oldest proof of the others is. Of a
 * service that has not answered for too long: what they proved until then.
 */
export function provenWords(facts: Provable): string {
  const known = wordsOf(facts);
  const why = unansweredWords(facts);
  const isSaid = facts.kinds.some((of) => endedBy(of, ...SERVICE_AWAY));
  if (why === null || isSaid) return known;
  return `Not known now: ${why}. Until then: ${known.charAt(0).toLowerCase()}${known.slice(1)}`;
}

function wordsOf(facts: Provable): string {
  const { kinds, balances } = facts;
  const unproven = kinds.filter((of) => unprovenText(of) !== null);
  const proven = kinds.filter((of) => unprovenText(of) === null);
  const reasons = [...grouped(unproven, (of) => shortReason(of, facts))].map(
    ([why, some]) => `${some.map(({ kind }) => kind).join(', ')} (${why})`,
  );
  const lacking = `Not proven: ${reasons.join('; ')}`;
  if (proven.length === 0) return kinds.length === 0 ? 'Nothing is proven yet' : lacking;
  const oldest = proven.map(({ completeUntil }) => completeUntil ?? '').sort()[0] ?? '';
  const since = `proven, the oldest at ${minuteOf(oldest)} UTC`;
  if (unproven.length === 0) return balances.unproven.length === 0 ? `All ${since}` : `Every list is ${since}`;
  const others = proven.length === 1 ? '1 other kind is' : `${proven.length} other kinds are`;
  return `${lacking}. ${others} ${proven.length === 1 ? since.replace(', the oldest', '') : since}`;
}

/** How many deliveries are missed, and how many more are not here; where their history was not read lately, as of when it was. */
export function missedWords(facts: Answered & Pick<AlertFacts, 'missed' | 'awaited'>): string {
  const { missed, kinds } = facts;
  const young = notOverdue(facts).map(({ count, class: kind }) => `${count} ${words(kind)}`);
  const others = young.length === 0 ? '' : `; ${missed === null ? 'not here' : 'not overdue yet'}: ${young.join(', ')}`;
  if (missed === null) return `not known how many missed${others}`;
  const of = kinds.find(({ kind }) => kind === 'deliveries');
  const isProven = of !== undefined && unprovenText(of) === null && unansweredWords(facts) === null;
  const isStale = of !== undefined && of.completeUntil !== null && !isProven;
  return `${missed} missed${others}${isStale ? ` as of ${minuteOf(of.completeUntil ?? '')} UTC` : ''}`;
}

/** How many balances are proven. While their kind is not, there may be others, and each is as it was read last: that agreed, or not. */
export function balanceWords({ balances: { total, unproven }, ...facts }: Provable): string {
  if (total === 0) return 'no balance was read yet';
  const proven = `${total - unproven.length} of ${counted(total, 'balance')}`;
  const isUnproven = facts.kinds.some((of) => of.kind === 'balances' && unprovenText(of) !== null);
  if (isUnproven || unansweredWords(facts) !== null)
    return `${proven} agreed when ${total === 1 ? 'it was' : 'they were'} read last`;
  return `${proven} ${total === 1 ? 'is' : 'are'} proven`;
}

export function isAllProven(kinds: readonly KindFacts[]): boolean {
  return kinds.length > 0 && kinds.every((of) => unprovenText(of) === null);
}

/** What the service does to all kinds alike is said once. */
function shortReason(of: KindFacts, facts: Answered): string {
  const isBack = facts.serviceBack !== null && unansweredWords(facts) === null;
  if (endedBy(of, ...SERVICE_AWAY))
    return isBack ? 'not read yet since the service answers again' : 'the service does not answer';
  if (endedBy(of, KEY_REFUSED)) return 'the service refuses our key';
  return whyUnproven(of) ?? '';
}
