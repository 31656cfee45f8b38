import { iso } from '../base/iso-time.js';
import { formatAmount } from '../base/money.js';
import type { Faults } from '../faults.js';
import { type EventSubject, subjectOf } from '../webhooks/event-subject.js';

type DepositStatus = 'pending' | 'confirming' | 'confirmed' | 'unmatched';

/** A payin that belongs to no payment: to a sub-wallet's address, or the merchant's own money to its own address. */
export interface Deposit {
  id: string;
  number: number;
  /** Over before the start: the ledger has only what is left. */
  isPast?: true;
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
  /** Another merchant of the platform sent it: it was on no chain. */
  isInternal?: true;
}

/** The payin of specification 2.2; `unnamedFields` adds the account that it went to. */
export function depositRecord(deposit: Deposit, { unnamedFields }: Pick<Faults, 'unnamedFields'>) {
  const own = deposit.accountId === null;
  const onChain = deposit.isInternal !== true;
  return {
    id: deposit.id,
    paymentIntentId: null,
    payinType: !onChain ? 'internal_transfer' : own ? 'merchant_deposit' : 'blockchain',
    txid: onChain ? deposit.txid : null,
    amountGross: formatAmount(deposit.amountGross),
    amountNet: formatAmount(deposit.amountGross - deposit.feeAmount),
    feeAmount: formatAmount(deposit.feeAmount),
    assetCode: deposit.assetCode,
    depositAddress: deposit.depositAddress,
    senderAddress: onChain ? deposit.senderAddress : null,
    addressPurpose: !onChain ? null : own ? 'MERCHANT_DEPOSIT' : 'STATIC_ADDRESS',
    status: deposit.status,
    kytStatus: onChain ? deposit.kytStatus : null,
    confirmations: onChain ? deposit.confirmations : null,
    createdAt: iso(deposit.createdAt),
    kytRiskScore: onChain ? deposit.kytRiskScore : null,
    statusHistory: deposit.history.map(({ status, at }) => ({
      status,
      timestamp: iso(at),
      source: onChain ? 'blockchain' : 'system',
    })),
    ...(unnamedFields ? { accountId: deposit.accountId } : {}),
  };
}

const DIGEST = ['id', 'accountId', 'assetCode', 'amountGross', 'amountNet', 'status'] as const;

export function depositSubject(deposit: Deposit, faults: Faults): EventSubject {
  return subjectOf('deposit', depositRecord(deposit, faults), DIGEST, { depositId: deposit.id });
}
