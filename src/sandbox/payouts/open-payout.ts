import { Refusal } from '../base/refusal.js';
import type { Merchant } from '../service.js';
import { scheduleStep } from './advance-payout.js';
import { debitOf, type Payout } from './payout.js';
import { payoutSubject } from './payout-record.js';

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
