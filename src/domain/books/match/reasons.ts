/**
 * matched: what was asked, what was paid and what is booked are the same, or all of them are nothing.
 * partly_matched: at least two of the three are there, and they differ. unmatched: one of them alone.
 */
export const matchStates = ['matched', 'partly_matched', 'unmatched'] as const;
export type MatchState = (typeof matchStates)[number];

/** Why an order is matched. */
export const matchedReasons = ['agreed', 'given_back', 'partly_given_back', 'lapsed'] as const;

/** Why an order stands where it does in the three-way match. */
export const matchReasons = [
  ...matchedReasons,
  'not_paid',
  'lapsed_unpaid',
  'confirming',
  'claimed',
  'not_at_service',
  'underpaid',
  'overpaid',
  'paid_twice',
  'out_of_range',
  'disputed',
  'not_asked',
  'shared_reference',
  'counted_elsewhere',
  'moved_unclear',
  'deposits_unread',
  'deposits_differ',
  'refund_differs',
  'not_moved',
  'moved_differs',
  'books_not_open',
  'not_booked',
  'booked_differs',
] as const;

export type MatchReason = (typeof matchReasons)[number];
