/**
 * The kinds of record that Tallyhook keeps, and the order of their states.
 * Specification sections 2 and 3. A state that is not listed here is kept and shown verbatim.
 */
export type RecordKind = 'payment_intent' | 'payin';

/** What a break or a change can be about (interface: "Shapes outside programs rely on"). */
export type EntityKind =
  | RecordKind
  | 'invoice'
  | 'payout'
  | 'account'
  | 'transaction'
  | 'balance'
  | 'delivery'
  | 'endpoint'
  | 'order'
  | 'secret'
  | 'event';

export interface EntityRef {
  kind: EntityKind;
  id: string;
}
