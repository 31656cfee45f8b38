import type { JsonObject } from './json.js';
import { type RecordKind, textField } from './records.js';

/** SERVICE_RATE where it is not set: calls per second of all processes together. */
export const USUAL_RATE = 5;

/** What a creating call of our own says by itself of what it makes; null: nothing. */
export type CallLinks = {
  paymentIntentId: string | null;
  merchantReference: string | null;
  accountId: string | null;
};

const createdKinds: ReadonlyMap<string, RecordKind> = new Map([
  ['createDirectPayment', 'payment_intent'],
  ['createInvoice', 'invoice'],
  ['createPayout', 'payout'],
  ['createRefund', 'payout'],
]);

export const createdKind = (operation: string): RecordKind | null => createdKinds.get(operation) ?? null;

export function linksOfCall(
  operation: string,
  { path, request }: { path: Readonly<Record<string, string>>; request: JsonObject },
): CallLinks {
  return {
    paymentIntentId: operation === 'createRefund' ? textField(request, 'paymentIntentId') : null,
    merchantReference: textField(request, 'merchantReference'),
    accountId: operation === 'createPayout' ? (path['id'] ?? null) : null,
  };
}

export function namedFields(said: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(said).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** A creating call, as it is written down before it is sent. */
export interface NotedCall<O extends string> {
  operation: O;
  /** Of an invoice a name of our own, which is never sent. */
  key: string;
  /** SHA-256 of what is asked for: distinguishes a replay from another request under the same key. */
  hash: string;
  /** All that it takes to send the call again, or to find the invoice; null where a TOTP code is in it. */
  request: string | null;
  /** What it says by itself of what it makes: kept for good, unlike `request`. Left out: nothing. */
  links?: CallLinks;
}

export interface KeyLimits {
  /** How long one call may last: so long nobody else settles it. */
  leaseMs: number;
  /** What began longer ago than this is given up; a key is never sent again after it. */
  withinMs: number;
}

/**
 * `again`: a call under the key was begun before and not refused; `age` in ms since the key was first used; `objectId` of
 * what it made, where that is known.
 */
export type Begun =
  | { ok: true; again: boolean; age: number }
  | { ok: false; reason: 'expired' | 'other_request'; objectId: string | null };

/**
 * How a call ended: `refused` and `unsent` made nothing, so their key is free again; `unknown` is to be settled; `lost`
 * can't be settled any more. What was done once stays done, whatever ends later.
 */
export type KeyOutcome = 'done' | 'refused' | 'unsent' | 'unknown' | 'lost';

export type OpenCallNote<O extends string> = NotedCall<O> & { age: number };

/** Where creating calls are written down before they are sent. */
export interface CallLog<O extends string> {
  /** Resolves when the call is written down so that it outlives the process; only then may it be sent. */
  begin(write: NotedCall<O>, limits: KeyLimits): Promise<Begun>;
  /** `objectId`: of what it made, known also where the call stays unknown because its answer could not be taken in. */
  end(write: NotedCall<O>, outcome: KeyOutcome, objectId: string | null): Promise<void>;
  /**
   * The call with an unknown outcome that has waited longest, of those that nobody else settles now and that are not too old; it is the
   * caller's for `leaseMs`. Null where there is none.
   */
  claim<P extends O>(operations: readonly P[], limits: KeyLimits): Promise<OpenCallNote<P> | null>;
  /** Gives calls with an unknown outcome up that are too old; returns those of which nothing is known. */
  giveUp<P extends O>(operations: readonly P[], limits: KeyLimits): Promise<NotedCall<P>[]>;
  /** Of the other calls of the operation: which of these they made, and how many that ask for the same are open. */
  rivals(write: NotedCall<O>, objectIds: readonly string[]): Promise<{ made: string[]; open: number }>;
}
