import { z } from 'zod';
import { findAsset } from '../assets/assets.js';
import { amountOf, parseAmount, roundDown } from '../base/money.js';
import { existing, invalid, Refusal } from '../base/refusal.js';
import { amount, text } from '../base/schemas.js';
import { type Merchant, strikes } from '../service.js';
import { applyAmounts, rejectedPart } from './amounts.js';
import { afterCompletion, bookIntent } from './book-intent.js';
import { expectedAmount, type Intent, type Payin, setPayinStatus, setStatus } from './intent.js';
import { chooseAssetNow } from './new-intent.js';
import { createPayin, MOST_PAYINS } from './payin.js';

const orUndefined = (given: string | null | undefined): string | undefined => given || undefined;

/** What a customer sends; left out: exactly what is expected, in the first coin that is accepted. */
export const paymentSchema = z.object({
  assetCode: text().nullish().transform(orUndefined),
  amount: amount.nullish().transform(orUndefined),
  senderAddress: text().nullish().transform(orUndefined),
});

export interface Payment {
  /** Default: the asset of the intent, or the first that it accepts. */
  assetCode?: string | undefined;
  /** Decimal string; default: exactly what is expected. */
  amount?: string | undefined;
  /** In place of an amount: whole hundredths of what is expected, rounded down to the asset's decimals. */
  percent?: number | undefined;
  senderAddress?: string | undefined;
}

/**
 * The customer sends money. Sent in time it goes pending → confirming → confirmed, and the intent with it. Sent to an
 * expired or cancelled intent it ends `unmatched`, as does the intent, and waits for a decision (specification 3.1, 3.5).
 */
export function payIntent(merchant: Merchant, id: string, payment: Payment = {}): Payin {
  const intent = existing(merchant.intents.edit(id), 'payment intent');
  if (intent.irregularStatus === 'encashed' || intent.irregularStatus === 'refunded')
    throw new Refusal(409, 'PAYMENT_DECIDED', 'the dispute of this payment is decided: its address is not in use');
  if (intent.payins.length >= MOST_PAYINS) throw new Refusal(409, 'TOO_MANY_PAYINS', 'this address is worn out');
  const now = merchant.service.clock.now();
  const late = isLate(intent, now);
  select(merchant, intent, payment.assetCode, late);
  const amount = payment.amount === undefined ? shareOf(intent, payment.percent ?? 100) : parseAmount(payment.amount);
  if (amount === null) throw invalid('amount must be a positive decimal string');
  const { seed, payinIds: ids } = merchant;
  const sender = payment.senderAddress === undefined ? {} : { senderAddress: payment.senderAddress };
  const payin = createPayin({ seed, ids, intent, amount, at: now, late, ...sender });
  intent.payins.push(payin);
  intent.updatedAt = now;
  merchant.intents.saved(intent);
  const { confirmationSeconds, kytSeconds } = merchant.service.settings;
  later(merchant, now, confirmationSeconds, (at) => seeFirstBlock(merchant, intent, payin, at));
  later(merchant, now, kytSeconds, () => decideKyt(merchant, payin));
  return payin;
}

function shareOf(intent: Intent, percent: number): bigint {
  const expected = amountOf(expectedAmount(intent));
  if (percent === 100) return expected;
  return roundDown((expected * BigInt(percent)) / 100n, findAsset(intent.assetCode ?? '')?.decimals ?? 18);
}

function isLate(intent: Intent, now: number): boolean {
  if (intent.status === 'expired' || intent.status === 'cancelled') return true;
  return intent.status === 'unmatched' && now >= intent.expiresAt;
}

function select(merchant: Merchant, intent: Intent, wanted: string | undefined, late: boolean): void {
  const assetCode = wanted ?? intent.assetCode ?? intent.acceptedCoins[0] ?? '';
  if (intent.assetCode !== null) {
    if (assetCode !== intent.assetCode) throw invalid(`this payment takes ${intent.assetCode}`);
    return;
  }
  if (!intent.acceptedCoins.includes(assetCode)) throw invalid(`assetCode: one of ${intent.acceptedCoins.join(', ')}`);
  chooseAssetNow(merchant, intent, assetCode);
  if (late) return;
  setStatus(intent, 'pending', merchant.service.clock.now(), 'customer');
  merchant.intents.saved(intent);
  merchant.emit('payment_intent.pending', intent);
}

