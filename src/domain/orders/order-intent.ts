import type { OrderRefund } from '../family/family.js';
import { isGone, paymentsOf, type ShownRecord } from '../family/links.js';
import { amountField, dueOf, isPositive, type Money, netOf, requestOf } from '../family/money.js';
import type { JsonObject } from '../json.js';
import { compareAmounts, normalizeAmount, shareOf, subtractAmounts, sumAmounts } from '../money.js';
import { textField } from '../records.js';
import type { ClaimReason } from './reason-words.js';

/** Where the received amount stands to the range that the service accepts; `outside` is neither too little nor too much. */
export type RangeSide = 'in_range' | 'under' | 'over' | 'outside';

/** Money that the service's own list shows as the merchant's. */
export interface Collected {
  type: 'collected';
  intent: ShownRecord;
  side: RangeSide;
  /** What came in and stayed, in the currency of the request; null where the record does not say. */
  paid: Money | null;
  partlyRefunded: boolean;
}

/** What one payment means for its order (docs/orders.md, “What one payment means”). */
export type IntentOutcome =
  | Collected
  | {
      type:
        | 'disputed'
        | 'refunded'
        | 'confirming'
        | 'unmatched'
        | 'underpaid'
        | 'open'
        | 'expired'
        | 'cancelled'
        | 'gone';
    }
  | { type: 'claimed'; reason: ClaimReason };

/** @param refunds those of this payment */
export function intentOutcome(intent: ShownRecord, refunds: readonly OrderRefund[]): IntentOutcome {
  const { fields } = intent;
  const status = textField(fields, 'status');
  const dispute = disputeOf(fields);
  const collected = status === 'completed' || dispute === 'encashed';
  if (intent.absent) return collected ? { type: 'claimed', reason: 'record_not_at_service' } : { type: 'gone' };
  if (dispute === 'refunded') return disputeRefunded(intent);
  if (dispute !== 'none' && dispute !== 'encashed') return { type: 'disputed' };
  if (!collected) return intent.saysPaid === true ? NOT_VERIFIED : uncollected(fields, status);
  return isCertain(intent) ? collectedOutcome(intent, refunds) : NOT_VERIFIED;
}

/** What is no text is no state that the specification lists: a dispute until somebody has looked. */
function disputeOf({ irregularStatus = null }: JsonObject): string {
  if (irregularStatus === null) return 'none';
  return typeof irregularStatus === 'string' ? irregularStatus : 'unknown';
}

const NOT_VERIFIED: IntentOutcome = { type: 'claimed', reason: 'not_verified' };

/** The service's own list shows it so, and no newer report speaks against it. */
export const isCertain = ({ verified, doubted }: ShownRecord): boolean => verified && doubted !== true;

export interface PaymentOutcome {
  intent: ShownRecord;
  outcome: IntentOutcome;
}

/** What an invoice means for its order: never money by itself. Null: money was seen on its payment, which decides. */
export function invoiceOutcome(invoice: ShownRecord, payments: readonly PaymentOutcome[]): IntentOutcome | null {
  const { fields, absent } = invoice;
  if (isGone(invoice)) return { type: 'gone' };
  const status = textField(fields, 'status');
  if (status === 'paid')
    return absent ? { type: 'claimed', reason: 'record_not_at_service' } : paidInvoice(invoice, payments);
  if (absent) return { type: 'gone' };
  return { type: status === 'expired' || status === 'cancelled' ? status : 'open' };
}

/** Of these nothing came in. */
export const NO_MONEY: readonly IntentOutcome['type'][] = ['open', 'expired', 'cancelled', 'gone'];

function paidInvoice(invoice: ShownRecord, payments: readonly PaymentOutcome[]): IntentOutcome | null {
  const ids = new Set(
    paymentsOf(
      invoice,
      payments.map(({ intent }) => intent),
    ).map(({ id }) => id),
  );
  const own = payments.filter(({ intent }) => ids.has(intent.id));
  if (own.some(({ outcome }) => !NO_MONEY.includes(outcome.type))) return null;
  return { type: 'claimed', reason: own.length === 0 ? 'intent_unknown' : 'not_verified' };
}

function uncollected(fields: JsonObject, status: string | null): IntentOutcome {
  if (status === 'confirming' || status === 'unmatched') return { type: status };
  if (status !== 'expired' && status !== 'cancelled') return { type: 'open' };
  if (!isPositive(amountField(fields, 'totalAmountReceived'))) return { type: status };
  return { type: sideOfReceived(fields) === 'under' ? 'underpaid' : 'unmatched' };
}

function collectedOutcome(intent: ShownRecord, refunds: readonly OrderRefund[]): IntentOutcome {
  const { fields } = intent;
  const confirmed = refunds.filter((refund) => refund.status === 'confirmed');
  const net = netOf(fields);
  if (confirmed.length > 0 && net !== null) {
    const given = sumAmounts(confirmed.map((refund) => refund.amount));
    if (compareAmounts(given, net) >= 0) return { type: 'refunded' };
  }
  const side = sideOfRange(fields);
  const received = amountField(fields, 'totalAmountReceived');
  return { type: 'collected', intent, side, paid: paid(fields, side, received), partlyRefunded: confirmed.length > 0 };
}

/** The rejected part went back; the accepted part, if there is one, stayed. */
function disputeRefunded(intent: ShownRecord): IntentOutcome {
  const { fields } = intent;
  const kept = keptByDispute(fields);
  if (!isPositive(kept)) return { type: 'refunded' };
  if (!isCertain(intent)) return NOT_VERIFIED;
  const side = sideOfRange(fields);
  return { type: 'collected', intent, side, paid: paid(fields, side, kept), partlyRefunded: true };
}

function keptByDispute(fields: JsonObject): string | null {
  const inRange = amountField(fields, 'amountInRange');
  if (inRange !== null) return inRange;
  const received = amountField(fields, 'totalAmountReceived');
  const rejected = amountField(fields, 'amountRejected');
  return received === null || rejected === null ? null : subtractAmounts(received, rejected);
}

/** The service's word where it has one; after a dispute that ended in keeping the money, the amounts'. */
function sideOfRange(fields: JsonObject): RangeSide {
  const inRange = amountField(fields, 'amountInRange');
  const outside = isPositive(amountField(fields, 'amountRejected')) || (inRange !== null && !isPositive(inRange));
  const side = sideOfReceived(fields);
  if (textField(fields, 'irregularStatus') === 'encashed') return side === 'in_range' && outside ? 'outside' : side;
  if (!outside) return 'in_range';
  return side === 'in_range' ? 'outside' : side;
}

/** What a payment that ended with too little received counts for once the service keeps it. */
export function shortPayment(intent: ShownRecord): Pick<Collected, 'intent' | 'paid'> {
  return { intent, paid: paid(intent.fields, 'under', amountField(intent.fields, 'totalAmountReceived')) };
}

/** Received against requested, in the asset of the payment. */
function sideOfReceived(fields: JsonObject): RangeSide {
  const received = amountField(fields, 'totalAmountReceived');
  const due = dueOf(fields);
  if (received === null || due === null) return 'outside';
  return (['under', 'in_range', 'over'] as const)[compareAmounts(received, due) + 1] ?? 'outside';
}

function paid(fields: JsonObject, side: RangeSide, received: string | null): Money | null {
  const request = requestOf(fields);
  if (request === null) return null;
  const { amount: requested, currency } = request;
  if (side === 'in_range') return { amount: normalizeAmount(requested), currency };
  const due = dueOf(fields);
  if (received === null || due === null || !isPositive(due)) return null;
  return { amount: shareOf(requested, received, due), currency };
}
