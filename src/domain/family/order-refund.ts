import { textField } from '../records.js';
import { isGone, type ShownRecord } from './links.js';
import { amountField } from './money.js';

/** A payout that gives a collected payment back (specification 4.5). */
export interface OrderRefund {
  amount: string;
  /** Of specification 3.4; or `denied`, where the service lists none of our own: it may have left, or not. */
  status: string;
  /** A newer report says otherwise. Left out: no. */
  doubted?: boolean;
  /** Absent or null where nothing says which of the order's payments it refunds. */
  paymentIntentId?: string | null;
}

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
