import { valueAt } from '../events/event-key.js';
import { isJsonObject, type Json, type JsonObject } from '../json.js';

/** What is compared of a transaction that was read before: it is booked, so none of it may change. */
export const transactionFields = ['accountId', 'assetCode', 'type', 'amount', 'feeAmount', 'createdAt'] as const;

/** A transaction of the feed (4.11, 4.12) under our names, beside all that came with it. What no pointer finds is left out, not null. */
export function transactionFieldsOf(item: Json, pointers: Readonly<Record<string, string>>): JsonObject {
  const fields: JsonObject = isJsonObject(item) ? { ...item } : {};
  for (const [name, pointer] of Object.entries(pointers)) {
    const value = valueAt(item, pointer);
    if (value === undefined) delete fields[name];
    else fields[name] = value;
  }
  return fields;
}
