import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { isTotal, normalizeAmount } from '../../domain/money.js';
import { type RecordKind, recordRules } from '../../domain/records.js';
import { ownField } from './stored-record.js';

/** The record with its amounts written without trailing zeros; whatever is no amount stays as the service wrote it. */
export function withPlainAmounts(kind: RecordKind, fields: JsonObject): JsonObject {
  const { amounts, signedAmounts, totals, nestedAmounts } = recordRules[kind];
  const plain = normalized(fields, [...amounts, ...signedAmounts, ...totals]);
  for (const [list, names] of Object.entries(nestedAmounts)) {
    const items = ownField(fields, list);
    if (Array.isArray(items)) plain[list] = items.map((item) => (isJsonObject(item) ? normalized(item, names) : item));
  }
  return plain;
}

function normalized(fields: JsonObject, names: readonly string[]): JsonObject {
  const plain = { ...fields };
  for (const name of names) {
    const value: Json | undefined = ownField(fields, name);
    if (isTotal(value)) plain[name] = normalizeAmount(value);
  }
  return plain;
}
