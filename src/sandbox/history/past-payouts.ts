import { addressOf } from '../assets/address.js';
import { type Asset, assetOf } from '../assets/assets.js';
import { amountOf, ONE, roundDown } from '../base/money.js';
import { createDraw, type Draw, drawsOf, hexOf, pick } from '../base/random.js';
import type { Intent } from '../payments/intent.js';
import { DISPUTED, statusOf } from '../payments/intent-index.js';
import { scheduleStep } from '../payouts/advance-payout.js';
import { gasInUsd, gasOf } from '../payouts/gas.js';
import { type NewPayout, payoutBack } from '../payouts/open-payout.js';
import { debitOf, isFinal, type Payout, type PayoutStatus } from '../payouts/payout.js';
import type { Merchant } from '../service.js';
import { PAST_DISPUTE_REFUNDS } from './history.js';
import { DAY_MS, NEWEST_MS, SPAN_MS } from './history-plan.js';

const STEP_MS = 10_000;

/** The states that a payout went through, its last one at the end. */
const WAYS: Record<PayoutStatus, readonly PayoutStatus[]> = {
  pending: ['pending'],
  under_review: ['pending', 'under_review'],
  approved: ['pending', 'approved'],
  broadcast: ['pending', 'approved', 'broadcast'],
  confirmed: ['pending', 'approved', 'broadcast', 'confirmed'],
  failed: ['pending', 'approved', 'failed'],
};

interface PastWay {
  id: string;
  number: number;
  at: number;
  /** Default: confirmed. */
  status?: PayoutStatus;
  /** Sent by hand, so that there is neither gas nor a hash. */
  manual?: boolean;
}

const REASONS: Partial<Record<PayoutStatus, string>> = {
  failed: 'the network did not take the transaction',
  under_review: 'held for a review by compliance',
};

/** A payout that came to its state before the start. What is confirmed or failed is in what the past left of the balance. */
function pastPayout(merchant: Merchant, { source, ...given }: NewPayout, way: PastWay): Payout {
  const { id, number, at, status = 'confirmed', manual = false } = way;
  const { seed, service } = merchant;
  const onChain = given.destinationType === 'blockchain' && !manual;
  const steps = WAYS[status].filter((step) => onChain || step !== 'broadcast');
  const last = at + (steps.length - 1) * STEP_MS;
  const isSent = onChain && (status === 'broadcast' || status === 'confirmed');
  const gas = isSent ? gasOf(seed, given.assetCode, number) : null;
  const failureReason = REASONS[status] ?? null;
  return {
    ...given,
    id,
    number,
    isPast: status === 'confirmed' || status === 'failed',
    status,
    kytStatus: kytOf(given, status),
    failureReason,
    txid: isSent ? hexOf(seed, 'payout-txid', number, 64) : null,
    networkFee: gas,
    networkFeeUsd: gas !== null && status === 'confirmed' ? gasInUsd(service.rates, given.assetCode, gas, last) : null,
    createdAt: at,
    updatedAt: last,
    history: steps.map((step, n) => ({
      status: step,
      at: at + n * STEP_MS,
      source: n === 0 ? source : onChain && n > 1 ? 'blockchain' : 'dashboard',
      note: n === 0 ? given.note : step === status ? failureReason : null,
    })),
  };
}

function kytOf({ destinationType }: Pick<Payout, 'destinationType'>, status: PayoutStatus): Payout['kytStatus'] {
  if (destinationType !== 'blockchain') return null;
  return status === 'pending' || status === 'under_review' ? 'pending' : 'approved';
}

/** Refunds of the past (specification 4.5) are numbered from here on by the place of their payment. */
const PAST_REFUNDS = 0x5000_0000;

/** What decisions of disputes gave back. */
function* disputeRefunds(merchant: Merchant): Generator<Payout> {
  for (const intent of merchant.intents.pastWhere((flags) => (flags & DISPUTED) !== 0)) {
    const { irregularRefundPayoutId: id } = intent;
    if (id === null) continue;
    const given = payoutBack(intent, amountOf(intent.amountRejected));
    const at = intent.irregularActionAt ?? intent.updatedAt;
    yield pastPayout(merchant, given, { id, number: PAST_DISPUTE_REFUNDS + intent.position, at });
  }
}

/** What the merchant gave back of completed payments by itself: this share of them, once each. */
function* merchantRefunds(merchant: Merchant, share: number): Generator<Payout> {
  const { seed } = merchant;
  const refunded = createDraw(seed, 'history-refund');
  const delay = createDraw(seed, 'history-refund-delay');
  const now = merchant.service.clock.now();
  const fits = (flags: number, position: number): boolean =>
    refunded(position) < share && statusOf(flags) === 'completed' && (flags & DISPUTED) === 0;
  for (const intent of merchant.intents.pastWhere(fits)) {
    const given = refundOf(seed, intent);
    if (given.amount <= given.feeAmount) continue;
    const at = Math.floor(intent.updatedAt + (0.1 + delay(intent.position) * 9.9) * DAY_MS);
    if (at > now - NEWEST_MS) continue;
    const number = PAST_REFUNDS + intent.position;
    const refund = pastPayout(merchant, given, { id: merchant.payoutIds.encode(number), number, at });
    merchant.refunds.set(intent.id, refund);
    merchant.keys.set(`refund:refund-${intent.id}`, refund.id);
    yield refund;
  }
}

