import { iso } from '../base/iso-time.js';
import { formatAmount } from '../base/money.js';
import { type EventSubject, subjectOf } from '../webhooks/event-subject.js';

type DepositStatus = 'pending' | 'confirming' | 'confirmed' | 'unmatched';

/** A payin that belongs to no payment: to a sub-wallet's address, or the merchant's own money to its own address. */
export interface Deposit {
  id: string;
  number: number;
  /** null: the operating balance. */
  accountId: string | null;
  assetCode: string;
  amountGross: bigint;
  feeAmount: bigint;
  depositAddress: string;
  senderAddress: string;
  txid: string;
  status: DepositStatus;
  kytStatus: 'pending' | 'approved' | 'rejected';
  kytRiskScore: string;
  confirmations: number;
  createdAt: number;
  history: { status: DepositStatus; at: number }[];
}

/** The payin of specification 2.2, with the account that it went to. */
export function depositRecord(deposit: Deposit) {
  const own = deposit.accountId === null;
  return {
    id: deposit.id,
    paymentIntentId: null,
    payinType: own ? 'merchant_deposit' : 'blockchain',
    txid: deposit.txid,
    amountGross: formatAmount(deposit.amountGross),
    amountNet: formatAmount(deposit.amountGross - deposit.feeAmount),
    feeAmount: formatAmount(deposit.feeAmount),
    assetCode: deposit.assetCode,
    depositAddress: deposit.depositAddress,
    senderAddress: deposit.senderAddress,
    addressPurpose: own ? 'MERCHANT_DEPOSIT' : 'STATIC_ADDRESS',
    status: deposit.status,
    kytStatus: deposit.kytStatus,
    confirmations: deposit.confirmations,
    createdAt: iso(deposit.createdAt),
    kytRiskScore: deposit.kytRiskScore,
    statusHistory: deposit.history.map(({ status, at }) => ({ status, timestamp: iso(at), source: 'blockchain' })),
    accountId: deposit.accountId,
  };
}

const DIGEST = ['id', 'accountId', 'assetCode', 'amountGross', 'amountNet', 'status'] as const;

export function depositSubject(deposit: Deposit): EventSubject {
  return subjectOf('deposit', depositRecord(deposit), DIGEST, { depositId: deposit.id });
}
