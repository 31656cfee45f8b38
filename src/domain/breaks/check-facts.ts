import type { Assignments, PayoutWords, ShownRecord } from '../family/links.js';
import type { Money } from '../family/money.js';
import type { OpenCall } from '../family/own-refunds.js';
import type { Json } from '../json.js';
import type { KytWords } from '../orders/kyt.js';
import type { OrderStatus } from '../orders/order.js';
import { type RecordKind, textField } from '../records.js';

/** A record as it is shown, with what a check must know of it besides. Times in ms of the service's clock. */
export interface CheckedRecord extends ShownRecord {
  kind: RecordKind;
  createdAt: number | null;
  /** Older than adoption, and not changed since: never a break. */
  history: boolean;
  /** When the newest poll of it began; null: the service's own list has not shown it. */
  readAt: number | null;
  /** When it came to be known. */
  firstSeenAt: number;
  /** Since when its state is what it is, as far as is known. */
  since: number | null;
  observedBy: { type: string; ref: string };
}

/** An order as it was derived from its records (order.ts), with the payments among them. */
export interface CheckedOrder {
  reference: string;
  expected: Money | null;
  intents: readonly CheckedRecord[];
  status: OrderStatus;
  releaseReason: string;
  createdAt: number;
  /** The registered orders that look like this one, which is not registered. */
  similar: readonly { reference: string; status: OrderStatus }[];
  /** Of one whose reference is shared, and whose payments are therefore not here: money came in for one of them. */
  sharedMoney: boolean;
}

/** Who owns refunds (family/links.ts), and what is known around those that nobody owns. */
export interface RefundFacts {
  words: PayoutWords;
  /** The payments that name one of the payouts as the refund of their dispute, of whatever order. */
  naming: readonly ShownRecord[];
  assigned: Assignments;
  /** The payments that the records named when a person decided. */
  namedThen: ReadonlyMap<string, readonly string[]>;
  ordered: ReadonlySet<string>;
  /** By payout, the payments that it may give back; of one that is left out they were not searched for. */
  candidates: ReadonlyMap<string, readonly CheckedRecord[]>;
  /** By payout, the call of our own, of unknown outcome, that may have made it (family/own-refunds.ts). */
  makers: ReadonlyMap<string, OpenCall>;
}

export type FocusKind = 'intents' | 'payins' | 'invoices' | 'payouts';
type ById = ReadonlyMap<string, CheckedRecord>;

/** What one round of checks reads: of each record in `focus` all that belongs to it and that is known. */
export interface CheckFacts {
  now: number;
  kytWords: KytWords;
  /** When the newest run of a kind began that went through; a kind without one is left out. */
  ranAt: ReadonlyMap<RecordKind, number>;
  /** When the store registered its first order; null: it registers none. */
  registersSince: number | null;
  intents: ById;
  payins: ById;
  invoices: ById;
  payouts: ById;
  refunds: RefundFacts;
  /** Transactions of sub-wallets, accounts and whatever else was changed and is only classified by its age. */
  others: readonly CheckedRecord[];
  orders: readonly CheckedOrder[];
  listings: ReadonlyMap<string, readonly string[]>;
  focus: Readonly<Record<FocusKind, ReadonlySet<string>>>;
}

export function focused(facts: CheckFacts, kind: FocusKind): CheckedRecord[] {
  return [...facts.focus[kind]].flatMap((id) => facts[kind].get(id) ?? []);
}

/** The money is the merchant's, by the service's own list. */
export function isCollected({ fields, verified, doubted, absent }: ShownRecord): boolean {
  const kept = textField(fields, 'irregularStatus');
  if (!verified || doubted === true || absent || kept === 'pending_decision' || kept === 'refunded') return false;
  return textField(fields, 'status') === 'completed' || kept === 'encashed';
}

export function sourceOf(record: Pick<CheckedRecord, 'kind' | 'id' | 'fields' | 'verified' | 'observedBy'>): Json {
  return { kind: record.kind, id: record.id, verified: record.verified, ...record.observedBy };
}
