import { amountField } from '../family/money.js';
import { isoTime } from '../in-words.js';
import { isJsonObject, type JsonObject } from '../json.js';
import { addAmounts, compareAmounts, isZero, subtractAmounts, sumAmounts } from '../money.js';
import { compareText } from '../record-state.js';
import { textField } from '../records.js';
import { type CheckedRecord, sourceOf } from './check-facts.js';
import { type BreakDefinitions, type Checked, entityOf, type FieldEvidence, finding } from './findings.js';

/** What an identity says of one record. `theirs` is the field as the service shows it. */
interface IdentityOf {
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

export const feeBreaks = {
  fee_identity: {
    severity: 'medium',
    sharedBy: ['/identities'],
    means: 'The amounts of this payment do not add up; those of the account’s other payments do.',
    ends: 'They add up.',
    remedy:
      'Ask the service. If its fees changed for good: “tallyhook breaks observe IDENTITY --note WHY” for each of “identities”, then write these breaks off.',
  },
} as const satisfies BreakDefinitions;

/** What the account's own records say of an identity so far. Records as `kind id`. */
export interface IdentityEvidence {
  identity: Identity;
  /** Of which it held, one after another: none since the last of which it did not. No more than it takes. */
  heldBy: readonly string[];
  /** Some of which it did not, before it was proven. */
  failedBy: readonly string[];
  /** Since when, ms. */
  provenAt: number | null;
}

/** So many different records in a row prove an identity; then a record that breaks it is a break. */
export const RECORDS_FOR_PROOF = 20;
const FAILURES_KEPT = 20;

/**
 * `fee_identity`: amounts of a record that don't add up as those of the records before did. Records of history are
 * evidence, and never a break; so is one that failed before the identity was proven, unless it is checked again then.
 * `evidence`: every identity that was met, as it stands now.
 */
export function checkFees(records: readonly CheckedRecord[], known: readonly IdentityEvidence[], now: number) {
  const evidence = new Map(known.map((about) => [about.identity, about]));
  const checked: Checked[] = [];
  for (const record of records) {
    const said = identitiesOf(record);
    const broken = said.filter((one) => !one.holds && (evidence.get(one.identity)?.provenAt ?? null) !== null);
    for (const one of said) evidence.set(one.identity, observed(evidence.get(one.identity), one, record, now));
    const found =
      broken.length > 0 && !record.history
        ? finding(fieldsOf(broken, record), { notes: notesOf(broken, evidence) })
        : null;
    checked.push({ entity: entityOf(record), found });
  }
  return { checked, evidence: [...evidence.values()] };
}

function observed(
  known: IdentityEvidence | undefined,
  { identity, holds }: IdentityOf,
  { kind, id }: CheckedRecord,
  now: number,
): IdentityEvidence {
  const before = known ?? { identity, heldBy: [], failedBy: [], provenAt: null };
  const key = `${kind} ${id}`;
  if (before.provenAt !== null) return before;
  if (!holds) {
    const failedBy = [...before.failedBy.filter((other) => other !== key), key].slice(-FAILURES_KEPT);
    return { ...before, heldBy: [], failedBy };
  }
  if (before.heldBy.includes(key)) return before;
  const heldBy = [...before.heldBy, key];
  return { ...before, heldBy, provenAt: heldBy.length >= RECORDS_FOR_PROOF ? now : null };
}

function fieldsOf(broken: readonly IdentityOf[], record: CheckedRecord): Record<string, FieldEvidence> {
  return Object.fromEntries(
    broken.map(({ identity, field, ours, theirs }) => [
      `${field} (${identity})`,
      { ours, theirs, source: sourceOf(record) },
    ]),
  );
}

function notesOf(broken: readonly IdentityOf[], evidence: ReadonlyMap<Identity, IdentityEvidence>): JsonObject {
  const provenAt = broken.map(({ identity }): [string, string | null] => {
    return [identity, isoTime(evidence.get(identity)?.provenAt ?? null)];
  });
  const identities = provenAt.map(([identity]) => identity).sort(compareText);
  return { identities: identities.join(', '), heldSince: Object.fromEntries(provenAt) };
}
