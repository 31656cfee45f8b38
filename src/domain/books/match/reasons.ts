/** matched: all three sides agree, or are nothing. partly_matched: two at least are there, and differ. unmatched: one alone. */
export const matchStates = ['matched', 'partly_matched', 'unmatched'] as const;
export type MatchState = (typeof matchStates)[number];

export const matchedReasons = ['agreed', 'given_back', 'partly_given_back', 'lapsed'] as const;

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
  'value_differs',
] as const;

export type MatchReason = (typeof matchReasons)[number];
