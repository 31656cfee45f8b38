import type { JsonObject } from '../json.js';
import { compareAmounts, sumAmounts } from '../money.js';
import { textField } from '../records.js';
import type { OrderFacts, OrderRefund, ShownRecord } from './order-facts.js';
import { amountField, type Money, sameCurrency } from './order-facts.js';
import { type Collected, type IntentOutcome, intentOutcome, invoiceOutcome, type RangeSide } from './order-intent.js';
import { held, type Release, releaseOfPaid } from './release.js';

export type OrderStatus =
  | 'awaiting_payment'
  | 'confirming'
  | 'paid_unverified'
  | 'paid'
  | 'underpaid'
  | 'overpaid'
  | 'paid_twice'
  | 'expired'
  | 'cancelled'
  | 'unmatched'
  | 'disputed'
  | 'partially_refunded'
  | 'refunded'
  | 'shared_reference';

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

/**
 * The state of an order and whether its goods may go out: a pure function of the records, whatever their order. The
 * truth table stands in docs/orders.md and, line by line, in the tests.
 */
export function deriveOrder(facts: OrderFacts): DerivedOrder {
  if (isShared(facts)) return { status: 'shared_reference', release: held('shared_reference') };
  const outcomes = outcomesOf(facts);
  if (outcomes.some(({ type }) => type === 'disputed')) return { status: 'disputed', release: held('disputed') };
  const collected = outcomes.filter((outcome) => outcome.type === 'collected').toSorted(inRangeFirst);
  if (collected.length > 0) return collectedOrder(collected, facts);
  const claims = outcomes.filter((outcome) => outcome.type === 'claimed');
  if (claims.length > 0) {
    const claim = claims.find(({ reason }) => reason === 'not_verified') ?? claims[0];
    return { status: 'paid_unverified', release: held(claim?.reason ?? 'not_verified') };
  }
  const found = uncollectedStatus.find(([type]) => outcomes.some((outcome) => outcome.type === type));
  const status = found?.[1] ?? 'awaiting_payment';
  const gone = found === undefined && outcomes.length > 0;
  return { status, release: held(gone ? 'record_not_at_service' : status) };
}

function isShared({ shared = false, intents, invoices }: OrderFacts): boolean {
  return shared || intents.length > MOST_RECORDS || invoices.length > MOST_RECORDS;
}

/** So that what two payments in two currencies mean does not hang on which was given first. */
function inRangeFirst(a: Collected, b: Collected): number {
  const byRange = Number(b.side === 'in_range') - Number(a.side === 'in_range');
  return byRange || (a.intent.id < b.intent.id ? -1 : 1);
}

function outcomesOf({ intents, invoices, refunds }: OrderFacts): IntentOutcome[] {
  const payments = intents.map((intent) => ({
    intent,
    outcome: intentOutcome(intent, refundsOf(intent, intents, refunds)),
  }));
  return [
    ...payments.map(({ outcome }) => outcome),
    ...invoices.flatMap((invoice) => invoiceOutcome(invoice, payments) ?? []),
  ];
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

function collectedOrder(collected: readonly Collected[], facts: OrderFacts): DerivedOrder {
  const verdict = compareWithExpected(collected, facts);
  const unplaced = facts.refunds.some((refund) => refund.status === 'confirmed' && isUnplaced(refund, facts));
  if (verdict.status !== 'paid_twice' && (unplaced || collected.some((payment) => payment.partlyRefunded))) {
    return { status: 'partially_refunded', release: held('partially_refunded') };
  }
  if (verdict.status !== 'paid') return { status: verdict.status, release: held(verdict.reason ?? verdict.status) };
  return { status: 'paid', release: releaseOfPaid(collected, facts) };
}

function isUnplaced({ paymentIntentId = null }: OrderRefund, { intents }: OrderFacts): boolean {
  return paymentIntentId === null ? intents.length !== 1 : intents.every((intent) => intent.id !== paymentIntentId);
}

/** Money in another currency than the expected one, or of unknown amount, is never counted towards it. */
function compareWithExpected(
  collected: readonly Collected[],
  { expected: registered, invoices }: OrderFacts,
): { status: OrderStatus; reason?: string } {
  const several = collected.length > 1;
  const expected = registered ?? largestRequest(collected, invoices);
  const bySide = statusOfSide[collected[0]?.side ?? 'outside'];
  if (expected === null) return { status: several ? 'paid_twice' : bySide };
  const counted = collected.flatMap(({ paid }) =>
    paid !== null && sameCurrency(paid.currency, expected.currency) ? [paid.amount] : [],
  );
  const comparison = compareAmounts(sumAmounts(counted), expected.amount);
  if (counted.length < collected.length) {
    if (several && comparison >= 0) return { status: 'paid_twice' };
    if (registered === null && !several) return { status: bySide };
    const unknown = collected.some(({ paid }) => paid === null);
    return { status: 'underpaid', reason: unknown ? 'amount_unknown' : 'other_currency' };
  }
  if (comparison < 0) return { status: 'underpaid' };
  if (comparison > 0) return { status: several ? 'paid_twice' : 'overpaid' };
  return { status: several ? 'paid' : bySide };
}

/** Without a word from the store, an order asks for what its largest payment, or a larger invoice, asked for. */
function largestRequest(collected: readonly Collected[], invoices: readonly ShownRecord[]): Money | null {
  const valid = invoices.filter(({ fields, absent }) => !absent && !isOff(textField(fields, 'status')));
  const requests = [
    ...collected.flatMap(({ intent: { fields } }) => moneyOf(fields, 'amountRequested', 'currencyRequested')),
    ...valid.flatMap(({ fields }) => moneyOf(fields, 'amount', 'currency')),
  ];
  return requests.reduce<Money | null>(
    (largest, request) => (largest === null || isLarger(request, largest) ? request : largest),
    null,
  );
}

function isOff(status: string | null): boolean {
  return status === 'expired' || status === 'cancelled';
}

function moneyOf(fields: JsonObject, amountName: string, currencyName: string): Money[] {
  const amount = amountField(fields, amountName);
  const currency = textField(fields, currencyName);
  return amount === null || currency === null ? [] : [{ amount, currency }];
}

function isLarger(request: Money, than: Money): boolean {
  return sameCurrency(request.currency, than.currency) && compareAmounts(request.amount, than.amount) > 0;
}
