import { paidWords, type ReleaseReason } from './reasons.js';

/** Why the goods of an order are held, and what ends it, for people; docs/orders.md has the table behind these. */
export const reasonWords: Readonly<Record<ReleaseReason, string>> = {
  awaiting_payment: 'Nothing was paid yet.',
  confirming: 'A payin is seen and waits for its confirmations.',
  not_verified: "An event says it is paid. The service's own list has not shown it yet: that is read within seconds.",
  underpaid: 'Less came in than was due.',
  overpaid: 'More came in than was due: decide at the service what becomes of the rest.',
  paid_twice: 'The order was paid more than once: one payment is to be given back.',
  expired: 'The time to pay ran out and nothing came in.',
  cancelled: 'The payment was cancelled.',
  unmatched: 'What came in does not fit the request: decide at the service what becomes of it.',
  disputed: 'A decision about this payment is open at the service.',
  partially_refunded: 'A part was given back.',
  refunded: 'The payment was given back.',
  paid_unverified: 'Only a webhook says that it is paid.',
  shared_reference:
    'So many payments carry this reference that it can name no one order. Look at the payments themselves.',
  amount_unknown: 'What the order asks for, or what came in, is not known in its currency.',
  other_currency: 'What was paid is in another currency than the store registered.',
  ...paidWords,
  intent_unknown: 'An invoice names a payment that was not read yet.',
};
