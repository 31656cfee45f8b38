import type { JsonObject } from '../domain/json.js';
import type { CallLog, NotedCall, OpenCallNote } from '../domain/own-calls.js';
import type { KeyedOperation } from './operations.js';

export type { Begun, KeyLimits, KeyOutcome } from '../domain/own-calls.js';

/** What is written down before it is sent: calls with an idempotency key, and invoices, which have none to send. */
export type NotedOperation = KeyedOperation | 'createInvoice';
export type NotedWrite<O extends NotedOperation = NotedOperation> = NotedCall<O>;
export type OpenWrite<O extends NotedOperation = NotedOperation> = OpenCallNote<O>;

/** Where creating calls are written down before they are sent, so that a crash leaves no payment or payout unknown. */
export interface KeyStore extends CallLog<NotedOperation> {
  /**
   * The record that a call of the operation made, as the service's lists or its own answer showed it; `at`: when, ms of the
   * service's clock. Null where it is not known. Left out: this store knows no records.
   */
  made?(operation: NotedOperation, objectId: string): Promise<{ fields: JsonObject; at: number } | null>;
}
