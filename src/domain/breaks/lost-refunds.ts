import { isRefund, ownerOfRefund, referenceOf } from '../family/links.js';
import { amountField } from '../family/money.js';
import type { OpenCall } from '../family/own-refunds.js';
import type { Json, JsonObject } from '../json.js';
import { compareAmounts } from '../money.js';
import { compareText } from '../record-state.js';
import { textField } from '../records.js';
import { type CheckedRecord, type CheckFacts, isCollected, type RefundFacts, sourceOf } from './check-facts.js';
import { type BreakDefinitions, each, type Finding, finding } from './findings.js';
import { grace } from './grace.js';
import { counts } from './refunds.js';

export const lostRefundBreaks = {
  refund_without_order: {
    severity: 'high',
    sharedBy: ['/assetCode/theirs'],
    means:
      'The service shows a refund, and ten minutes later nothing says of which payment or order. It holds no order. “candidates” in the evidence names payments of the same asset that it may give back.',
    ends: 'Its payment becomes known, a person says whose it is, its reference names an order, or it fails.',
    remedy:
      'Where “ownCall” names a call of ours, its answer is lost and it may have made this: tallyhook calls settle KEY --as done:PAYOUT. Else ask who made it, in the dashboard, and say whose it is: tallyhook refunds assign PAYOUT --payment PI, or --payment none.',
    besideSafe: { where: 'a refund that names no order', remedy: 'say whose it is; its order is then held' },
    check: each('payouts', lostOrNot),
  },
  refund_assigned_otherwise: {
    severity: 'high',
    sharedBy: { none: 'Each was assigned by itself.' },
    means:
      'A person said whose refund this is, and since then the service’s records name another payment. What the person said counts.',
    ends: 'The records no longer name another, or the refund is assigned again.',
    remedy: 'Decide which of the two is right. Assign it again, with the same payment or the other.',
    besideSafe: { where: 'the person’s payment counts as given back, the other does not', remedy: 'assign it again' },
    check: each('payouts', reassigned),
  },
} as const satisfies BreakDefinitions;

const MOST_CANDIDATES = 5;

/** Money was given back, and nothing says whose. It withholds no order, so a person must check it. */
function lostOrNot(payout: CheckedRecord, { now, refunds }: CheckFacts): Finding | { at: number } | null {
  if (!isLost(payout, refunds)) return null;
  const candidates = refunds.candidates.get(payout.id);
  if (now < lostAt(payout) || candidates === undefined) return { at: Math.max(lostAt(payout), now) };
  return lostRefund(payout, candidates, refunds.makers.get(payout.id));
}

/** From then on one that nobody owns is a break. */
export const lostAt = ({ createdAt, firstSeenAt }: CheckedRecord): number => (createdAt ?? firstSeenAt) + grace.refund;

/** A refund by its type or by our own call, which the service shows and nobody owns. */
export function isLost(payout: CheckedRecord, { words, naming, assigned, ordered }: RefundFacts): boolean {
  if (payout.unknown === true || payout.history || !counts(payout) || !isRefund(payout, words)) return false;
  if (assigned.has(payout.id) || ownerOfRefund(payout, naming, words, assigned).payment !== null) return false;
  const reference = referenceOf(payout.fields);
  return reference === null || !ordered.has(reference);
}

function lostRefund(payout: CheckedRecord, candidates: readonly CheckedRecord[], maker: OpenCall | undefined): Finding {
  const { fields } = payout;
  const said = (name: string): Json => fields[name] ?? null;
  const source = sourceOf(payout);
  return finding(
    {
      payment: { ours: null, theirs: null, source },
      amount: { ours: null, theirs: said('amount'), source },
      assetCode: { ours: null, theirs: said('assetCode'), source },
      merchantReference: { ours: null, theirs: said('merchantReference'), source },
    },
    {
      notes: {
        payoutType: said('payoutType'),
        status: said('status'),
        ...(maker === undefined ? {} : { ownCall: { key: maker.key, paymentIntentId: maker.paymentIntentId } }),
        candidates: ranked(payout, candidates),
      },
    },
  );
}

/** The likeliest first: where the refund went to the customer's address, then what is given back whole, then the newest. */
function ranked(payout: CheckedRecord, candidates: readonly CheckedRecord[]): JsonObject[] {
  return candidates
    .filter((payment) => mayGiveBack(payout, payment))
    .map((payment) => ({ payment, sameAddress: isSameAddress(payout, payment), whole: isWhole(payout, payment) }))
    .toSorted(
      (a, b) =>
        Number(b.sameAddress) - Number(a.sameAddress) ||
        Number(b.whole) - Number(a.whole) ||
        (b.payment.createdAt ?? 0) - (a.payment.createdAt ?? 0) ||
        compareText(a.payment.id, b.payment.id),
    )
    .slice(0, MOST_CANDIDATES)
    .map(({ payment: { id, fields }, sameAddress }) => ({
      paymentIntentId: id,
      merchantReference: fields['merchantReference'] ?? null,
      amountNetMerchant: fields['amountNetMerchant'] ?? null,
      sameAddress,
    }));
}

/** Collected, of the same asset, and no less than is given back. */
function mayGiveBack({ fields: given }: CheckedRecord, payment: CheckedRecord): boolean {
  const [amount, net] = [amountField(given, 'amount'), amountField(payment.fields, 'amountNetMerchant')];
  const asset = textField(given, 'assetCode');
  if (!isCollected(payment) || asset === null || asset !== textField(payment.fields, 'assetCode')) return false;
  return amount !== null && net !== null && compareAmounts(amount, net) <= 0;
}

function isWhole({ fields: given }: CheckedRecord, { fields }: CheckedRecord): boolean {
  const [amount, net] = [amountField(given, 'amount'), amountField(fields, 'amountNetMerchant')];
  return amount !== null && net !== null && compareAmounts(amount, net) === 0;
}

/** The payment shows its address masked (specification 2.1): what it shows of it is compared. */
function isSameAddress({ fields: given }: CheckedRecord, { fields }: CheckedRecord): boolean {
  const to = textField(given, 'destinationAddress') ?? '';
  const shown = textField(fields, 'customerRefundAddress') ?? '';
  const parts = shown.split(/[*\u2026\u2022]+|\.{2,}/u);
  const [start = '', end = ''] = [parts[0], parts.at(-1)];
  if (start === '' || end === '') return false;
  return parts.length === 1 ? to === shown : to.startsWith(start) && to.slice(start.length).endsWith(end);
}

function reassigned(payout: CheckedRecord, { refunds }: CheckFacts): Finding | null {
  const { naming, words, assigned, namedThen } = refunds;
  const decided = assigned.get(payout.id);
  const known = [decided, ...(namedThen.get(payout.id) ?? [])];
  const other = ownerOfRefund(payout, naming, words).candidates.find((payment) => !known.includes(payment));
  if (decided === undefined || other === undefined) return null;
  return finding({ payment: { ours: decided, theirs: other, source: sourceOf(payout) } });
}
