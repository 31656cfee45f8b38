import { addressOf } from '../assets/address.js';
import { assetOf } from '../assets/assets.js';
import { amountOf, roundDown } from '../base/money.js';
import { createDraw } from '../base/random.js';
import type { Intent } from '../payments/intent.js';
import { DISPUTED, statusOf } from '../payments/intent-index.js';
import type { Payout } from '../payouts/payout.js';
import { payoutBack } from '../payouts/payout-back.js';
import type { Merchant } from '../service.js';
import { PAST_DISPUTE_REFUNDS } from './history.js';
import { DAY_MS, NEWEST_MS } from './history-plan.js';
import { pastPayout } from './past-payout.js';

/** Refunds of the past (specification 4.5) are numbered from here on by the place of their payment. */
const PAST_REFUNDS = 0x5000_0000;

/** What decisions of disputes gave back. */
export function* disputeRefunds(merchant: Merchant): Generator<Payout> {
  for (const intent of merchant.intents.pastWhere((flags) => (flags & DISPUTED) !== 0)) {
    const { irregularRefundPayoutId: id } = intent;
    if (id === null) continue;
    const given = payoutBack(intent, amountOf(intent.amountRejected));
    const at = intent.irregularActionAt ?? intent.updatedAt;
    yield pastPayout(merchant, given, { id, number: PAST_DISPUTE_REFUNDS + intent.position, at });
  }
}

/** What the merchant gave back of completed payments by itself: this share of them, once each. */
export function* merchantRefunds(merchant: Merchant, share: number): Generator<Payout> {
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
