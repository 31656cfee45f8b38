import type { ShownRecord } from '../../family/links.js';
import type { OrderFacts } from '../../orders/order-facts.js';

/** What is held against the records and the books: an order; or an invoice, or a payment, that belongs to none. */
export type MatchKind = 'order' | 'invoice' | 'payment_intent';

type MatchedRecord = 'payment_intent' | 'payin' | 'payout';

/** What a record did to the operating balance, by the contract's table. Signed decimal strings. */
export interface MovedSum {
  recordKind: MatchedRecord;
  recordId: string;
  assetCode: string;
  delta: string;
  /** What of it stood when the books were opened: it is inside the opening balance. */
  base: string;
}

/** What the entries of a record add up to on one account, asset and day. */
export interface BookedSum {
  recordKind: MatchedRecord;
  recordId: string;
  account: 'operating' | 'payments' | 'refunds';
  assetCode: string;
  /** A debit is positive. */
  amount: string;
  /** YYYY-MM-DD, where it stands in the books. */
  date: string;
  /** What of it was income (a credit is positive) in the reporting currency, as far as it is priced; exact. */
  value: string;
  /** Lines that are not. */
  unpriced: number;
}

/** All that one order is matched by. Each payment is among the facts of one order, invoice or payment, and of no other. */
export interface MatchFacts {
  kind: MatchKind;
  /** The order's reference, or the record's id. */
  id: string;
  /** When it came to be; milliseconds. */
  openedAt: number;
  order: OrderFacts;
  /** When the store registered what it expects; milliseconds. */
  registeredAt: number | null;
  /** Payouts that give its payments back, in the order of `order.refunds`. */
  refunds: readonly ShownRecord[];
  /** Refunds of which more than one payment is named, in words: each is counted with one alone. */
  claims: readonly string[];
  /** With which others payments of this one are counted. */
  elsewhere: readonly string[];
  moved: readonly MovedSum[];
  /** Why what a record of it moved is not known. */
  unclear: readonly string[];
  booked: readonly BookedSum[];
  /** In which `value` is. */
  currency: string;
  opened: ReadonlySet<string>;
}
