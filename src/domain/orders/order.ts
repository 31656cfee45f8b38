import type { OrderRefund } from '../family/family.js';
import { linkedByPayment, linkIn, listedPayins, paymentsOf, type ShownRecord } from '../family/links.js';
import { invoicedOf, largest, type Money, requestOf, sameCurrency } from '../family/money.js';
import { isFinal, isOff } from '../family/states.js';
import { compareAmounts, sumAmounts } from '../money.js';
import { amountViolations, textField } from '../records.js';
import type { OrderFacts } from './order-facts.js';
import {
  type Collected,
  type IntentOutcome,
  intentOutcome,
  invoiceOutcome,
  isCertain,
  type PaymentOutcome,
  type RangeSide,
  shortPayment,
} from './order-intent.js';
import { claimReasons, type OrderStatus, type PaidReason, paidReasons, type ReleaseReason } from './reason-words.js';

export type { OrderStatus } from './reason-words.js';

import { defaultKytWords, type KytWords, kytVerdict } from './kyt.js';

/** More payments, or invoices, than anybody makes for one order. What they share is a word that the shop puts on all of them. */
export const MOST_RECORDS = 200;

export interface DerivedOrder {
  status: OrderStatus;
  release: Release;
}

/** What an order shows where none of its money is collected: the first of these that one of its records means. */
const uncollectedStatus = [
  ['confirming', 'confirming'],
  ['underpaid', 'underpaid'],
  ['unmatched', 'unmatched'],
  ['refunded', 'refunded'],
  ['open', 'awaiting_payment'],
  ['expired', 'expired'],
  ['cancelled', 'cancelled'],
] as const satisfies readonly (readonly [IntentOutcome['type'], OrderStatus])[];

const statusOfSide = {
  in_range: 'paid',
  under: 'underpaid',
  over: 'overpaid',
  outside: 'unmatched',
} as const satisfies Record<RangeSide, OrderStatus>;

/** A pure function of the records, whatever their order. The truth table is in docs/orders.md and, line by line, in the tests. */
export function deriveOrder(facts: OrderFacts): DerivedOrder {
  const { shared = false, intents, invoices } = facts;
  if (shared || intents.length > MOST_RECORDS || invoices.length > MOST_RECORDS)
    return { status: 'shared_reference', release: held('shared_reference') };
  const payments = outcomesOf(facts);
  const outcomes = [...payments.map(({ outcome }) => outcome), ...invoiced(payments, facts)];
  if (outcomes.some(({ type }) => type === 'disputed')) return { status: 'disputed', release: held('disputed') };
  const collected = outcomes.filter((outcome) => outcome.type === 'collected').toSorted(inRangeFirst);
  if (collected.length > 0) return collectedOrder(collected, facts);
  const claims = new Set(outcomes.flatMap((outcome) => (outcome.type === 'claimed' ? [outcome.reason] : [])));
  if (facts.saysPaid === true) claims.add('not_verified');
  const statement = claimReasons.find((reason) => claims.has(reason));
  if (statement !== undefined) return { status: 'paid_unverified', release: held(statement) };
  const found = uncollectedStatus.find(([type]) => outcomes.some((outcome) => outcome.type === type));
  const status = found?.[1] ?? 'awaiting_payment';
  const gone = found === undefined && outcomes.length > 0;
  return { status, release: held(gone ? 'record_not_at_service' : status) };
}

/** So that what two payments in two currencies mean does not hang on which was given first. */
function inRangeFirst(a: Collected, b: Collected): number {
  const byRange = Number(b.side === 'in_range') - Number(a.side === 'in_range');
  return byRange || (a.intent.id < b.intent.id ? -1 : 1);
}

function outcomesOf({ intents, contested = [], refunds }: OrderFacts): PaymentOutcome[] {
  return [
    ...intents.map((intent) => ({ intent, outcome: intentOutcome(intent, refundsOf(intent, intents, refunds)) })),
    ...contested.map((intent) => ({ intent, outcome: TWO_ORDERS })),
  ];
}

const TWO_ORDERS: IntentOutcome = { type: 'claimed', reason: 'two_orders' };

function invoiced(payments: readonly PaymentOutcome[], { invoices, elsewhere = [] }: OrderFacts): IntentOutcome[] {
  return invoices.flatMap((invoice) => {
    const outcome = invoiceOutcome(invoice, payments);
    if (outcome === null) return [];
    const isElsewhere = outcome.type === 'claimed' && !invoice.absent && paymentsOf(invoice, elsewhere).length > 0;
    return [isElsewhere ? TWO_ORDERS : outcome];
  });
}

/** A refund that names no payment belongs to the only one there is. */
function refundsOf(
  intent: ShownRecord,
  intents: readonly ShownRecord[],
  refunds: readonly OrderRefund[],
): OrderRefund[] {
  return refunds.filter(
    ({ paymentIntentId }) => (paymentIntentId ?? (intents.length === 1 ? intent.id : '')) === intent.id,
  );
}

