import { amountField } from '../family/money.js';
import { isJsonObject, type JsonObject } from '../json.js';
import { addAmounts, compareAmounts, isZero, subtractAmounts, sumAmounts } from '../money.js';
import { textField } from '../records.js';
import type { CheckedRecord } from './check-facts.js';

/** What an identity says of one record. `theirs` is the field as the service shows it. */
export interface IdentityOf {
  identity: Identity;
  holds: boolean;
  field: string;
  ours: string;
  theirs: string;
}

type Sides = { field: string; ours: string; theirs: string } | null;

/**
 * Sums that the specification suggests and does not promise. Whether they hold of an account is observed first. Null where
 * the record does not say.
 */
const identities = {
  /** amountNet = amountGross − feeAmount */
  payin_net: ({ fields }: CheckedRecord): Sides =>
    sides(fields, 'amountNet', difference(fields, 'amountGross', 'feeAmount')),
  /** amountNetMerchant = totalAmountReceived − feeAmountTotal, where nothing was rejected */
  intent_net: ({ fields }: CheckedRecord): Sides =>
    isZero(amountField(fields, 'amountRejected') ?? '0')
      ? sides(fields, 'amountNetMerchant', difference(fields, 'totalAmountReceived', 'feeAmountTotal'))
      : null,
  /** feeAmountTotal = feeAmountOnRange + feeAmountOnRejected */
  intent_fees: ({ fields }: CheckedRecord): Sides =>
    sides(fields, 'feeAmountTotal', sumOf(fields, 'feeAmountOnRange', 'feeAmountOnRejected')),
  /** totalAmountReceived = amountInRange + amountRejected */
  intent_range: ({ fields }: CheckedRecord): Sides =>
    sides(fields, 'totalAmountReceived', sumOf(fields, 'amountInRange', 'amountRejected')),
  /** totalAmountReceived = the sum of amountGross of its confirmed payins */
  payins_gross: ({ fields }: CheckedRecord): Sides =>
    sides(fields, 'totalAmountReceived', sumOfPayins(fields, 'amountGross')),
  /** amountNetMerchant = the sum of amountNet of its confirmed payins */
  payins_net: ({ fields }: CheckedRecord): Sides =>
    sides(fields, 'amountNetMerchant', sumOfPayins(fields, 'amountNet')),
  /** feeAmountTotal = the sum of feeAmount of its confirmed payins */
  payins_fee: ({ fields }: CheckedRecord): Sides => sides(fields, 'feeAmountTotal', sumOfPayins(fields, 'feeAmount')),
} as const;

export type Identity = keyof typeof identities;
const identityNames = Object.keys(identities) as readonly Identity[];

/** Every identity that the record, which is final, can be held against. Of any other there is nothing to say. */
export function identitiesOf(record: CheckedRecord): IdentityOf[] {
  const names = isFinal(record)
    ? identityNames.filter((name) => (name === 'payin_net') === (record.kind === 'payin'))
    : [];
  return names.flatMap((identity) => {
    const found = identities[identity](record);
    return found === null ? [] : [{ identity, holds: compareAmounts(found.ours, found.theirs) === 0, ...found }];
  });
}

/** What a dispute does to the amounts of a payment is not shown; such a one says nothing. */
function isFinal({ kind, fields, verified, absent }: CheckedRecord): boolean {
  const status = textField(fields, 'status');
  if (!verified || absent) return false;
  if (kind === 'payin') return status === 'confirmed';
  return (
    kind === 'payment_intent' && status === 'completed' && (textField(fields, 'irregularStatus') ?? 'none') === 'none'
  );
}

function sides(fields: JsonObject, field: string, ours: string | null): Sides {
  const theirs = amountField(fields, field);
  return ours === null || theirs === null ? null : { field, ours, theirs };
}

function difference(fields: JsonObject, from: string, minus: string): string | null {
  const [a, b] = [amountField(fields, from), amountField(fields, minus)];
  return a === null || b === null ? null : subtractAmounts(a, b);
}

function sumOf(fields: JsonObject, one: string, other: string): string | null {
  const [a, b] = [amountField(fields, one), amountField(fields, other)];
  return a === null || b === null ? null : addAmounts(a, b);
}

/** Of the payins as the payment sums them up; null where one is not final, or in another asset, or shows no such amount. */
function sumOfPayins(fields: JsonObject, field: string): string | null {
  const payins = fields['payins'];
  if (!Array.isArray(payins) || payins.length === 0) return null;
  const asset = textField(fields, 'assetCode');
  const amounts: string[] = [];
  for (const payin of payins) {
    if (!isJsonObject(payin) || textField(payin, 'status') !== 'confirmed') return null;
    const amount = amountField(payin, field);
    if (amount === null || textField(payin, 'assetCode') !== asset) return null;
    amounts.push(amount);
  }
  return sumAmounts(amounts);
}
