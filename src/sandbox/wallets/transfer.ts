import { iso } from '../base/iso-time.js';
import { formatAmount } from '../base/money.js';
import { type EventSubject, subjectOf } from '../webhooks/event-subject.js';

/** An internal transfer (specification 4.6); null stands for the operating balance. */
export interface Transfer {
  id: string;
  /** Over before the start: the ledger has only what is left. */
  isPast?: true;
  fromAccountId: string | null;
  toAccountId: string | null;
  assetCode: string;
  /** What the source loses. */
  amount: bigint;
  /** Part of it that the merchant keeps. */
  feeAmount: bigint;
  note: string | null;
  createdAt: number;
}

export function transferRecord(transfer: Transfer) {
  const { id, fromAccountId, toAccountId, assetCode, amount, feeAmount, note, createdAt } = transfer;
  return {
    id,
    status: 'executed',
    fromAccountId,
    toAccountId,
    assetCode,
    amount: formatAmount(amount),
    feeAmount: formatAmount(feeAmount),
    amountNet: formatAmount(amount - feeAmount),
    note,
    createdAt: iso(createdAt),
  };
}

const DIGEST = ['id', 'status', 'fromAccountId', 'toAccountId', 'assetCode', 'amount'] as const;

export function transferSubject(transfer: Transfer): EventSubject {
  const accountIds = [transfer.fromAccountId, transfer.toAccountId];
  return subjectOf('transfer', transferRecord(transfer), DIGEST, { accountIds });
}