/**
 * The money that counts towards what was asked for. Where none is collected yet: what came in too little on payments that are over,
 * as it counts once the service keeps it; nothing where one of them is not proven to be so.
 */
export function countedOf(facts: OrderFacts): Pick<Collected, 'intent' | 'paid'>[] {
  const payments = outcomesOf(facts);
  const collected = payments.flatMap(({ outcome }) => (outcome.type === 'collected' ? [outcome] : []));
  if (collected.length > 0) return collected.toSorted(inRangeFirst);
  const short = payments.flatMap(({ intent, outcome }) => (outcome.type === 'underpaid' ? [intent] : []));
  return short.every(isCertain) ? short.map(shortPayment) : [];
}

function collectedOrder(collected: readonly Collected[], facts: OrderFacts): DerivedOrder {
  const verdict = compareWithExpected(collected, facts);
  const unplaced = facts.refunds.some((refund) => refund.status === 'confirmed' && isUnplaced(refund, facts));
  if (verdict.status !== 'paid_twice' && (unplaced || collected.some((payment) => payment.partlyRefunded)))
    return { status: 'partially_refunded', release: held('partially_refunded') };
  if (verdict.status !== 'paid') return { status: verdict.status, release: held(verdict.reason ?? verdict.status) };
  return { status: 'paid', release: releaseOfPaid(collected, facts) };
}

/** It names none of the payments. One that names none at all is that of the only one, which is refunded by it in part then. */
function isUnplaced({ paymentIntentId = null }: OrderRefund, { intents }: OrderFacts): boolean {
  return intents.every(({ id }) => id !== paymentIntentId);
}

/** Money in another currency than the expected one, or of unknown amount, is never counted towards it. */
function compareWithExpected(
  collected: readonly Collected[],
  facts: OrderFacts,
): { status: OrderStatus; reason?: ReleaseReason } {
  const { expected: registered } = facts;
  const several = collected.length > 1;
  const { expected, unclear } =
    registered === null ? requested(collected, facts) : { expected: registered, unclear: null };
  const bySide = statusOfSide[collected[0]?.side ?? 'outside'];
  const agreed: { status: OrderStatus; reason?: ReleaseReason } =
    unclear === null ? { status: several ? 'paid' : bySide } : { status: 'underpaid', reason: unclear };
  if (expected === null) return several ? { status: 'paid_twice' } : agreed;
  const counted = collected.flatMap(({ paid }) =>
    paid !== null && sameCurrency(paid.currency, expected.currency) ? [paid.amount] : [],
  );
  const comparison = compareAmounts(sumAmounts(counted), expected.amount);
  if (counted.length < collected.length) {
    if (several && comparison >= 0) return { status: 'paid_twice' };
    if (registered === null && !several) return agreed;
    const unknown = collected.some(({ paid }) => paid === null);
    return { status: 'underpaid', reason: unknown ? 'amount_unknown' : 'other_currency' };
  }
  if (comparison < 0) return { status: 'underpaid' };
  if (comparison > 0) return { status: several ? 'paid_twice' : 'overpaid' };
  return agreed;
}

/**
 * Without a word from the store, an order asks for what the largest of its requests asks for, paid or open, and no less than
 * an invoice: of those that the service shows and that are neither cancelled nor expired. `unclear`: one of these requests
 * asks for another currency, which nothing is converted into; or one that is not paid does not show what it asks for.
 */
export function requested(
  collected: readonly Pick<Collected, 'intent'>[],
  { intents, invoices }: Pick<OrderFacts, 'intents' | 'invoices'>,
): { expected: Money | null; unclear: 'other_currency' | 'amount_unknown' | null } {
  const open = intents.filter((intent) => asks('payment_intent', intent));
  const asking = invoices.filter((invoice) => asks('invoice', invoice));
  const ofRecords = (records: readonly ShownRecord[], read: typeof requestOf) =>
    records.flatMap(({ fields }) => read(fields) ?? []);
  const paid = ofRecords(
    collected.map(({ intent }) => intent),
    requestOf,
  );
  const expected = largest([...paid, ...ofRecords(open, requestOf), ...ofRecords(asking, invoicedOf)]);
  const isMixed = ofRecords(open, requestOf).some(
    ({ currency }) => !sameCurrency(currency, expected?.currency ?? currency),
  );
  const paying = new Set(collected.map(({ intent }) => intent.id));
  const isHidden = open.some(({ id, fields }) => !paying.has(id) && requestOf(fields) === null);
  return { expected, unclear: isMixed ? 'other_currency' : isHidden ? 'amount_unknown' : null };
}

function asks(kind: 'payment_intent' | 'invoice', { fields, absent, unknown }: ShownRecord): boolean {
  return !absent && unknown !== true && !isOff(kind, textField(fields, 'status'));
}

/** May the goods go out? `reason` is `proven` exactly where they may; docs/orders.md lists the others. */
interface Release {
  safe: boolean;
  reason: ReleaseReason;
  /** When the oldest poll that the proof rests on was made; milliseconds of the service's clock, null where unsafe. */
  provenAt: number | null;
}

