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
export const paidWords = {
  two_orders: 'Another order could have this money as well. Correct the link at the service.',
  out_of_range: 'A part of what came in lies outside of the range that was asked for.',
  amount_unreadable: 'The service sent an amount that can not be read as one.',
  kyt_rejected: 'The screening of a payin was not passed. Do not release.',
  refund_unlinked:
    'A payout that may be a refund carries this reference, and nothing says of which payment. Say whose it is: tallyhook refunds assign, or the payout’s page.',
  record_not_at_service:
    'An event spoke of a payment that the service does not list. Do not release; look at the break.',
  before_adoption:
    'It was paid before Tallyhook was there, and its payins were not read. Register the order: they are read, and it is released.',
  kyt_unknown:
    'The screening of a payin ended with a word that is not known here. Do not release before you have checked it.',
  payins_unread: 'Not every payin of the payment was read yet.',
  payin_not_verified:
    'A payin is known from an event alone, or a newer event says otherwise of it; it is to be polled.',
  kyt_pending: 'The screening of a payin is not finished.',
  payin_not_final: 'A payin is not final yet.',
  refund_in_progress:
    'A refund is under way, or one that the payment names was not polled yet, or a call of our own asked for one and nobody knows yet what came of it: tallyhook calls list.',
  refund_reported:
    'A webhook speaks of a refund that nothing else shows yet. It is polled at once; what stays is for a person: tallyhook refunds assign, or the payout’s page.',
  not_registered:
    'The store did not register this order, and RELEASE_REQUIRES_REGISTRATION is on. Registering it releases it.',
  proven: "The service's own lists show the payment in full. Each of its payins is final and passed the screening.",
} as const satisfies Readonly<Record<string, string>>;
export type PaidReason = keyof typeof paidWords;
export const paidReasons = Object.keys(paidWords) as readonly PaidReason[];

const statusReasons = orderStatuses.filter((status) => status !== 'paid');

/** Every word that `release.reason` may be; docs/orders.md says what each asks for. */
export const releaseReasons = [
  ...new Set([...statusReasons, 'amount_unknown' as const, 'other_currency' as const, ...claimReasons, ...paidReasons]),
];
export type ReleaseReason = (typeof releaseReasons)[number];
