import type { Merchant } from '../service.js';
import type { Transaction } from '../wallets/transaction.js';
import type { NewEntry } from './ledger.js';

/** What a sub-wallet's history says of a movement. */
export interface Movement extends Pick<Transaction, 'type' | 'feeAmount' | 'note' | 'counterpartyAccountId'> {
  accountId: string;
}

/** Posts the entry, and one transaction for each sub-wallet among its lines. */
export function book(merchant: Merchant, entry: NewEntry, movements: readonly Movement[] = []): void {
  merchant.ledger.post(entry);
  for (const { accountId, ...movement } of movements) {
    const line = entry.lines.find(({ account }) => account === `wallet:${accountId}`);
    if (!line) throw new Error(`no line of the entry is about ${accountId}`);
    merchant.transactions.add((id) => ({
      id,
      accountId,
      assetCode: entry.assetCode,
      amount: line.amount,
      balanceAfter: merchant.ledger.balance(line.account, entry.assetCode),
      referenceId: entry.recordId,
      createdAt: entry.at,
      ...movement,
    }));
  }
}
