import { addressOf } from '../assets/address.js';
import { type Asset, assetOf } from '../assets/assets.js';
import { ONE, roundDown } from '../base/money.js';
import { createDraw, type Draw, pick } from '../base/random.js';
import { scheduleStep } from '../payouts/advance-payout.js';
import type { NewPayout } from '../payouts/open-payout.js';
import { debitOf, isFinal, type Payout, type PayoutStatus } from '../payouts/payout.js';
import type { Merchant } from '../service.js';
import { NEWEST_MS, SPAN_MS } from './history-plan.js';
import { pastPayout } from './past-payout.js';
import { disputeRefunds, merchantRefunds } from './past-refunds.js';

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

interface Draws {
  time: Draw;
  kind: Draw;
  coin: Draw;
  amount: Draw;
}

function* withdrawals(merchant: Merchant, count: number): Generator<Payout> {
  const draw = (what: string): Draw => createDraw(merchant.seed, `past-payout-${what}`);
  const draws = { time: draw('time'), kind: draw('kind'), coin: draw('coin'), amount: draw('amount') };
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
