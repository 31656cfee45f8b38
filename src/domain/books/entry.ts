import type { MovementChoices, MovementOperation } from '../balances/movement-table.js';
import type { JsonObject } from '../json.js';
import type { DisputeSeen } from './dispute-seen.js';

/** One leg. The legs of an asset add up to zero; a memo says what is known and moves nothing. */
export interface Line {
  account: string;
  assetCode: string;
  /** Signed decimal string, never zero: a debit is positive. */
  amount: string;
  memo: boolean;
}

/** What the books can be about besides the service's records: an opening, an attribution, the placing of payouts. */
export const bookedKinds = [
  'payment_intent',
  'payin',
  'payout',
  'transaction',
  'opening',
  'attribution',
  'placement',
] as const;
export type BookedKind = (typeof bookedKinds)[number];

/** Which of the service's times dates an entry. */
export type DatedBy =
  | 'status_history'
  | 'decision'
  | 'created'
  | 'updated'
  | 'first_seen'
  | 'opening'
  | 'attributed'
  | 'placed';

export interface Dated {
  /** Milliseconds. */
  at: number;
  by: DatedBy;
  /** YYYY-MM-DD, where the books know the day already. */
  day?: string;
}

/** What the books should say of one thing that a record says, as it stands now. */
export interface Draft {
  recordKind: BookedKind;
  recordId: string;
  /** Which of the things that the record says. */
  key: string;
  /**
   * `fact`: it happened once; where the record says otherwise later, the entry is reversed and made anew. `state`: it moves on, and
   * each step is an entry of its own.
   */
  mode: 'fact' | 'state';
  lines: Line[];
  description: string;
  sources: { kind: string; id: string }[];
  dated: Dated;
  /** Of a memo, whose own asset need not be open: the opening that its record is inside of, or not. */
  opening?: {
    assetCode: string;
    /** What the record moved came after the opening; where it moved nothing, its date decides. */
    isSince: boolean;
  };
  /** Of a state: where nothing of it is posted yet, and that was not when it became what it is. */
  firstDated?: Dated;
}

/** What a record did to one balance, and what of it stood at the opening of the books: a row of `movements`. */
export interface Moved {
  part: 'explained' | 'unobservable' | 'unplaced' | 'unclear';
  operation: MovementOperation | null;
  /** Null: the operating balance, or of an `unplaced` payout: not known. */
  account: string | null;
  assetCode: string | null;
  /** Null: not shown. */
  delta: string | null;
  /** Null: that part is open still. */
  base: string | null;
  /** As the service wrote it. */
  at: string | null;
}

export interface BookRecord {
  kind: 'payment_intent' | 'payin' | 'payout' | 'transaction';
  id: string;
  /** Null: the service shows it no more. */
  fields: JsonObject | null;
  /** Milliseconds of our clock. */
  firstSeenAt: number;
  moved: readonly Moved[];
  /** Of a payment that was seen in a dispute. `booksOpenedAt`, in milliseconds: those of its asset; null: they are not. */
  dispute?: (DisputeSeen & { booksOpenedAt: number | null }) | null;
}

export type BookChoices = Pick<MovementChoices, 'transferFee' | 'payments'>;
