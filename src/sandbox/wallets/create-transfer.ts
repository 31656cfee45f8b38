import { z } from 'zod';
import { findAsset } from '../assets/assets.js';
import { amountOf } from '../base/money.js';
import { invalid, notFound, Refusal } from '../base/refusal.js';
import { amount, assetCode, idempotencyKey, text, totpCode } from '../base/schemas.js';
import { book, type NewTransaction } from '../ledger/book.js';
import { holderOf } from '../ledger/ledger.js';
import { insufficientBalance } from '../payouts/open-payout.js';
import type { Merchant } from '../service.js';
import { checkIncoming, checkOutgoing, findWallet } from './find-wallet.js';
import { type Transfer, transferSubject } from './transfer.js';
import type { Wallet } from './wallet.js';

/** Specification 4.6. */
export const transferSchema = z.object({
  assetCode,
  amount,
  fromOperating: z.boolean().nullish(),
  toWalletAccountId: z.string().nullish(),
  toEmail: z.string().nullish(),
  toOperating: z.boolean().nullish(),
  feeAmount: amount.nullish(),
  note: text().nullish(),
  totpCode: totpCode.nullish(),
  idempotencyKey: idempotencyKey().nullish(),
});

export type TransferRequest = z.output<typeof transferSchema>;

/** Instant. The fee stays with the merchant: the destination gets the amount less the fee. */
export function createTransfer(merchant: Merchant, wallet: Wallet, request: TransferRequest): Transfer {
  const asset = findAsset(request.assetCode);
  if (!asset) throw new Refusal(400, 'ASSET_NOT_SUPPORTED', `${request.assetCode} is not supported`);
  const from = request.fromOperating ? null : wallet;
  const to = request.fromOperating ? wallet : destination(merchant, wallet, request);
  if (from) checkOutgoing(from);
  if (to) checkIncoming(to);
  const given = amountOf(request.amount);
  const fee = amountOf(request.feeAmount ?? null);
  if (fee >= given) throw invalid('feeAmount: must be less than the amount');
  if (merchant.ledger.available(holderOf(from?.id ?? null), asset.assetCode) < given) throw insufficientBalance();
  const transfer = merchant.transfers.add((id) => ({
    id,
    fromAccountId: from?.id ?? null,
    toAccountId: to?.id ?? null,
    assetCode: asset.assetCode,
    amount: given,
    feeAmount: fee,
    note: request.note ?? null,
    createdAt: merchant.service.clock.now(),
  }));
  bookTransfer(merchant, transfer);
  merchant.send('wallet_account.transfer.completed', () => transferSubject(transfer));
  return transfer;
}

/** Exactly one of the three ways to name it; null: the operating balance. */
function destination(merchant: Merchant, source: Wallet, request: TransferRequest): Wallet | null {
  const { toWalletAccountId: id, toEmail: email, toOperating } = request;
  const modes = [Boolean(id), Boolean(email), toOperating === true].filter(Boolean).length;
  if (modes !== 1)
    throw new Refusal(400, 'DESTINATION_INVALID', 'one of toWalletAccountId, toEmail and toOperating must be used');
  if (toOperating) return null;
  const found = id ? findWallet(merchant, id) : walletOfHolder(merchant, email ?? '');
  if (found === source) throw new Refusal(400, 'DESTINATION_INVALID', 'source and destination are the same account');
  return found;
}

function walletOfHolder(merchant: Merchant, email: string): Wallet {
  const wanted = email.toLowerCase();
  const found = merchant.wallets
    .all()
    .filter((wallet) => wallet.email?.toLowerCase() === wanted && wallet.status !== 'closed');
  const [only] = found;
  if (!only) throw notFound('account with this e-mail');
  if (found.length > 1) throw new Refusal(409, 'EMAIL_AMBIGUOUS', 'toEmail: several accounts have this e-mail');
  return only;
}

function bookTransfer(merchant: Merchant, transfer: Transfer): void {
  const { id, fromAccountId, toAccountId, assetCode, amount, feeAmount, note, createdAt: at } = transfer;
  const side = (type: NewTransaction['type'], accountId: string | null, counterpartyAccountId: string | null) =>
    accountId === null ? [] : [{ accountId, type, feeAmount, note, counterpartyAccountId }];
  const transactions = [
    ...side('transfer_out', fromAccountId, toAccountId),
    ...side('transfer_in', toAccountId, fromAccountId),
  ];
  const lines = [
    { account: holderOf(fromAccountId), amount: -amount },
    { account: holderOf(toAccountId), amount: amount - feeAmount },
    { account: 'operating', amount: feeAmount },
  ] as const;
  book(merchant, { at, type: 'transfer', assetCode, recordId: id, lines }, transactions);
}
