import { iso } from '../base/iso-time.js';
import { formatAmount } from '../base/money.js';

type TransactionType = 'deposit' | 'withdrawal' | 'transfer_in' | 'transfer_out' | 'closure';

/** One transaction of one sub-wallet: what the ledger booked there. */
export interface Transaction {
  id: string;
  accountId: string;
  assetCode: string;
  type: TransactionType;
  /** Signed: what the balance gained or lost, fees included. */
  amount: bigint;
  /** Part of it, or withheld before it arrived. */
  feeAmount: bigint;
  balanceAfter: bigint;
  note: string | null;
  /** The deposit, payout or transfer that it belongs to. */
  referenceId: string;
  counterpartyAccountId: string | null;
  createdAt: number;
}

export function transactionRecord(transaction: Transaction) {
  const { amount, feeAmount, balanceAfter, createdAt, ...rest } = transaction;
  return {
    ...rest,
    amount: formatAmount(amount),
    feeAmount: formatAmount(feeAmount),
    balanceAfter: formatAmount(balanceAfter),
    createdAt: iso(createdAt),
  };
}
