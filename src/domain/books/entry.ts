import type { MovementChoices } from '../balances/movement-table.js';
import type { Effect } from '../balances/movements.js';
import type { JsonObject } from '../json.js';
import type { DisputeSeen, DisputeStage } from './dispute-seen.js';

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

/** Of the entries of a payment about what a dispute holds of it. */
export const heldKey = 'held';

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
  /** YYYY-MM-DD, where it is booked on another day than that to which it belongs. */
  bookedOn?: string;
}

/** What the books should say of one thing that a record says, as it stands now. */
export interface Draft {
  recordKind: BookedKind;
  recordId: string;
  /** Which of the things that the record says. */
  key: string;
  /** `fact`: it happened once; said otherwise later, it is reversed and made anew. `state`: each step is an entry of its own. */
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
  /** Of a fact: what takes back the one before it; left out: it is dated as that was. */
  reversal?: Pick<Draft, 'description' | 'dated'>;
  /** Of a state that is over: posted only where nothing is that was dated then or later. */
  isPassed?: true;
}

type About = Omit<Draft, 'recordKind' | 'recordId' | 'sources'>;

/** About one record, which is its own source, beside others. */
export function draftOf(
  { kind, id }: { kind: BookedKind; id: string },
  about: About,
  ...others: Draft['sources']
): Draft {
  return { recordKind: kind, recordId: id, sources: [{ kind, id }, ...others], ...about };
}

/** What a record did to one balance, and what of it stood at the opening of the books: a row of `movements`. */
export interface Moved extends Omit<Effect, 'why' | 'limit'> {
  /** Null: that part is open still. */
  base: string | null;
}

export interface BookRecord {
  kind: 'payment_intent' | 'payin' | 'payout' | 'transaction';
  id: string;
  /** Null: the service shows it no more. */
  fields: JsonObject | null;
  /** Milliseconds of our clock. */
  firstSeenAt: number;
  moved: readonly Moved[];
  /** Of a payment that was seen in a dispute. `booksOpenedAt`, in milliseconds: those of its asset; null: they are not. `stages`: what it was before. */
  dispute?: (DisputeSeen & { booksOpenedAt: number | null; stages?: readonly DisputeStage[] }) | null;
}

export type BookChoices = Pick<MovementChoices, 'transferFee' | 'payments'>;
