import type { Asset } from '../assets/assets.js';
import { type LedgerAccount, walletHolder } from '../ledger/ledger.js';
import { feeOn } from '../payments/amounts.js';
import type { Merchant } from '../service.js';
import { placeOf } from '../wallets/receive-deposit.js';
import type { Transaction } from '../wallets/transaction.js';
import type { Wallet } from '../wallets/wallet.js';
import { PastDeposit } from './past-deposit.js';

/** What the past left, and who moves it. Amounts by account and asset. */
export interface PastBooks {
  merchant: Merchant;
  open: Wallet[];
  sums: Map<string, Map<LedgerAccount, bigint>>;
}

/** Books the lines of a past transaction; rows of the feed are made by the caller. */
function bookPast({ sums }: PastBooks, assetCode: string, lines: readonly [LedgerAccount, bigint][]): void {
  const ofAsset = sums.get(assetCode) ?? new Map<LedgerAccount, bigint>();
  sums.set(assetCode, ofAsset);
  for (const [account, amount] of lines) ofAsset.set(account, (ofAsset.get(account) ?? 0n) + amount);
}

type PastRow = Omit<Transaction, 'id' | 'balanceAfter'>;

/** After its lines are booked. */
function addPastRow({ merchant, sums }: PastBooks, row: PastRow): void {
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

interface PastMove {
  wallet: Wallet;
  asset: Asset;
  amount: bigint;
  at: number;
}

/** Confirmed long ago. */
export function addPastDeposit(books: PastBooks, { wallet, asset, amount, at }: PastMove): number {
  const { merchant } = books;
  const { assetCode } = asset;
  const feeAmount = feeOn(amount, assetCode);
  const depositAddress = placeOf(merchant, wallet, asset).address;
  const given = { accountId: wallet.id, assetCode, amountGross: amount, feeAmount, depositAddress, confirmedAt: at };
  const deposit = merchant.deposits.add((id, number) => new PastDeposit(merchant.seed, { id, number, ...given }));
  bookPast(books, assetCode, [
    ['world', -amount],
    ['fees', feeAmount],
    [walletHolder(wallet.id), amount - feeAmount],
  ]);
  addPastRow(books, {
    accountId: wallet.id,
    assetCode,
    type: 'deposit',
    amount: amount - feeAmount,
    feeAmount,
    note: null,
    referenceId: deposit.id,
    counterpartyAccountId: null,
    createdAt: at,
  });
  return 1;
}

interface PastTransfer extends PastMove {
  /** null: the operating balance. */
  from: Wallet | null;
  to: Wallet | null;
  feeAmount: bigint;
}

/** As a transfer of today is booked: the fee stays with the merchant. */
export function addPastTransfer(books: PastBooks, { asset, amount, at, from, to, feeAmount }: PastTransfer): number {
  const { assetCode } = asset;
  const transfer = books.merchant.transfers.add((id) => ({
    id,
    isPast: true,
    fromAccountId: from?.id ?? null,
    toAccountId: to?.id ?? null,
    assetCode,
    amount,
    feeAmount,
    note: null,
    createdAt: at,
  }));
  bookPast(books, assetCode, [
    [from ? walletHolder(from.id) : 'operating', -amount],
    [to ? walletHolder(to.id) : 'operating', amount - feeAmount],
    ['operating', feeAmount],
  ]);
  const row = { assetCode, feeAmount, note: null, referenceId: transfer.id, createdAt: at };
  if (from) {
    const counterpartyAccountId = to?.id ?? null;
    addPastRow(books, { ...row, accountId: from.id, type: 'transfer_out', amount: -amount, counterpartyAccountId });
  }
  if (to) {
    const counterpartyAccountId = from?.id ?? null;
    const arrived = amount - feeAmount;
    addPastRow(books, { ...row, accountId: to.id, type: 'transfer_in', amount: arrived, counterpartyAccountId });
  }
  return from && to ? 2 : 1;
}
