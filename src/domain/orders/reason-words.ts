import type { OpenCall } from '../family/own-refunds.js';
import { counted, words } from '../in-words.js';

export const orderStatuses = [
  'awaiting_payment',
  'confirming',
  'paid_unverified',
  'paid',
  'underpaid',
  'overpaid',
  'paid_twice',
  'expired',
  'cancelled',
  'unmatched',
  'disputed',
  'partially_refunded',
  'refunded',
  'shared_reference',
] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** Why money that is spoken of does not count, what a person must check first. */
export const claimReasons = ['two_orders', 'not_verified', 'intent_unknown', 'record_not_at_service'] as const;
export type ClaimReason = (typeof claimReasons)[number];

/** Why the goods of a paid order wait, or not: the first that fits. What a person must do comes before what needs only time. */
export const paidReasons = [
  'two_orders',
  'out_of_range',
  'amount_unreadable',
  'kyt_rejected',
  'refund_unlinked',
  'record_not_at_service',
  'before_adoption',
  'kyt_unknown',
  'payins_unread',
  'payin_not_verified',
  'kyt_pending',
  'payin_not_final',
  'refund_in_progress',
  'refund_reported',
  'not_registered',
  'proven',
] as const;
export type PaidReason = (typeof paidReasons)[number];

const statusReasons = orderStatuses.filter((status) => status !== 'paid');

/** Every word that `release.reason` may be; docs/orders.md says what each asks for. */
export const releaseReasons = [
  ...new Set([...statusReasons, 'amount_unknown' as const, 'other_currency' as const, ...claimReasons, ...paidReasons]),
];
export type ReleaseReason = (typeof releaseReasons)[number];

/** Who acts, or that nobody can: then what is left to do. */
type Changes =
  | `${'the customer' | 'the store' | 'a person' | 'the service' | 'Tallyhook'} ${string}`
  | `nothing. ${string}`;

const BY_HAND = 'nothing. Refund the whole payment, and the customer pays anew; or decide in the store';
const POLLED =
  'Tallyhook polls it as soon as the service answers; after minutes, look at the breaks and at tallyhook doctor';
const ANEW = 'the customer pays a new payment under the same reference';
const ASSIGNED = 'a person says whose it is: tallyhook refunds assign, or the payout’s page';

