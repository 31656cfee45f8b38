import { type LedgerAccount, walletHolder } from '../ledger/ledger.js';
import type { Merchant } from '../service.js';
import type { Transaction } from '../wallets/transaction.js';
import type { Wallet } from '../wallets/wallet.js';

/** What the past left, and who moves it. Amounts by account and asset. */
export interface PastBooks {
  merchant: Merchant;
  open: Wallet[];
  sums: Map<string, Map<LedgerAccount, bigint>>;
}

/** Books the lines of a past transaction; rows of the feed are made by the caller. */
export function bookPast({ sums }: PastBooks, assetCode: string, lines: readonly [LedgerAccount, bigint][]): void {
  const ofAsset = sums.get(assetCode) ?? new Map<LedgerAccount, bigint>();
  sums.set(assetCode, ofAsset);
  for (const [account, amount] of lines) ofAsset.set(account, (ofAsset.get(account) ?? 0n) + amount);
}

type PastRow = Omit<Transaction, 'id' | 'balanceAfter'>;

/** After its lines are booked. */
export function addPastRow({ merchant, sums }: PastBooks, row: PastRow): void {
  const balanceAfter = sums.get(row.assetCode)?.get(walletHolder(row.accountId)) ?? 0n;
  merchant.transactions.add((id) => ({ id, balanceAfter, ...row }));
}

/** One entry per asset, for all that moved. */
export function postOpening({ merchant, sums }: PastBooks, at: number): void {
  for (const [assetCode, ofAsset] of sums) {
    const lines = [...ofAsset].map(([account, amount]) => ({ account, amount }));
    merchant.ledger.post({ at, type: 'opening', assetCode, recordId: 'opening', lines });
  }
}
