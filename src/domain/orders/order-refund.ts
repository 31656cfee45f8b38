import { isGone, type ShownRecord } from '../family/links.js';
import { amountField } from '../family/money.js';
import { textField } from '../records.js';
import type { OrderRefund } from './order-facts.js';

/** That it failed is believed only while nothing says otherwise. */
export function mayHaveLeft({ fields, doubted }: ShownRecord): boolean {
  return textField(fields, 'status') !== 'failed' || doubted === true;
}

/** What an order takes of a payout that gives one of its payments back; null where the service denies what only reports say. */
export function refundOf(payout: ShownRecord, paymentIntentId: string): OrderRefund | null {
  if (isGone(payout)) return null;
  const { fields, absent, doubted } = payout;
  const status = absent ? 'denied' : (textField(fields, 'status') ?? '');
  const amount = amountField(fields, 'amount') ?? '0';
  return { amount, status, paymentIntentId, ...(doubted === true ? { doubted } : {}) };
}