/** Why the goods of an order are held, and what changes that, for people; docs/orders.md has the table behind these. */
const reasons: Readonly<Record<Exclude<ReleaseReason, 'proven'>, readonly [why: string, changes: Changes]>> = {
  awaiting_payment: ['Nothing was paid yet', 'the customer pays'],
  confirming: ['A payin is seen and waits for its confirmations', 'the service confirms it; wait'],
  not_verified: ["An event says it is paid, and the service's own list has not shown it yet", POLLED],
  underpaid: [
    'Less came in than was due',
    'the customer pays exactly what is owed; or refund all of it, and the customer pays anew',
  ],
  overpaid: ['More came in than was due', BY_HAND],
  paid_twice: ['The order was paid more than once', 'a person refunds one payment in full: a part is not enough'],
  expired: ['The time to pay ran out and nothing came in', ANEW],
  cancelled: ['The payment was cancelled', ANEW],
  unmatched: ['What came in does not fit the request', BY_HAND],
  disputed: ['A decision about this payment is open', 'a person decides it in the service’s dashboard'],
  partially_refunded: [
    'A part was given back',
    'nothing. Refund the rest, and the customer pays anew; or decide in the store',
  ],
  refunded: ['The payment was given back', ANEW],
  paid_unverified: ['Only a webhook says that it is paid', POLLED],
  shared_reference: [
    'So many payments carry this reference that it can name no one order',
    'the store gives each order a reference of its own; decide about these payments in the store',
  ],
  amount_unknown: [
    'What the order asks for, or what came in, is not known in its currency',
    'the store registers the order, if it did not; otherwise refund the payment, and the customer pays anew',
  ],
  other_currency: ['What was paid is in another currency than the order asks for', BY_HAND],
  two_orders: ['Another order could have this money as well', 'a person corrects the link at the service'],
  out_of_range: ['A part of what came in lies outside of the range that was asked for', BY_HAND],
  amount_unreadable: [
    'The service sent an amount that can not be read as one',
    'the service corrects it: write to its support',
  ],
  kyt_rejected: [
    'The screening of a payin was not passed',
    'the service says otherwise, which is rare: do not release, refund the payment',
  ],
  refund_unlinked: [
    'A payout that may be a refund carries this reference, and nothing says of which payment',
    ASSIGNED,
  ],
  record_not_at_service: [
    'An event or our own call spoke of a payment or invoice that the service does not list',
    'the service lists it; if it does not, it is not paid: do not release, look at the break',
  ],
  before_adoption: [
    'It was paid before Tallyhook was there, and its payins were not read',
    'the store registers the order: they are read, and it is released',
  ],
  kyt_unknown: [
    'The screening of a payin ended with a word that is not known here',
    'a person checks what it means and puts it on a list of the contract (kyt): do not release before',
  ],
  payins_unread: ['Not every payin of the payment was read yet', POLLED],
  payin_not_verified: ['A payin is known from an event alone, or a newer event says otherwise of it', POLLED],
  kyt_pending: ['The screening of a payin is not finished', 'the service ends it; wait'],
  payin_not_final: ['A payin is not final yet', 'the service confirms it; wait'],
  refund_in_progress: [
    'A refund is under way, or one that the payment names was not polled yet, or a call of our own asked for one and nobody knows yet what came of it',
    'the service ends it; of our own call a person says what came of it: tallyhook calls list',
  ],
  refund_reported: [
    'A webhook speaks of a refund that nothing else shows yet',
    'Tallyhook polls it at once; if it stays, a person says whose it is: tallyhook refunds assign, or the payout’s page',
  ],
  not_registered: [
    'The store did not register this order, and RELEASE_REQUIRES_REGISTRATION is on',
    'the store registers it',
  ],
  intent_unknown: ['An invoice names a payment that was not read yet', POLLED],
};

const PROVEN =
  "The service's own lists show the payment in full. Each of its payins is final and passed the screening.";

function heldFor(reason: string): readonly [why: string, changes: string | null] {
  return Object.hasOwn(reasons, reason)
    ? reasons[reason as keyof typeof reasons]
    : [`The reason is "${words(reason)}"`, null];
}

/** Why the goods go out, or do not; of a time that is over, when what changes it says nothing. */
export const whyWords = (reason: string): string => (reason === 'proven' ? PROVEN : `${heldFor(reason)[0]}.`);

/** Of goods that are held until Tallyhook polls the service. */
export const untilPolled: readonly string[] = Object.entries(reasons).flatMap(([reason, [, changes]]) =>
  changes === POLLED ? [reason] : [],
);

/** The same, and what changes that. A newer program may have kept a word that is not known here. */
export function reasonWords(reason: string): string {
  const [, changes] = heldFor(reason);
  return changes === null ? whyWords(reason) : `${whyWords(reason)} What changes it: ${changes}.`;
}

type Call = Pick<OpenCall, 'key' | 'undecided'>;

/** What is known of a refund call of our own without a known end, and what ends it; `payout`: what it may have made. */
export function ownCallWords({ key, undecided }: Call, payout: string | null): string {
  if (undecided)
    return `nobody knows what came of it: tallyhook calls settle ${key} --note WHY --as done:${payout ?? 'PAYOUT'}, or not_done`;
  return 'its answer did not come yet: the scheduler finds out within ten minutes what came of it, or a person says so';
}

/** Of a payout that may give money back and that no payment owns: why, and what ends it. */
export function unlinkedWords(payout: string, call: Call | null): string {
  if (call !== null) return `our own call ${call.key} may have made it; ${ownCallWords(call, payout)}`;
  return `nothing says of which payment: tallyhook refunds assign ${payout} --note WHY --payment PI, or none`;
}

/** Of a secret under which refunds were reported that the service denied (`passedOver`). */
export function passedOverWords({ secret, denied }: { secret: string; denied: number }): string {
  return `${counted(denied, 'refund')} of it that webhooks under the secret "${secret}" reported within three hours are none of the service's: further ones are polled, and hold the order no more while the delivery history is read. Retire the secret if it leaked`;
}
