import { assetOf } from '../assets/assets.js';
import { blockchainOf } from '../assets/blockchains.js';
import { iso } from '../base/iso-time.js';
import { formatAmount } from '../base/money.js';
import type { Holder } from '../ledger/ledger.js';
import { type EventSubject, subjectOf } from '../webhooks/event-subject.js';

export const PAYOUT_TYPES = ['withdrawal', 'internal_transfer', 'refund', 'settlement'] as const;
export const DESTINATION_TYPES = ['blockchain', 'internal_email', 'merchant_account'] as const;

/** What the fault `newPayoutWord` calls one. */
export const NEW_PAYOUT_WORD = 'voucher';

type PayoutType = (typeof PAYOUT_TYPES)[number] | typeof NEW_PAYOUT_WORD;
type DestinationType = (typeof DESTINATION_TYPES)[number];
export type FeeBearer = 'merchant' | 'customer';

export type PayoutStatus = 'pending' | 'under_review' | 'approved' | 'broadcast' | 'confirmed' | 'failed';

export const PAYOUT_STATUSES: readonly PayoutStatus[] = [
  'pending',
  'under_review',
  'approved',
  'broadcast',
  'confirmed',
  'failed',
];

interface PayoutStep {
  status: PayoutStatus;
  at: number;
  source: string;
  note: string | null;
}

/** Amounts are whole numbers of 10⁻¹⁸ of the asset, times milliseconds. */
export interface Payout {
  id: string;
  number: number;
  /** Where the money comes from: frozen there until the payout is confirmed or failed. */
  holder: Holder;
  /** The sub-wallet that is debited; null for the operating balance. */
  accountId: string | null;
  payoutType: PayoutType;
  assetCode: string;
  /** Over before the start: the ledger has only what is left. */
  isPast: boolean;
  /** What was asked to be sent. */
  amount: bigint;
  feeAmount: bigint;
  feeBearer: FeeBearer;
  destinationType: DestinationType;
  destinationAddress: string;
  destinationMemo: string | null;
  merchantReference: string | null;
  note: string | null;
  /** The payment that is given back. */
  paymentIntentId: string | null;
  status: PayoutStatus;
  kytStatus: 'pending' | 'approved' | 'rejected' | null;
  failureReason: string | null;
  txid: string | null;
  /** Gas actually paid, in the base coin of the chain; known after broadcast. */
  networkFee: bigint | null;
  /** Known at confirmation. */
  networkFeeUsd: bigint | null;
  createdAt: number;
  updatedAt: number;
  history: PayoutStep[];
}

/** What the balance loses: with the fee on top where the merchant bears it. */
export function debitOf({ amount, feeAmount, feeBearer }: Pick<Payout, 'amount' | 'feeAmount' | 'feeBearer'>): bigint {
  return feeBearer === 'merchant' ? amount + feeAmount : amount;
}

export const isFinal = ({ status }: Payout): boolean => status === 'confirmed' || status === 'failed';

/** Neither an internal transfer nor anything else that stays inside the platform has gas or a hash. */
export const isOnChain = ({ destinationType }: Payout): boolean => destinationType === 'blockchain';

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
