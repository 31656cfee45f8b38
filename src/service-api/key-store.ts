import type { JsonObject } from '../domain/json.js';
import type { CallLinks } from '../domain/own-calls.js';
import type { KeyedOperation } from './operations.js';

/** What is written down before it is sent: calls with an idempotency key, and invoices, which have none to send. */
export type NotedOperation = KeyedOperation | 'createInvoice';

/** A creating call, as it is written down before it is sent. */
export interface NotedWrite<O extends NotedOperation = NotedOperation> {
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

export type OpenWrite<O extends NotedOperation = NotedOperation> = NotedWrite<O> & { age: number };

/** Where creating calls are written down before they are sent, so that a crash leaves no payment or payout unknown. */
export interface KeyStore {
  /** Resolves when the call is written down so that it outlives the process; only then may it be sent. */
  begin(write: NotedWrite, limits: KeyLimits): Promise<Begun>;
  /** `objectId`: of what it made, known also where the call stays unknown because its answer could not be taken in. */
  end(write: NotedWrite, outcome: KeyOutcome, objectId: string | null): Promise<void>;
  /**
   * The call with an unknown outcome that has waited longest, of those that nobody else settles now and that are not too old; it is the
   * caller's for `leaseMs`. Null where there is none.
   */
  claim<O extends NotedOperation>(operations: readonly O[], limits: KeyLimits): Promise<OpenWrite<O> | null>;
  /** Gives calls with an unknown outcome up that are too old; returns those of which nothing is known. */
  giveUp<O extends NotedOperation>(operations: readonly O[], limits: KeyLimits): Promise<NotedWrite<O>[]>;
  /** Of the other calls of the operation: which of these they made, and how many that ask for the same are open. */
  rivals(write: NotedWrite, objectIds: readonly string[]): Promise<{ made: string[]; open: number }>;
  /**
   * The record that a call of the operation made, as the service's lists or its own answer showed it; `at`: when, ms of the
   * service's clock. Null where it is not known. Left out: this store knows no records.
   */
  made?(operation: NotedOperation, objectId: string): Promise<{ fields: JsonObject; at: number } | null>;
}
