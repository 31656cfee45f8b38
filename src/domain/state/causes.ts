import type { Found } from '../alerts/condition.js';
import type { AlertFacts } from '../alerts/facts.js';
import { KEY_REFUSED, SERVICE_AWAY } from '../alerts/outage-words.js';
import { endedBy } from '../alerts/record-conditions.js';
import type { BreakKind } from '../breaks/breaks.js';
import type { Severity } from '../breaks/findings.js';
import { type DeliveryClass, deliveryBreakKinds } from '../deliveries/delivery-class.js';
import { followsFromTypes } from './new-payout-type.js';
import { isForNobody } from './notices.js';

/** One thing that holds, before what follows from another is put under it. */
export interface Single extends Found {
  name: string;
  subject: string;
  severity: Severity;
  summary: string;
  remedy: string;
  page: string;
  check: string;
  isWatched?: true | undefined;
  /** Nothing follows from it any more. */
  isOver?: boolean;
}

interface Cause {
  name: string;
  subject?: string;
  explains: (effect: Single, facts: AlertFacts) => boolean;
}

const CANARY = 'TallyhookCanaryFails';
const SERVICE = 'TallyhookServiceAway';
const unprovenNames = ['TallyhookUnproven', 'TallyhookNeverProven', 'KindUnproven'];
/** Of what is about open breaks, by their kind. */
export const breakNames = ['TallyhookCriticalBreak', 'TallyhookHighBreak', 'OpenBreak'];

const isAny =
  (...names: readonly string[]) =>
  ({ name }: Single): boolean =>
    names.includes(name);
const isBreak = ({ name, subject }: Single, ...kinds: readonly string[]): boolean =>
  breakNames.includes(name) && kinds.includes(subject);

const kindOf = ({ subject }: Single, { kinds }: AlertFacts) => kinds.find(({ kind }) => kind === subject);

/** Of a kind: that its newest run ended so. */
const readingEnded =
  (...codes: readonly string[]) =>
  (effect: Single, facts: AlertFacts): boolean => {
    const of = kindOf(effect, facts);
    return unprovenNames.includes(effect.name) && of !== undefined && endedBy(of, ...codes);
  };

/** Tried again by a service that is away, as far as was known before: its delivery history can't be read. */
function isOfBefore({ name, subject }: Single, { kinds }: AlertFacts): boolean {
  const isUnread = kinds.some((of) => of.kind === 'deliveries' && endedBy(of, ...SERVICE_AWAY));
  return isUnread && name === 'NotHereYet' && subject === 'pending_retry';
}

/** Not read while the service is away. */
function heldBack(effect: Single, facts: AlertFacts): boolean {
  return readingEnded(...SERVICE_AWAY)(effect, facts) || isOfBefore(effect, facts) || isAny('HeldByOutage')(effect);
}

/** Nobody read it, whatever the newest run said. */
function isNotRead(effect: Single, facts: AlertFacts): boolean {
  const of = kindOf(effect, facts);
  return unprovenNames.includes(effect.name) && of !== undefined && !isForNobody(of);
}

/** What comes of it that nothing of the class arrives: what is missed, where all of it is of that class, and its break. */
const notArriving =
  (kind: DeliveryClass, breakKind: BreakKind, notHere: readonly string[] = [kind, 'pending_retry']) =>
  (effect: Single, { awaited }: AlertFacts): boolean => {
    if (effect.name === 'TallyhookMissedDeliveries')
      return awaited.some(({ missed }) => missed > 0) && awaited.every((one) => one.missed === 0 || one.class === kind);
    return isBreak(effect, breakKind) || (effect.name === 'NotHereYet' && notHere.includes(effect.subject));
  };

const notComing = notArriving('never_reached', 'missed_webhook');
const notTaken = notArriving('rejected', 'rejected_delivery');
/** What is noted as taken is not tried again: what is on its way has another cause. */
const swallowed = notArriving('phantom', 'phantom_delivery', ['phantom']);
const wrongSecret = (effect: Single, facts: AlertFacts): boolean =>
  notTaken(effect, facts) || (effect.name === 'Rejected' && effect.subject === 'invalid_signature');

