import { isGone, type ShownRecord } from '../family/links.js';
import { amountField } from '../family/money.js';
import { textField } from '../records.js';
import type { OrderRefund } from './order-facts.js';

/** What an order takes of a payout that gives one of its payments back; null where the service denies what only reports say. */
export function refundOf(payout: ShownRecord, paymentIntentId: string): OrderRefund | null {
  if (isGone(payout)) return null;
  return { amount: amountField(payout.fields, 'amount') ?? '0', status: statusOf(payout), paymentIntentId };
}

function statusOf({ fields, absent, doubted }: ShownRecord): string {
  if (absent) return 'denied';
  const status = textField(fields, 'status') ?? '';
  return doubted === true && status !== 'confirmed' ? 'doubted' : status;
}
