import type { ReleaseReason } from './reasons.js';

/** Why the goods of an order are held, and what ends it, for people; docs/orders.md has the table behind these. */
export const reasonWords: Readonly<Record<ReleaseReason, string>> = {
  proven: "The service's own lists show the payment in full. Each of its payins is final and passed the screening.",
  awaiting_payment: 'Nothing was paid yet.',
  confirming: 'A payin is seen and waits for its confirmations.',
  not_verified: "An event says it is paid. The service's own list has not shown it yet: that is read within seconds.",
  record_not_at_service:
    'An event spoke of a payment that the service does not list. Do not release; look at the break.',
  underpaid: 'Less came in than was due.',
  overpaid: 'More came in than was due: decide at the service what becomes of the rest.',
  paid_twice: 'The order was paid more than once: one payment is to be given back.',
  expired: 'The time to pay ran out and nothing came in.',
  cancelled: 'The payment was cancelled.',
  unmatched: 'What came in does not fit the request: decide at the service what becomes of it.',
  disputed: 'A decision about this payment is open at the service.',
  partially_refunded: 'A part was given back.',
  refunded: 'The payment was given back.',
  out_of_range: 'A part of what came in lies outside of the range that was asked for.',
  amount_unreadable: 'The service sent an amount that can not be read as one.',
  payins_unread: 'Not every payin of the payment was read yet.',
  payin_not_verified:
    'A payin is known from an event alone, or a newer event says otherwise of it; it is to be polled.',
  payin_not_final: 'A payin is not final yet.',
  kyt_pending: 'The screening of a payin is not finished.',
  kyt_rejected: 'The screening of a payin was not passed. Do not release.',
  kyt_unknown:
    'The screening of a payin ended with a word that is not known here. Do not release before you have checked it.',
  refund_in_progress:
    'A refund is under way, or a call of our own asked for one and nobody knows yet what came of it: tallyhook calls list.',
  refund_unlinked:
    'A payout that may be a refund carries this reference, and nothing says of which payment. Say whose it is: tallyhook refunds assign, or the payout’s page.',
  refund_reported:
    'A webhook speaks of a refund that nothing else shows yet. It is polled at once; what stays is for a person: tallyhook refunds assign, or the payout’s page.',
  before_adoption:
    'It was paid before Tallyhook was there, and its payins were not read. Register the order: they are read, and it is released.',
  two_orders: 'Another order could have this money as well. Correct the link at the service.',
  paid_unverified: 'Only a webhook says that it is paid.',
  not_registered:
    'The store did not register this order, and RELEASE_REQUIRES_REGISTRATION is on. Registering it releases it.',
  shared_reference:
    'So many payments carry this reference that it can name no one order. Look at the payments themselves.',
  amount_unknown: 'What the order asks for, or what came in, is not known in its currency.',
  other_currency: 'What was paid is in another currency than the store registered.',
  intent_unknown: 'An invoice names a payment that was not read yet.',
};
