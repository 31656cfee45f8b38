import { amountOf, parseAmount } from '../base/money.js';
import { existing, invalid, Refusal } from '../base/refusal.js';
import { insufficientBalance, liveRefund, openPayout, payoutBack } from '../payouts/open-payout.js';
import type { Merchant } from '../service.js';
import { applyAmounts, netWithout, receivedTotal } from './amounts.js';
import { afterCompletion, bookIntent } from './book-intent.js';
import { type Intent, setPayinStatus, setStatus } from './intent.js';

/** Opens a dispute on a completed payment. `amount` is the part in question; default: all that was received. */
export function openDispute(merchant: Merchant, id: string, amount?: string): Intent {
  const intent = existing(merchant.intents.edit(id), 'payment intent');
  if (intent.status !== 'completed' || intent.irregularStatus === 'pending_decision')
    throw new Refusal(409, 'NOT_DISPUTABLE', 'only a completed payment without an open dispute can be disputed');
  if (intent.irregularStatus === 'refunded' || liveRefund(merchant, intent.id))
    throw new Refusal(409, 'NOT_DISPUTABLE', 'this payment has been given back');
  const total = receivedTotal(intent);
  const rejected = amount === undefined ? total : parseAmount(amount);
  if (rejected === null || rejected > total) throw invalid('amount must be positive and at most what was received');
  const takenBack = amountOf(intent.amountNetMerchant) - netWithout(intent, rejected);
  if (takenBack > merchant.ledger.available('operating', intent.assetCode ?? '')) throw insufficientBalance();
  intent.irregularStatus = 'pending_decision';
  intent.irregularActionBy = null;
  intent.irregularActionAt = null;
  intent.irregularRefundPayoutId = null;
  applyAmounts(intent, rejected);
  bookIntent(merchant, intent);
  return withEvent(merchant, intent, 'payment_intent.dispute_opened');
}

/**
 * Rules on an open dispute. Encashing credits the rejected part too and completes an unmatched payment; refunding
 * makes the payout that sends it back and leaves the status as it is.
 */
export function decideDispute(merchant: Merchant, id: string, decision: 'encash' | 'refund'): Intent {
  const intent = existing(merchant.intents.edit(id), 'payment intent');
  if (intent.irregularStatus !== 'pending_decision')
    throw new Refusal(409, 'NO_OPEN_DISPUTE', 'there is no dispute to decide');
  if (intent.payins.some(({ status }) => status === 'pending' || status === 'confirming'))
    throw new Refusal(409, 'PAYIN_UNDER_WAY', 'a payin of this payment is still being confirmed');
  const now = merchant.service.clock.now();
  const rejected = amountOf(intent.amountRejected);
  // What a payment of the past holds is booked only now.
  bookIntent(merchant, intent);
  // May be refused, so it comes before anything changes.
  const payout = decision === 'refund' ? openPayout(merchant, payoutBack(intent, rejected)) : null;
  intent.irregularActionBy = 'usr_sandbox_operator';
  intent.irregularActionAt = now;
  if (payout) {
    intent.irregularStatus = 'refunded';
    intent.irregularRefundPayoutId = payout.id;
    return withEvent(merchant, intent, 'payment_intent.dispute_refunded');
  }
  intent.irregularStatus = 'encashed';
  encash(merchant, intent, rejected, now);
  return withEvent(merchant, intent, 'payment_intent.dispute_encashed');
}

function encash(merchant: Merchant, intent: Intent, rejected: bigint, now: number): void {
  for (const payin of intent.payins) {
    if (payin.status === 'unmatched') setPayinStatus(payin, 'confirmed', now);
  }
  applyAmounts(intent, rejected);
  bookIntent(merchant, intent);
  if (intent.status === 'completed') return;
  setStatus(intent, 'completed', now, 'dashboard');
  merchant.intents.saved(intent);
  merchant.emit('payment_intent.completed', intent);
  afterCompletion(merchant, intent);
}

function withEvent(merchant: Merchant, intent: Intent, eventType: string): Intent {
  intent.updatedAt = merchant.service.clock.now();
  merchant.intents.saved(intent);
  merchant.emit(eventType, intent);
  return intent;
}
