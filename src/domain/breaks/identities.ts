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

/** What a field should be by others of the record; null: they don't say. */
type Formula = (fields: JsonObject) => string | null;

const computed =
  (of: (a: string, b: string) => string) =>
  (one: string, other: string): Formula =>
  (fields) => {
    const [a, b] = [amountField(fields, one), amountField(fields, other)];
    return a === null || b === null ? null : of(a, b);
  };
const difference = computed(subtractAmounts);
const sum = computed(addAmounts);

/** Of the payins as the payment sums them up; null where one is not final, or in another asset, or shows no such amount. */
const sumOfPayins =
  (field: string): Formula =>
  (fields) => {
    const payins = fields['payins'];
    if (!Array.isArray(payins) || payins.length === 0) return null;
    const asset = textField(fields, 'assetCode');
    const amounts = payins.map((payin) => {
      if (!isJsonObject(payin) || textField(payin, 'status') !== 'confirmed') return null;
      return textField(payin, 'assetCode') === asset ? amountField(payin, field) : null;
    });
    return amounts.includes(null) ? null : sumAmounts(amounts.filter((amount) => amount !== null));
  };

const merchantNet = difference('totalAmountReceived', 'feeAmountTotal');

/** Sums that the specification suggests and does not promise. Whether they hold of an account is observed first. */
const identities = {
  payin_net: ['amountNet', difference('amountGross', 'feeAmount')],
  /** Where nothing was rejected. */
  intent_net: [
    'amountNetMerchant',
    (fields) => (isZero(amountField(fields, 'amountRejected') ?? '0') ? merchantNet(fields) : null),
  ],
  intent_fees: ['feeAmountTotal', sum('feeAmountOnRange', 'feeAmountOnRejected')],
  intent_range: ['totalAmountReceived', sum('amountInRange', 'amountRejected')],
  payins_gross: ['totalAmountReceived', sumOfPayins('amountGross')],
  payins_net: ['amountNetMerchant', sumOfPayins('amountNet')],
  payins_fee: ['feeAmountTotal', sumOfPayins('feeAmount')],
} as const satisfies Readonly<Record<string, readonly [field: string, Formula]>>;

export type Identity = keyof typeof identities;
const identityNames = Object.keys(identities) as readonly Identity[];

/** Every identity that the record, which is final, can be held against. Of any other there is nothing to say. */
export function identitiesOf(record: CheckedRecord): IdentityOf[] {
  const names = isFinal(record)
    ? identityNames.filter((name) => (name === 'payin_net') === (record.kind === 'payin'))
    : [];
  return names.flatMap((identity) => {
    const [field, formula] = identities[identity];
    const [ours, theirs] = [formula(record.fields), amountField(record.fields, field)];
    if (ours === null || theirs === null) return [];
    return [{ identity, holds: compareAmounts(ours, theirs) === 0, field, ours, theirs }];
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
