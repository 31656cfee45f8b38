const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * How long two things may differ before the difference is a break: what one list shows at once, another shows when it is
 * read next. Each is longer than the slowest default poll of what it waits for, and than ten minutes by which a clock
 * may be off.
 */
export const grace = {
  /** From when a state is known to have begun at the earliest: a request is given up after 20 s, an event names its second. */
  moment: MINUTE_MS,
  /** An invoice and the payment that paid it: both lists are read every 10 minutes. */
  link: 30 * MINUTE_MS,
  /** From when a refund was made until the call that made it, or the delivery history, names its payment. */
  refund: 10 * MINUTE_MS,
  /** From the first sight of an order until the store registers it. */
  registration: 30 * MINUTE_MS,
  /** A screening (KYT) of a payin that its payment counts as collected already. */
  kyt: HOUR_MS,
  /** From the last poll of a record that is open or only reported: every list is read whole again within a day. */
  stale: 24 * HOUR_MS,
  /** From `expiresAt` of something that the service still shows as waiting for the customer. */
  overdue: 48 * HOUR_MS,
  /** A confirmed payout of a sub-wallet and its transaction. The feed of transactions is read every 10 minutes. */
  debit: 2 * HOUR_MS,
} as const;

/** How soon a record is polled again whose poll alone, without any change, would settle a break. */
export const RECHECK_MS = 10 * MINUTE_MS;