/** What was given back stays given back; that it failed is believed only while nothing says otherwise. */
function isOver({ status, doubted }: OrderRefund): boolean {
  return status === 'confirmed' || (isFinal('payout', status) && doubted !== true);
}

const held = (reason: ReleaseReason): Release => ({ safe: false, reason, provenAt: null });

/** The verdict on an order that is paid: each of its payins must have been read, be final and have passed. */
function releaseOfPaid(collected: readonly Collected[], facts: OrderFacts): Release {
  const intents = collected.map(({ intent }) => intent);
  const payins = linkedByPayment('payin', intents, facts.payins);
  const proofs = intents.map((intent) => ({ intent, payins: payins.get(intent.id) ?? [] }));
  const doubts = new Set<PaidReason>([
    ...collected.flatMap(({ side }) => (side === 'in_range' ? [] : ['out_of_range' as const])),
    ...proofs.flatMap((proof) => doubtsOfPayment(proof, facts)),
    ...doubtsOfOrder(facts),
  ]);
  const first = paidReasons.find((reason) => doubts.has(reason));
  if (first !== undefined) return held(first);
  return {
    safe: true,
    reason: 'proven',
    provenAt: oldest(proofs.flatMap(({ intent, payins }) => [intent, ...payins])),
  };
}

function doubtsOfOrder(facts: OrderFacts): PaidReason[] {
  const { contested = [], invoices, openCalls = [], refunds } = facts;
  const isDenied = invoices.some(({ absent, ownCall }) => absent && (ownCall ?? null) !== null);
  return [
    ...(contested.length > 0 ? (['two_orders'] as const) : []),
    ...(isDenied ? (['record_not_at_service'] as const) : []),
    ...(facts.refundUnlinked === true ? (['refund_unlinked'] as const) : []),
    ...(facts.requiresRegistration === true && facts.expected === null ? (['not_registered'] as const) : []),
    ...(facts.refundReported === true ? (['refund_reported'] as const) : []),
    ...(refunds.every(isOver) && openCalls.length === 0 && facts.refundUnread !== true
      ? []
      : (['refund_in_progress'] as const)),
  ];
}

function doubtsOfPayment(
  { intent, payins }: { intent: ShownRecord; payins: readonly ShownRecord[] },
  facts: OrderFacts,
): PaidReason[] {
  // Its payins were not asked for: the order was paid before Tallyhook was there.
  const isHistory = facts.history?.has(intent.id) === true;
  const unreadable = amountViolations('payment_intent', intent.fields).length > 0;
  return [
    ...(unreadable ? (['amount_unreadable'] as const) : []),
    ...(isReadWhole(intent, payins) ? [] : ([isHistory ? 'before_adoption' : 'payins_unread'] as const)),
    ...(payins.every((payin) => isOwn(payin, intent, facts)) ? [] : (['two_orders'] as const)),
    ...payins.flatMap((payin) => doubtOfPayin(payin, facts) ?? []),
  ];
}

/**
 * A payin that names another payment than the one that lists it is that one's money, if anybody's; so is one whose link is no text.
 * One that names none is its own only where no other payment lists it.
 */
function isOwn(payin: ShownRecord, intent: ShownRecord, { sharedPayins = [] }: OrderFacts): boolean {
  const named = linkIn('payin', payin.fields, 'payment_intent');
  return named === null ? !sharedPayins.includes(payin.id) : named === intent.id;
}

/** Every payin that the payment lists was read. Money that no payin brought was never screened either. */
function isReadWhole({ fields }: ShownRecord, payins: readonly ShownRecord[]): boolean {
  if (!Array.isArray(fields['payins']) || payins.length === 0) return false;
  const read = new Set(payins.map(({ id }) => id));
  const isNamed = fields['payins'].length === listedPayins(fields).length;
  return isNamed && listedPayins(fields).every((id) => read.has(id));
}

function doubtOfPayin(
  payin: ShownRecord,
  { kytWords = defaultKytWords, showsKyt = false }: OrderFacts,
): PaidReason | null {
  if (!isCertain(payin)) return 'payin_not_verified';
  const kyt = kytOf(payin, kytWords);
  if (kyt === null ? showsKyt : kyt !== 'passed') return `kyt_${kyt === null || kyt === 'passed' ? 'pending' : kyt}`;
  return isFinal('payin', textField(payin.fields, 'status')) ? null : 'payin_not_final';
}

function kytOf({ fields }: ShownRecord, words: KytWords): ReturnType<typeof kytVerdict> | null {
  const kyt = fields['kytStatus'] ?? null;
  if (kyt === null) return null;
  return typeof kyt === 'string' ? kytVerdict(kyt, words) : 'unknown';
}

function oldest(records: readonly ShownRecord[]): number | null {
  return records.reduce<number | null>(
    (oldest, { verifiedAt }) => (verifiedAt !== null && (oldest === null || verifiedAt < oldest) ? verifiedAt : oldest),
    null,
  );
}