/** Every third in part. */
function refundOf(seed: number, intent: Intent) {
  const { position, merchantReference } = intent;
  const { assetCode, payoutFee, decimals } = assetOf(intent.assetCode ?? '');
  const net = amountOf(intent.amountNetMerchant);
  return {
    source: 'api',
    holder: 'operating',
    accountId: null,
    payoutType: 'refund',
    assetCode,
    amount: position % 3 === 0 ? roundDown(net / 2n, decimals) : net,
    feeAmount: payoutFee,
    feeBearer: 'customer',
    destinationType: 'blockchain',
    destinationAddress: intent.customerRefundAddress ?? addressOf(seed, 'past-refund', position, assetCode),
    destinationMemo: null,
    merchantReference,
    note: null,
    paymentIntentId: intent.id,
  } as const;
}

/** Payouts that an operator made are numbered from here on. */
const PAST_WITHDRAWALS = 0x6000_0000;
/** So many of the payouts, at most, gave completed payments back, and so many payments were given back, at most. */
const REFUNDS_OF_PAYOUTS = 0.35;
const REFUNDS_OF_PAYMENTS = 0.02;

/**
 * Payouts of the past, oldest first: what decisions of disputes gave back, refunds, and as many withdrawals of the
 * operating balance as make up the count. The newest few are still under way, and freeze what they will debit.
 */
export function addPastPayouts(merchant: Merchant, count: number): void {
  if (count === 0) return;
  const payments = Math.max(merchant.intents.pastCount(), 1);
  const share = Math.min(REFUNDS_OF_PAYMENTS, (REFUNDS_OF_PAYOUTS * count) / payments);
  const payouts = [...disputeRefunds(merchant), ...merchantRefunds(merchant, share)];
  for (const payout of withdrawals(merchant, Math.max(count - payouts.length, 0))) payouts.push(payout);
  payouts.sort((a, b) => a.createdAt - b.createdAt);
  const { ledger, service } = merchant;
  for (const payout of payouts) {
    merchant.payouts.addMade(payout);
    if (isFinal(payout)) continue;
    ledger.freeze(payout.holder, payout.assetCode, debitOf(payout));
    scheduleStep(merchant, payout, service.clock.now());
  }
}

const COINS = ['USDT.TRC20', 'USDT.ERC20', 'USDC.POLYGON', 'BTC', 'ETH', 'XRP.XRPL'] as const;
/** States of the newest withdrawals, the newest first. */
const UNDER_WAY: readonly PayoutStatus[] = ['pending', 'approved', 'broadcast', 'under_review', 'pending', 'broadcast'];

type Draws = Record<'time' | 'kind' | 'coin' | 'amount', Draw>;

function* withdrawals(merchant: Merchant, count: number): Generator<Payout> {
  const draws = drawsOf(merchant.seed, 'past-payout', ['time', 'kind', 'coin', 'amount']);
  const newest = merchant.service.clock.now() - NEWEST_MS;
  const oldest = newest + NEWEST_MS - SPAN_MS;
  const step = (SPAN_MS - NEWEST_MS) / Math.max(count, 1);
  for (let n = 0; n < count; n += 1) {
    const number = PAST_WITHDRAWALS + n;
    const fromEnd = count - 1 - n;
    const given = withdrawal(merchant.seed, draws, n);
    const open = count >= 10 * UNDER_WAY.length ? UNDER_WAY[fromEnd] : undefined;
    const at = open ? newest - fromEnd * 60_000 : Math.floor(oldest + step * (n + draws.time(n)));
    const status = open ?? (draws.kind(n) < 0.04 ? 'failed' : 'confirmed');
    const fitting = status === 'broadcast' && given.destinationType !== 'blockchain' ? 'approved' : status;
    const way = { id: merchant.payoutIds.encode(number), number, at, status: fitting, manual: draws.kind(n) > 0.98 };
    yield pastPayout(merchant, given, way);
  }
}

function withdrawal(seed: number, { kind, coin, amount }: Draws, n: number): NewPayout {
  const asset = assetOf(pick(COINS, coin(n)));
  const { assetCode, payoutFee, memoType } = asset;
  const isInternal = kind(n) >= 0.04 && kind(n) < 0.1;
  const place = isInternal
    ? ({ destinationType: 'merchant_account', destinationAddress: `mer_${n % 7}`, destinationMemo: null } as const)
    : ({
        destinationType: 'blockchain',
        destinationAddress: addressOf(seed, 'past-withdrawal', n % 50, assetCode),
        destinationMemo: memoType === null ? null : String(1000 + (n % 50)),
      } as const);
  return {
    source: 'dashboard',
    holder: 'operating',
    accountId: null,
    payoutType: isInternal ? 'internal_transfer' : 'withdrawal',
    assetCode,
    amount: amountFor(asset, amount(n)),
    feeAmount: isInternal ? 0n : payoutFee,
    feeBearer: 'merchant',
    ...place,
    merchantReference: n % 2 === 0 ? `payout-${String(n).padStart(7, '0')}` : null,
    note: n % 5 === 0 ? 'to the treasury' : null,
    paymentIntentId: null,
  };
}

/** Worth twenty to two thousand dollars. */
function amountFor({ usdRate, decimals }: Asset, draw: number): bigint {
  const cents = BigInt(2000 + Math.floor(draw * 198_000));
  return roundDown((cents * ONE * ONE) / (100n * usdRate), decimals);
}
