/** The kinds of record that Tallyhook keeps. Each has an entry in `recordRules` and a table of its own. */
export type RecordKind =
  | 'payment_intent'
  | 'payin'
  | 'invoice'
  | 'payout'
  | 'account'
  | 'transaction'
  | 'balance'
  | 'endpoint'
  | 'settlement_account'
  | 'product'
  | 'asset';

/** What a break or a change can be about (interface: "Shapes outside programs rely on"). */
export type EntityKind = RecordKind | 'delivery' | 'order' | 'secret' | 'event';

export interface EntityRef {
  kind: EntityKind;
  id: string;
}

/**
 * One state machine of a record: the field that holds its state, and how far on each listed state stands.
 * States of equal rank do not follow one another. `unlisted` is the rank of the states that the specification implies
 * without naming them (3.4, 3.5); null: its list is complete, and any other state stands nowhere, so it neither advances a
 * record nor is advanced from.
 */
export interface Axis {
  field: string;
  /** None: the specification gives the kind no states. */
  ranks: ReadonlyMap<string, number>;
  unlisted: number | null;
}

/** A second state machine beside the main one, and the fields that move with it and with it alone. */
interface SideAxis extends Axis {
  travels: readonly string[];
}

/** A column that records are searched by. Its name is the field's in snake case. */
export interface Column {
  name: string;
  field: string;
  type: 'text' | 'amount' | 'time';
}

/**
 * What it means that the service no longer shows a record that it showed, or that an event spoke of: a `break`, or
 * nothing (`quiet`), or nothing where its last state is one of these.
 */
type Vanishing = 'break' | 'quiet' | { quietIn: readonly string[] };

export interface RecordRules {
  main: Axis;
  side: SideAxis | null;
  /** Decimal-string fields. */
  amounts: readonly string[];
  /** Decimal-string fields that may be negative. */
  signedAmounts: readonly string[];
  /** Sums of amounts, which may have more integer digits, and a sign. */
  totals: readonly string[];
  /** Decimal-string fields of the objects in an array field. */
  nestedAmounts: Readonly<Record<string, readonly string[]>>;
  /**
   * Fields that some views of the record lack: the newest value claimed stands in where a reading has no such key. Among
   * them what only our own requests tell, and what a pointer of the contract found (`merchantReference` of an invoice).
   */
  kept: readonly string[];
  /** Fields that hold goods back: a newer claim that says otherwise takes `verified` from the reading until the next. */
  decisive: readonly string[];
  vanishing: Vanishing;
  columns: readonly Column[];
}
