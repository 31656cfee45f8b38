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