/**
 * Runs the step so many seconds after a moment of the sandbox's clock; at once for 0. The step gets its due time, from
 * which the next one counts: a clock that jumps ahead runs through all of them.
 */
function later(merchant: Merchant, from: number, seconds: number, step: (due: number) => void): void {
  const due = from + seconds * 1000;
  if (seconds <= 0) step(due);
  else merchant.service.clock.at(due, () => step(due));
}

function seeFirstBlock(merchant: Merchant, intent: Intent, payin: Payin, due: number): void {
  const now = merchant.service.clock.now();
  payin.firstBlockAt = now;
  setPayinStatus(payin, 'confirming', now);
  intent.updatedAt = now;
  if (!payin.late && intent.status === 'pending') {
    setStatus(intent, 'confirming', now);
    merchant.intents.saved(intent);
    merchant.emit('payment_intent.confirming', intent);
  }
  const rest = (payin.confirmationsNeeded - 1) * merchant.service.settings.confirmationSeconds;
  later(merchant, due, rest, () => settle(merchant, intent, payin));
}

function decideKyt(merchant: Merchant, payin: Payin): void {
  const { kytPending, kytRejected } = merchant.service.faults;
  const n = merchant.payinIds.decode(payin.id) ?? 0;
  if (strikes(merchant, kytPending, 'kyt-pending', n)) return;
  payin.kytStatus = strikes(merchant, kytRejected, 'kyt-rejected', n) ? 'rejected' : 'approved';
}

/** The payin has its blocks: the intent's amounts and state follow once no other payin is under way. */
function settle(merchant: Merchant, intent: Intent, payin: Payin): void {
  const now = merchant.service.clock.now();
  setPayinStatus(payin, payin.late ? 'unmatched' : 'confirmed', now);
  intent.updatedAt = now;
  if (intent.payins.every(({ status }) => status === 'confirmed' || status === 'unmatched'))
    conclude(merchant, intent, now);
  merchant.intents.saved(intent);
}

function conclude(merchant: Merchant, intent: Intent, now: number): void {
  const outcome = judge(intent, merchant.service.settings.toleranceBasisPoints);
  const disputed = outcome.rejected > 0n && intent.irregularStatus !== 'pending_decision';
  const advanced = outcome.status !== intent.status;
  intent.irregularStatus = outcome.rejected > 0n ? 'pending_decision' : 'none';
  applyAmounts(intent, outcome.rejected, amountOf(intent.amountNetMerchant));
  bookIntent(merchant, intent);
  if (advanced) setStatus(intent, outcome.status, now);
  merchant.intents.saved(intent);
  if (advanced) merchant.emit(`payment_intent.${outcome.status}`, intent);
  if (advanced && outcome.status === 'completed') afterCompletion(merchant, intent);
  if (disputed) merchant.emit('payment_intent.dispute_opened', intent);
}

/**
 * The state that the payins lead to. Money that came too late, or too little of it, belongs to no completed payment:
 * `unmatched`, all of it up for a decision. Too much of it completes the payment and the excess is up for a decision.
 */
export function judge(
  intent: Intent,
  toleranceBasisPoints: number,
): { status: 'completed' | 'unmatched'; rejected: bigint } {
  const rejected = rejectedPart(intent, toleranceBasisPoints);
  const received = intent.payins.reduce((sum, { amountGross }) => sum + amountOf(amountGross), 0n);
  if (intent.payins.some(({ late }) => late) && intent.status !== 'completed')
    return { status: 'unmatched', rejected: received };
  return rejected === received && rejected > 0n ? { status: 'unmatched', rejected } : { status: 'completed', rejected };
}
