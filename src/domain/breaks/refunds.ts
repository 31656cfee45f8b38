import { ownerOfRefund } from '../family/links.js';
import { amountField } from '../family/money.js';
import type { Json } from '../json.js';
import { compareAmounts, sumAmounts } from '../money.js';
import { compareText } from '../record-state.js';
import { textField } from '../records.js';
import { type CheckedRecord, type CheckFacts, focused, sourceOf } from './check-facts.js';
import { type BreakDefinitions, type Check, checked, entityOf, type Finding, finding } from './findings.js';

export const refundBreaks = {
  refund_exceeds_net: {
    severity: 'critical',
    sharedBy: { none: 'Each payment has its own refunds.' },
    means: 'The refunds of a payment are more than its net amount, or than what was received. Money may be leaving.',
    ends: 'A refund fails, or the service corrects an amount.',
    remedy:
      'Stop what is not confirmed yet, and ask who made the second refund. “refunds” in the evidence names them all.',
    check: checkRefunds,
  },
} as const satisfies BreakDefinitions;

/** States in which nothing left, and nothing will. Not all of them are shown (specification 3.4). */
const NEVER_LEFT = /fail|cancel|reject|declin|refus|expire|abort/i;

/** Refunds, also under way, against the net; with a dispute's, which was never credited, against all that came in (4.5). */
function checkRefunds(facts: CheckFacts): ReturnType<Check> {
  const given = refundsByIntent(facts);
  return focused(facts, 'intents').map((intent) => {
    const refunds = given.get(intent.id) ?? [];
    const isHistory = intent.history && refunds.every(({ history }) => history);
    return checked(entityOf(intent), isHistory ? null : exceeding(intent, refunds));
  });
}

/** What left, or may, by the payment that it gives back; in the order of ids, in whatever order they were loaded. */
function refundsByIntent({ payouts, refunds: { naming, words, assigned } }: CheckFacts): Map<string, CheckedRecord[]> {
  const refunds = new Map<string, CheckedRecord[]>();
  for (const payout of [...payouts.values()].sort((a, b) => compareText(a.id, b.id))) {
    const { payment: id } = ownerOfRefund(payout, naming, words, assigned);
    if (id !== null && counts(payout)) refunds.set(id, [...(refunds.get(id) ?? []), payout]);
  }
  return refunds;
}

/** The service shows it, and it left or may still leave. */
export function counts({ absent, fields }: CheckedRecord): boolean {
  return !absent && !NEVER_LEFT.test(textField(fields, 'status') ?? '');
}

function exceeding(intent: CheckedRecord, refunds: readonly CheckedRecord[]): Finding | null {
  const { fields } = intent;
  const ofDispute = textField(fields, 'irregularRefundPayoutId');
  const ordinary = refunds.filter((refund) => refund.id !== ofDispute);
  const net = amountField(fields, 'amountNetMerchant');
  const received = amountField(fields, 'totalAmountReceived');
  const tooMuch = isMore(ordinary, net)
    ? 'amountNetMerchant'
    : isMore(refunds, received)
      ? 'totalAmountReceived'
      : null;
  if (tooMuch === null) return null;
  const counted = tooMuch === 'amountNetMerchant' ? ordinary : refunds;
  return finding({
    [tooMuch]: { ours: totalOf(counted), theirs: fields[tooMuch] ?? null, source: sourceOf(intent) },
    refunds: { ours: counted.map(shortOf), theirs: null, source: counted.map(sourceOf) },
  });
}

function isMore(refunds: readonly CheckedRecord[], most: string | null): boolean {
  return most !== null && compareAmounts(totalOf(refunds), most) > 0;
}

function totalOf(refunds: readonly CheckedRecord[]): string {
  return sumAmounts(refunds.map(({ fields }) => amountField(fields, 'amount') ?? '0'));
}

function shortOf({ id, fields }: CheckedRecord): Json {
  return { id, amount: fields['amount'] ?? null, status: fields['status'] ?? null };
}
