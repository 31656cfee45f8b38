import type { Merchant } from '../service.js';
import type { Transaction } from '../wallets/transaction.js';
import type { NewEntry } from './ledger.js';

/** What a sub-wallet's history says of a transaction. */
export interface NewTransaction extends Pick<Transaction, 'type' | 'feeAmount' | 'note' | 'counterpartyAccountId'> {
  accountId: string;
}

/** Posts the entry, and one transaction for each sub-wallet among its lines. */
export function book(merchant: Merchant, entry: NewEntry, transactions: readonly NewTransaction[] = []): void {
  merchant.ledger.post(entry);
  for (const { accountId, ...transaction } of transactions) {
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
      ...transaction,
    }));
  }
}
