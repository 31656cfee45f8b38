import type { Holder } from '../ledger/ledger.js';

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
