import { groupedPairs } from '../grouped.js';
import { type Json, type JsonObject, ownField } from '../json.js';
import type { RecordKind } from '../kinds/kinds.js';
import { compareText } from '../record-state.js';
import { objectsIn, textField } from '../records.js';

/** A record as it may decide: fields that polls, own calls and the delivery history show, never what only a report says. */
export interface ShownRecord {
  id: string;
  fields: JsonObject;
  verified: boolean;
  /** Milliseconds of the service's clock. */
  verifiedAt: number | null;
  absent: boolean;
  /** Reports alone speak of it. Left out: no. */
  unknown?: boolean;
  /** A report newer than the last poll says that it stands elsewhere. */
  doubted?: boolean;
  /** That report, or those of a record that nothing else shows, say that money was collected. */
  saysPaid?: boolean;
  /** The newest of our own calls that made or changed it; null or left out: none. */
  ownCall?: string | null;
}

export const familyKinds = ['payment_intent', 'payin', 'invoice', 'payout'] as const satisfies readonly RecordKind[];
export type FamilyKind = (typeof familyKinds)[number];

/** Every field by which a record of a family names another. Nothing else links. */
const links: Readonly<Record<FamilyKind, Readonly<Partial<Record<FamilyKind, string>>>>> = {
  payment_intent: { invoice: 'invoiceId', payout: 'irregularRefundPayoutId', payin: 'payins' },
  payin: { payment_intent: 'paymentIntentId' },
  invoice: { payment_intent: 'paymentIntentId' },
  payout: { payment_intent: 'paymentIntentId' },
};

/** What stands where a record names one of another kind, a text or not; null: nothing. */
export function linkIn(kind: FamilyKind, fields: JsonObject, named: FamilyKind): Json {
  const field = links[kind][named];
  const value = field === undefined ? undefined : ownField(fields, field);
  return value === undefined || value === '' ? null : value;
}

/** Ids of the records of one kind that these fields name. */
export function namedIn(kind: FamilyKind, fields: JsonObject, named: FamilyKind): readonly string[] {
  if (links[kind][named] === 'payins') return listedPayins(fields);
  const id = linkIn(kind, fields, named);
  return typeof id === 'string' ? [id] : NONE;
}

const NONE: readonly string[] = [];

type PayinSummary = JsonObject & { id: string };

/** The payins that a payment intent sums up (specification 2.1). */
export function payinSummaries(fields: JsonObject): PayinSummary[] {
  return objectsIn(fields, 'payins').filter((item): item is PayinSummary => Boolean(textField(item, 'id')));
}

export const listedPayins = (fields: JsonObject): string[] => payinSummaries(fields).map(({ id }) => id);

/** The order that a record names itself; null where it names none. */
export const referenceOf = (fields: JsonObject): string | null => textField(fields, 'merchantReference') || null;

/** The service denies it, and nothing but reports ever spoke of it. */
export function isGone({ absent, unknown }: Pick<ShownRecord, 'absent' | 'unknown'>): boolean {
  return absent && unknown === true;
}

/** It can link others: the service still has it, or denies what we did ourselves. One known only from reports has no fields that could. */
export function isLinking({ absent, ownCall }: Pick<ShownRecord, 'absent' | 'ownCall'>): boolean {
  return !absent || (ownCall ?? null) !== null;
}

/** The payment that an invoice names; where it names none, those that name it. */
export function paymentsOf<R extends ShownRecord>(invoice: ShownRecord, intents: readonly R[]): R[] {
  const named = namedIn('invoice', invoice.fields, 'payment_intent');
  return intents.filter(({ id, fields }) =>
    named.length > 0 ? named.includes(id) : namedIn('payment_intent', fields, 'invoice').includes(invoice.id),
  );
}

/** The orders that could have a payment: its own reference's alone; else its linked invoices'. More than one: it counts for none. */
export function ordersOfPayment(intent: ShownRecord, linked: readonly ShownRecord[]): string[] {
  if (intent.unknown === true) return [];
  const own = referenceOf(intent.fields);
  if (own !== null) return [own];
  const references = linked.filter(isLinking).flatMap(({ fields }) => referenceOf(fields) ?? []);
  return [...new Set(references)].sort(compareText);
}

/** By a payment's id the payins, or invoices, that it names or that name it: each once, in the order given. */
export function linkedByPayment<R extends ShownRecord>(
  kind: 'payin' | 'invoice',
  intents: readonly ShownRecord[],
  records: readonly R[],
): Map<string, R[]> {
  const naming = groupedPairs(
    intents.flatMap(({ id, fields }) => namedIn('payment_intent', fields, kind).map((named) => [named, id] as const)),
  );
  return groupedPairs(
    records.flatMap((record) => {
      const payments = [...namedIn(kind, record.fields, 'payment_intent'), ...(naming.get(record.id) ?? [])];
      return [...new Set(payments)].map((payment) => [payment, record] as const);
    }),
  );
}

