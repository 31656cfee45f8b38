import { amountOf } from '../base/money.js';
import type { Intent } from '../payments/intent.js';
import type { Merchant } from '../service.js';
import type { NewPayout } from './open-payout.js';
import type { Payout } from './payout.js';

/** What a decision for a refund sends back: the part in question, less the fee on it, out of the money that is held. */
export function payoutBack(intent: Intent, rejected: bigint): NewPayout {
  return {
    source: 'dashboard',
    holder: 'held',
    accountId: null,
    payoutType: 'refund',
    assetCode: intent.assetCode ?? '',
    amount: rejected,
    feeAmount: amountOf(intent.feeAmountOnRejected),
    feeBearer: 'customer',
    destinationType: 'blockchain',
    destinationAddress: intent.customerRefundAddress ?? intent.payins.at(-1)?.senderAddress ?? '',
    destinationMemo: null,
    merchantReference: intent.merchantReference,
    note: null,
    paymentIntentId: intent.id,
  };
}

/** The refund of a payment (specification 4.5) that has not failed; null where there is none. */
export function liveRefund(merchant: Merchant, paymentIntentId: string): Payout | null {
  const refund = merchant.refunds.get(paymentIntentId);
  return refund && refund.status !== 'failed' ? refund : null;
}
