import type { JsonObject } from '../json.js';
import type { Shown } from '../merge.js';
import { compareStatements, isReport, type Statement } from '../record-state.js';
import { textField } from '../records.js';
import { isGone, mayRefund, type PayoutWords, type ShownRecord } from './links.js';

/** A record as it may decide, of all that is shown of it. */
export function shownRecordOf(id: string, shown: Shown): ShownRecord {
  const { fields, verified, verifiedAt, absent, known, doubted, ownCall } = shown;
  return { id, fields, verified, verifiedAt, absent, unknown: !known, doubted, saysPaid: saysPaid(shown), ownCall };
}

/** A report says that the payment was collected, which nothing else shows. */
export function saysPaid({ reported, doubted, known }: Shown): boolean {
  if (reported === null || (known && !doubted)) return false;
  return textField(reported, 'status') === 'completed' || textField(reported, 'irregularStatus') === 'encashed';
}

/** Such a payment shows on the order that the report names, as long as nothing but reports speaks of it. */
export function isSaidAlone(payment: Pick<ShownRecord, 'absent' | 'unknown' | 'saysPaid'>): boolean {
  return payment.saysPaid === true && payment.unknown === true && !isGone(payment);
}

/** Reports alone say that a payout gives this payment, or money of this order, back. */
export interface SaidRefund {
  of: 'payment' | 'order';
  /** The payment's id, or the order's reference. */
  name: string;
  /** A report that says so: milliseconds of the service's clock, and which it is. */
  until: number;
  by: string;
}

/** Whatever any of the reports says, each by itself: a later one that names another payment, or the same, takes nothing back. */
export function saidRefunds(fields: JsonObject, claims: readonly Statement[], words: PayoutWords): SaidRefund[] {
  const said = new Map<string, SaidRefund>();
  for (const { fields: reported, to, source } of claims.filter(isReport).toSorted(compareStatements)) {
    for (const [of, name] of linksSaid(fields, reported, words))
      said.set(`${of} ${name} ${source.ref}`, { of, name, until: to, by: source.ref });
  }
  return [...said.values()];
}

function linksSaid(
  fields: JsonObject,
  reported: JsonObject,
  words: PayoutWords,
): (readonly [SaidRefund['of'], string])[] {
  const other = (name: string) => {
    const value = textField(reported, name) ?? '';
    return value === '' || value === textField(fields, name) ? [] : [value];
  };
  // Where the list shows no type, it is what the report says; that too may be nothing.
  const typed = Object.hasOwn(fields, 'payoutType') ? fields : reported;
  const references = mayRefund(typed, words) ? other('merchantReference') : [];
  return [
    ...other('paymentIntentId').map((name) => ['payment', name] as const),
    ...references.map((name) => ['order', name] as const),
  ];
}

/** What was found out of a payout that reports link. */
export interface SaidState {
  known: boolean;
  absent: boolean;
  /** Other sources than reports say of which payment it is. */
  linked: boolean;
  /** The delivery history was read for it since each report that says so, but for those that it disproves. */
  searched: boolean;
  assigned: boolean;
  /** The delivery history proves that the service sent none of the reports that say so (`event_not_sent`). */
  disproved: boolean;
}

/** What was found out of payouts that reports under one secret say give something back. */
export interface SaidCount extends SaidState {
  /** The payment's id, or the order's reference. */
  key: string;
  /** Of the secret; null: it is not known. */
  label: string | null;
  /** They came within `DENIED_MS`. */
  lately: boolean;
  /** How many payouts. */
  n: number;
}

/** So many of one payment or order under one secret turned out to be no refunds: who signs with it says nothing more of it. */
export const MOST_DENIED = 5;
/** Within so long. */
export const DENIED_MS = 3 * 3_600_000;

/** By secret, how many reports of refunds of the same were denied lately, or not sent; where they are too many for it to hold anything. */
export function passedOver(counts: readonly SaidCount[]): Map<string, number> {
  const denied = new Map<string, number>();
  for (const { key, label, lately, n, ...state } of counts)
    if (label !== null && lately && isDenied(state)) add(denied, JSON.stringify([key, label]), n);
  return new Map([...denied].filter(([, n]) => n >= MOST_DENIED));
}

/** Of each payment or order, by how many payouts it is said to be given back, undecided, under secrets that are not passed over. */
export function holdingRefunds(
  counts: readonly SaidCount[],
  { canPassOver }: { canPassOver: boolean },
): Map<string, number> {
  const deaf = canPassOver ? passedOver(counts) : new Map<string, number>();
  const holding = new Map<string, number>();
  for (const { key, label, n, ...state } of counts)
    if (isUndecided(state) && !deaf.has(JSON.stringify([key, label]))) add(holding, key, n);
  return holding;
}

function isDenied({ known, absent, assigned, disproved }: SaidState): boolean {
  return !assigned && (disproved || (!known && absent));
}

function add(counts: Map<string, number>, key: string, n: number): void {
  counts.set(key, (counts.get(key) ?? 0) + n);
}

/** Neither list, nor history, nor a person has decided on what reports say of the payout: it withholds. */
export function isUndecided({ known, absent, linked, searched, assigned, disproved }: SaidState): boolean {
  if (assigned || disproved) return false;
  return known ? !linked && !searched : !absent;
}
