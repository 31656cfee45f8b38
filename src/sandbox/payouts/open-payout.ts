import { amountOf } from '../base/money.js';
import { Refusal } from '../base/refusal.js';
import type { Intent } from '../payments/intent.js';
import type { Merchant } from '../service.js';
import { scheduleStep } from './advance-payout.js';
import { debitOf, type Payout, payoutSubject } from './payout.js';

export type NewPayout = Pick<
  Payout,
  | 'holder'
  | 'accountId'
  | 'payoutType'
  | 'assetCode'
  | 'amount'
  | 'feeAmount'
  | 'feeBearer'
  | 'destinationType'
  | 'destinationAddress'
  | 'destinationMemo'
  | 'merchantReference'
  | 'note'
  | 'paymentIntentId'
> & { source: string };

/** Creates the payout and freezes what it will debit, until it is confirmed or failed. */
export function openPayout(merchant: Merchant, input: NewPayout): Payout {
  const { source, ...given } = input;
  const debit = debitOf(given);
  if (given.feeBearer === 'customer' && given.feeAmount > 0n && given.feeAmount >= given.amount)
    throw new Refusal(400, 'AMOUNT_TOO_SMALL', 'nothing would be left of the amount after the fee');
  if (merchant.ledger.available(given.holder, given.assetCode) < debit) throw insufficientBalance();
  const at = merchant.service.clock.now();
  merchant.ledger.freeze(given.holder, given.assetCode, debit);
  const payout = merchant.payouts.add((id, number) => ({
    ...given,
    id,
    number,
    isPast: false,
    status: 'pending',
    kytStatus: given.destinationType === 'blockchain' ? 'pending' : null,
    failureReason: null,
    txid: null,
    networkFee: null,
    networkFeeUsd: null,
    createdAt: at,
    updatedAt: at,
    history: [{ status: 'pending', at, source, note: given.note }],
  }));
  merchant.send('payout.created', () => payoutSubject(payout, merchant.service.faults.links));
  scheduleStep(merchant, payout, at);
  return payout;
}

export function insufficientBalance(): Refusal {
  return new Refusal(409, 'INSUFFICIENT_BALANCE', 'the available balance is too small');
}

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
