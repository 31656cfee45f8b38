import { textField } from '../records.js';
import { amountField, type OrderRefund, type ShownRecord } from './order-facts.js';

/** The identifiers of `payoutType` are not shown (2.4); the crypto leg of a settlement gives nobody anything back. */
const SETTLEMENT = /settle/i;

/** The payment that a payout gives back: the one that names it as a dispute's refund, or the one that it names itself. */
export function refundedIntent(payout: ShownRecord, intents: readonly ShownRecord[]): string | null {
  const ofDispute = intents.find(({ fields }) => textField(fields, 'irregularRefundPayoutId') === payout.id);
  if (ofDispute !== undefined) return ofDispute.id;
  if (SETTLEMENT.test(textField(payout.fields, 'payoutType') ?? '')) return null;
  return textField(payout.fields, 'paymentIntentId');
}

/** What an order takes of a payout; null where it gives back nothing, or the service does not list it. */
export function refundOf(payout: ShownRecord, intents: readonly ShownRecord[]): OrderRefund | null {
  const paymentIntentId = refundedIntent(payout, intents);
  if (paymentIntentId === null || payout.absent) return null;
  const { fields } = payout;
  return { amount: amountField(fields, 'amount') ?? '0', status: textField(fields, 'status') ?? '', paymentIntentId };
}
