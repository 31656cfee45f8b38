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

export function createdKind(operation: string): RecordKind | null {
  return createdKinds.get(operation) ?? null;
}

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
