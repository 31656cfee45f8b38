import type { Asset } from '../assets/assets.js';
import { walletHolder } from '../ledger/ledger.js';
import { feeOn } from '../payments/amounts.js';
import { placeOf } from '../wallets/receive-deposit.js';
import type { Wallet } from '../wallets/wallet.js';
import { addPastRow, bookPast, type PastBooks } from './past-books.js';
import { PastDeposit } from './past-deposit.js';

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
