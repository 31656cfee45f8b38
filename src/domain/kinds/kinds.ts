import { account } from './account.js';
import { asset } from './asset.js';
import { balance } from './balance.js';
import { endpoint } from './endpoint.js';
import { invoice } from './invoice.js';
import type { Field, Kind, RecordKind } from './kind.js';
import { payin } from './payin.js';
import { paymentIntent } from './payment-intent.js';
import { payout } from './payout.js';
import { product } from './product.js';
import { settlementAccount } from './settlement-account.js';
import { transaction } from './transaction.js';

export type { Field, Fields, Kind, RecordKind, Related } from './kind.js';
export { recordKinds } from './kind.js';

/** Each kind's definition, with its fields by their names. */
export const definitions = {
  payment_intent: paymentIntent,
  payin,
  invoice,
  payout,
  account,
  transaction,
  balance,
  endpoint,
  settlement_account: settlementAccount,
  product,
  asset,
} as const satisfies Record<RecordKind, Kind>;

/** The same, where the kind is not known beforehand. */
export const kinds: Readonly<Record<RecordKind, Kind>> = { ...definitions };

export const tableOf = (kind: RecordKind): string => `${kind}s`;

/** What is said of a field of the kind; null: the service shows it, and we know nothing of it. */
export function fieldOf(kind: RecordKind, name: string): Field | null {
  const { fields } = kinds[kind];
  return Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;
}

/** Names of the kind's fields of which that is so, in the order of the definition. */
export function fieldsThat(kind: RecordKind, isSo: (field: Field) => boolean): string[] {
  return Object.entries(kinds[kind].fields).flatMap(([name, field]) => (isSo(field) ? [name] : []));
}

/** The field that names the unit of such an amount; null: it is none, or its unit is always the same. */
export function unitField(field: Field | null): string | null {
  if (field === null || !['amount', 'signed', 'total'].includes(field.type)) return null;
  const { unit = { field: 'assetCode' } } = 'unit' in field ? field : {};
  return typeof unit === 'object' && unit !== null ? unit.field : null;
}
