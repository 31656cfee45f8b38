import { z } from 'zod';
import { assetOf } from '../assets/assets.js';
import { amountOf } from '../base/money.js';
import { existing, invalid, Refusal } from '../base/refusal.js';
import { address, feeBearer, refundAmount, text, totpCode } from '../base/schemas.js';
import type { Intent } from '../payments/intent.js';
import type { Merchant } from '../service.js';
import { liveRefund, openPayout } from './open-payout.js';
import type { Payout } from './payout.js';

/** Specification 4.5. */
export const refundSchema = z.object({
  paymentIntentId: z.string().min(1),
  amount: refundAmount.nullish(),
  destinationAddress: address.nullish(),
  feeBearer: feeBearer.nullish(),
  totpCode: totpCode.nullish(),
  idempotencyKey: text().nullish(),
});

export type RefundRequest = z.output<typeof refundSchema>;

/** Gives a collected payment back, once. A refund of zero moves nothing, costs nothing, and is the one refund all the same. */
export function createRefund(merchant: Merchant, request: RefundRequest): Payout {
  const intent = existing(merchant.intents.read(request.paymentIntentId), 'payment intent');
  checkRefundable(merchant, intent);
  const net = amountOf(intent.amountNetMerchant);
  const amount = request.amount ? amountOf(request.amount) : net;
  if (amount > net) throw invalid('amount exceeds the net credited to the merchant');
  const destinationAddress = request.destinationAddress ?? intent.customerRefundAddress;
  if (destinationAddress === null)
    throw new Refusal(400, 'DESTINATION_REQUIRED', 'destinationAddress: the payment has no refund address');
  const assetCode = intent.assetCode ?? '';
  const refund = openPayout(merchant, {
    source: 'api',
    holder: 'operating',
    accountId: null,
    payoutType: 'refund',
    assetCode,
    amount,
    feeAmount: amount === 0n ? 0n : assetOf(assetCode).payoutFee,
    feeBearer: request.feeBearer ?? 'customer',
    destinationType: 'blockchain',
    destinationAddress,
    destinationMemo: null,
    merchantReference: intent.merchantReference,
    note: null,
    paymentIntentId: intent.id,
  });
  merchant.refunds.set(intent.id, refund);
  return refund;
}

function checkRefundable(merchant: Merchant, intent: Intent): void {
  if (intent.status !== 'completed')
    throw new Refusal(409, 'PAYMENT_NOT_COLLECTED', 'the payment has not been collected');
  if (intent.irregularStatus === 'pending_decision')
    throw new Refusal(409, 'DISPUTE_IN_PROGRESS', 'a dispute of this payment is in progress');
  if (liveRefund(merchant, intent.id))
    throw new Refusal(409, 'ALREADY_REFUNDED', 'there is a refund of this payment already');
}
