/** Why an order stands where it does in the three-way match. The first four are those of matched ones. */
export const matchReasons = [
  'agreed',
  'given_back',
  'partly_given_back',
  'lapsed',
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
  'not_moved',
  'moved_differs',
  'books_not_open',
  'not_booked',
  'booked_differs',
] as const;

export type MatchReason = (typeof matchReasons)[number];

export interface Reason {
  code: MatchReason;
  /** In words, with the amounts. */
  told: string;
}
