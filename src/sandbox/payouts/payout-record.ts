import { assetOf } from '../assets/assets.js';
import { blockchainOf } from '../assets/blockchains.js';
import { iso } from '../base/iso-time.js';
import { formatAmount } from '../base/money.js';
import { type EventSubject, subjectOf } from '../webhooks/event-subject.js';
import type { Payout } from './payout.js';

const formatOrNull = (amount: bigint | null): string | null => (amount === null ? null : formatAmount(amount));

/** The record of specification 2.4. `links` adds the payment of a refund, which the specification does not name. */
export function payoutRecord(payout: Payout, links: boolean) {
  const chain = blockchainOf(assetOf(payout.assetCode));
  return {
    id: payout.id,
    merchantReference: payout.merchantReference,
    payoutType: payout.payoutType,
    amount: formatAmount(payout.amount),
    assetCode: payout.assetCode,
    destinationAddress: payout.destinationAddress,
    destinationType: payout.destinationType,
    destinationMemo: payout.destinationMemo,
    feeAmount: formatAmount(payout.feeAmount),
    networkFeeAmount: formatOrNull(payout.networkFee),
    networkFeeAssetCode: payout.networkFee === null ? null : chain.baseAssetCode,
    networkFeeUsdEquivalent: formatOrNull(payout.networkFeeUsd),
    txid: payout.txid,
    txUrl: payout.txid === null || chain.explorer === null ? null : chain.explorer + payout.txid,
    status: payout.status,
    failureReason: payout.failureReason,
    feeBearer: payout.feeBearer,
    kytStatus: payout.kytStatus,
    createdAt: iso(payout.createdAt),
    updatedAt: iso(payout.updatedAt),
    statusHistory: payout.history.map(({ status, at, source, note }) => ({
      status,
      timestamp: iso(at),
      source,
      ...(note === null ? {} : { note }),
    })),
    ...(links ? { paymentIntentId: payout.paymentIntentId } : {}),
  };
}

const DIGEST = ['id', 'status', 'amount', 'assetCode', 'merchantReference', 'failureReason'] as const;

export function payoutSubject(payout: Payout, links: boolean): EventSubject {
  const references = { payoutId: payout.id, paymentIntentId: links ? payout.paymentIntentId : null };
  return subjectOf('payout', payoutRecord(payout, links), DIGEST, references);
}
