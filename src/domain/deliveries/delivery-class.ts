import type { BreakKind } from '../breaks/breaks.js';

/** What became of a delivery of the service; docs/operate.md explains each. */
export const deliveryClasses = [
  'received',
  'received_sibling',
  'pending_retry',
  'rejected',
  'never_reached',
  'phantom',
  'other_endpoint',
  'too_old',
  'unrecoverable',
] as const;
export type DeliveryClass = (typeof deliveryClasses)[number];

/** All that the class depends on. Times in ms of the service's clock; null: not given. */
export interface DeliveryFacts {
  ours: boolean;
  /** The service's word for it says that it is not final. */
  pending: boolean;
  httpStatus: number | null;
  createdAt: number | null;
  lastAttemptAt: number | null;
  nextRetryAt: number | null;
  /** Where the event came from that it is paired with. `recovered`: only out of the delivery history. */
  held: 'own' | 'sibling' | 'recovered' | null;
  /** The event it is paired with is applied, or can't be. */
  applied: boolean;
  /** Why we rejected it, as far as that is known. */
  rejection: string | null;
  /** The secret of its endpoint was retired by the operator. */
  secretRetired: boolean;
  /** It was first seen when keys of events of its time were deleted already; left out: no. */
  tooOld?: boolean;
  /** There is a payload to recover the event from. */
  recoverable: boolean;
  /** When it came to be known here; left out: just now. */
  firstSeenAt?: number | null;
  /** Of one without a payload: whether what it reported was read since. `unknown`: nothing will ever say. Left out: not yet. */
  readSince?: 'yes' | 'not yet' | 'unknown';
}

export interface DeliveryClock {
  /** ms of the service's clock. */
  now: number;
  /** MISSED_GRACE_SECONDS */
  graceMs: number;
  /** Deliveries older than this are history: shown, never recovered, never a break. */
  adoptedAt: number;
  /** So long is one without a payload waited for. */
  giveUpMs: number;
}

/** No schedule of retries lasts longer, and what the service lists was read more than once. */
export const GIVE_UP_MS = 30 * 86_400_000;
/** Younger ones are classified on each run. */
const RECENT_MS = 3_600_000;
/** Older ones whenever their age has grown by this part. */
const AGE_SHARE = 10;

export interface DeliveryVerdict {
  class: DeliveryClass;
  /** It should be here by now and is not, or is recovered but not applied yet. */
  missed: boolean;
  /** Its class may change though the service says nothing new, or it is not made good yet. */
  open: boolean;
  /** Its payload is to enter the inbox. */
  recover: boolean;
  breakKind: BreakKind | null;
}

const breakOf = {
  rejected: 'rejected_delivery',
  never_reached: 'missed_webhook',
  phantom: 'phantom_delivery',
} as const satisfies Partial<Record<DeliveryClass, BreakKind>>;

export const deliveryBreakKinds: readonly BreakKind[] = Object.values(breakOf);

/** Every delivery has exactly one class, and that depends on nothing but these facts and the time. */
export function classifyDelivery(facts: DeliveryFacts, clock: DeliveryClock): DeliveryVerdict {
  const { createdAt, held, recoverable, readSince } = facts;
  const kind = stateOf(facts, clock);
  const isHistory = createdAt !== null && createdAt < clock.adoptedAt;
  const lacks = isLacking(kind) && !isHistory ? kind : null;
  const isOver = lacks !== null && isHopeless(facts, clock);
  if (isOver && readSince === 'yes')
    return { class: 'unrecoverable', missed: false, open: false, recover: false, breakKind: null };
  // It had the time that a delivery may take.
  const due = lacks !== null && (createdAt === null || clock.now - createdAt >= clock.graceMs);
  const isMadeGood = held === 'recovered' && facts.applied;
  const missed = due && !isMadeGood;
  // A late retry under a secret that the operator retired is rejected as it should be; the event is recovered.
  const isExplained = kind === 'rejected' && facts.secretRetired && (recoverable || held === 'recovered');
  return {
    class: kind,
    missed,
    open: kind === 'pending_retry' || (lacks !== null && !isMadeGood && !(missed && isOver && readSince === 'unknown')),
    recover: due && held === null && recoverable,
    breakKind: missed && !isExplained ? breakOf[lacks] : null,
  };
}

function isLacking(kind: DeliveryClass): kind is keyof typeof breakOf {
  return kind in breakOf;
}

/** When an open delivery is classified again though the service says nothing new, ms; 0: on each run. The older, the less often. */
export function classifyAgainAt(facts: WhenKnown, { now }: Pick<DeliveryClock, 'now'>): number {
  const age = ageOf(facts, now);
  return age < RECENT_MS ? 0 : now + age / AGE_SHARE;
}

function stateOf(facts: DeliveryFacts, clock: DeliveryClock): DeliveryClass {
  if (!facts.ours) return 'other_endpoint';
  if (facts.held === 'own') return 'received';
  if (facts.held === 'sibling') return 'received_sibling';
  if (isUnderWay(facts, clock)) return 'pending_retry';
  if (facts.held === null && facts.tooOld) return 'too_old';
  if (isSuccess(facts.httpStatus)) return 'phantom';
  return facts.rejection === null ? 'never_reached' : 'rejected';
}

/** The service noted an answer that it takes for a success. */
export function isSuccess(httpStatus: number | null): boolean {
  return httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
}

/** A retry lies ahead, or the service calls it pending and something happened not long ago. */
function isUnderWay(facts: DeliveryFacts, { now, graceMs }: DeliveryClock): boolean {
  if (facts.nextRetryAt !== null && facts.nextRetryAt > now) return true;
  if (!facts.pending) return false;
  return [facts.createdAt, facts.lastAttemptAt, facts.nextRetryAt].some((at) => at !== null && now - at < graceMs);
}

/** Nothing to recover it from, and nothing came for so long. */
export function isHopeless(
  facts: WhenKnown & Pick<DeliveryFacts, 'held' | 'recoverable'>,
  { now, giveUpMs }: Pick<DeliveryClock, 'now' | 'giveUpMs'>,
): boolean {
  return facts.held === null && !facts.recoverable && ageOf(facts, now) >= giveUpMs;
}

type WhenKnown = Pick<DeliveryFacts, 'createdAt' | 'lastAttemptAt' | 'firstSeenAt'>;

function ageOf({ createdAt, lastAttemptAt, firstSeenAt }: WhenKnown, now: number): number {
  return now - (createdAt ?? lastAttemptAt ?? firstSeenAt ?? now);
}