/** Something but reports shows it, and it names no payment. */
export function namesNoPayment({ fields, unknown }: ShownRecord): boolean {
  return unknown !== true && linkIn('payin', fields, 'payment_intent') === null;
}

/** Payins that name no payment, and that more than one lists: the money is one's, and nothing says whose. */
export function sharedPayins(intents: readonly ShownRecord[], payins: readonly ShownRecord[]): ReadonlySet<string> {
  const unnamed = payins.filter(namesNoPayment);
  if (unnamed.length === 0) return new Set();
  const listing = groupedPairs(
    intents
      .filter(isLinking)
      .flatMap(({ id, fields }) => [...new Set(listedPayins(fields))].map((payin) => [payin, id])),
  );
  return new Set(unnamed.flatMap(({ id }) => ((listing.get(id) ?? []).length > 1 ? [id] : [])));
}

export interface RefundOwner {
  /** Null: it gives no payment back. */
  payment: string | null;
  /** All that could be it, the owner first. */
  candidates: readonly string[];
}

/** Whose refund a person said it is; a payment's id, or null: none's. */
export type Assignments = ReadonlyMap<string, string | null>;

/**
 * The one payment that a payout gives back: whose a person said it is; else the one that names it as the refund of its
 * dispute, of several the first by id, those that the service still lists before the others; else the one that it names.
 * The crypto leg of a settlement, by the words of the contract, gives nobody anything back.
 */
export function ownerOfRefund(
  payout: ShownRecord,
  intents: readonly Pick<ShownRecord, 'id' | 'fields' | 'absent'>[],
  words: PayoutWords,
  assigned: Assignments = new Map(),
): RefundOwner {
  const decided = assigned.get(payout.id);
  if (decided !== undefined) return { payment: decided, candidates: decided === null ? [] : [decided] };
  const naming = intents
    .filter(({ fields }) => namedIn('payment_intent', fields, 'payout').includes(payout.id))
    .toSorted((a, b) => Number(a.absent) - Number(b.absent) || compareText(a.id, b.id))
    .map(({ id }) => id);
  const isSettlement = payoutClass(payout.fields, words) === 'settlement';
  const own = isSettlement ? [] : namedIn('payout', payout.fields, 'payment_intent');
  const candidates = [...new Set([...naming, ...own])];
  return { payment: candidates[0] ?? null, candidates };
}

export type PayoutClass = 'refund' | 'withdrawal' | 'internal' | 'settlement';
/** Words of `payoutType` by class, in lower case (`movements.words.payoutType` of the contract). */
export type PayoutWords = Readonly<Record<PayoutClass, readonly string[]>>;

export const defaultPayoutWords: PayoutWords = {
  withdrawal: ['withdrawal', 'payout', 'crypto', 'standard', 'external'],
  internal: ['internal', 'internal_transfer'],
  refund: ['refund', 'payment_refund'],
  settlement: ['settlement'],
};

/** What a payout is by the word that it carries; null: it carries none, or one that nobody has classed. */
export function payoutClass(fields: JsonObject, words: PayoutWords): PayoutClass | null {
  return classOf(textField(fields, 'payoutType'), words);
}

/** The class on whose list the word is, in whatever case; null: on none. */
export function classOf<Class extends string>(
  word: string | null,
  words: Readonly<Record<Class, readonly string[]>>,
): Class | null {
  const found = Object.entries<readonly string[]>(words).find(([, list]) => list.includes(word?.toLowerCase() ?? ''));
  return word === null || found === undefined ? null : (found[0] as Class);
}

/** It may give back money of the order whose reference it carries: a refund, or of a type that nobody has classed; no own withdrawal. */
export function isUnlinkedRefund(payout: Pick<ShownRecord, 'fields' | 'ownCall'>, words: PayoutWords): boolean {
  return payout.ownCall !== 'createPayout' && mayRefund(payout.fields, words);
}

/** What nobody's own withdrawal is: somebody says that it is a refund, by its type or by the call that made it. */
export function isRefund({ fields, ownCall }: ShownRecord, words: PayoutWords): boolean {
  return ownCall === 'createRefund' || payoutClass(fields, words) === 'refund';
}

/** Nobody sends a withdrawal, or a settlement, back to a customer. Without a word, or by one that nobody has classed, it may be a refund. */
export function mayRefund(fields: JsonObject, words: PayoutWords): boolean {
  const found = payoutClass(fields, words);
  return found === null || found === 'refund';
}