/** What the leading scheduler does. */
const leftUndone = isAny(
  SERVICE,
  'ServiceSilent',
  'KeyRefused',
  'CallsOpen',
  'TallyhookCallbacksWait',
  'TallyhookSealingLags',
  'TallyhookSealsUnverified',
);

/** In this order: what one explains may explain only what stands behind it, so there is no circle. */
const causes: readonly Cause[] = [
  { name: 'Unwatched', explains: (effect, facts) => leftUndone(effect) || isNotRead(effect, facts) },
  { name: 'KeyRefused', explains: readingEnded(KEY_REFUSED) },
  { name: SERVICE, explains: heldBack },
  { name: 'ServiceBack', explains: heldBack },
  {
    name: 'TallyhookDown',
    subject: 'receiver',
    explains: (effect, facts) => isAny('TallyhookNoWebhooks', CANARY)(effect) || notComing(effect, facts),
  },
  { name: 'TallyhookDown', subject: 'worker', explains: isAny('TallyhookEventsWait', CANARY) },
  {
    name: 'TallyhookNoSecretAccepted',
    explains: (effect, facts) => isAny('TallyhookInvalidSignatures', CANARY)(effect) || wrongSecret(effect, facts),
  },
  { name: 'TallyhookInvalidSignatures', explains: wrongSecret },
  { name: 'EndpointReplaced', explains: wrongSecret },
  {
    name: 'TallyhookExpiredTimestamps',
    explains: (effect, facts) =>
      notTaken(effect, facts) || (effect.name === 'Rejected' && effect.subject === 'expired_timestamp'),
  },
  {
    name: 'TallyhookNothingArrives',
    // Once what is sent arrives again, it explains no more than what was swallowed.
    explains: (effect, facts) =>
      (facts.swallowed.count > 0 && isAny('TallyhookNoWebhooks', CANARY)(effect)) || swallowed(effect, facts),
  },
  { name: 'TallyhookEndpointOff', explains: isAny('TallyhookNoWebhooks') },
  {
    name: 'TallyhookMissedDeliveries',
    explains: (effect) => effect.name === 'NotHereYet' || isBreak(effect, ...deliveryBreakKinds),
  },
  { name: 'OpenBreak', subject: 'contract_violation', explains: followsFromTypes },
  ...breakNames.map(
    (name): Cause => ({
      name,
      subject: 'balance_residual',
      explains: ({ name: effect, subject }, { balances: { unproven } }) =>
        effect === 'BalanceUnproven' &&
        unproven.some(({ assetCode, isUnexplained }) => isUnexplained && assetCode === subject),
    }),
  ),
  {
    name: 'KindUnproven',
    subject: 'balances',
    explains: ({ name: effect, subject }, { balances: { unproven } }) =>
      effect === 'BalanceUnproven' &&
      unproven.some(({ assetCode, isUnexplained }) => !isUnexplained && assetCode === subject),
  },
  { name: 'TallyhookSealsBroken', explains: isAny('TallyhookSealsUnverified') },
  ...['TallyhookUnproven', 'TallyhookNeverProven'].map((name): Cause => ({ name, explains: isAny('KindUnproven') })),
];

/** Causes that explain only what is about the same thing. */
const OF_SAME = ['TallyhookUnproven', 'TallyhookNeverProven'];

/** What this follows from, among all that holds; null: from nothing. */
export function causeOf(effect: Single, { all, facts }: { all: readonly Single[]; facts: AlertFacts }): Single | null {
  for (const { name, subject, explains } of causes) {
    if (!explains(effect, facts)) continue;
    const cause = all.find(
      (one) =>
        one !== effect &&
        one.isOver !== true &&
        one.name === name &&
        (subject === undefined || one.subject === subject) &&
        (!OF_SAME.includes(name) || one.subject === effect.subject),
    );
    if (cause !== undefined) return cause;
  }
  return null;
}
