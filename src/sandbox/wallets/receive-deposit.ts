import { z } from 'zod';
import { addressOf } from '../assets/address.js';
import { type Asset, findAsset } from '../assets/assets.js';
import { amountOf } from '../base/money.js';
import { createDraw, hexOf } from '../base/random.js';
import { invalid, Refusal } from '../base/refusal.js';
import { address, amount, assetCode } from '../base/schemas.js';
import { book } from '../ledger/book.js';
import { type Holder, holderOf } from '../ledger/ledger.js';
import { feeOn } from '../payments/amounts.js';
import { type Merchant, strikes } from '../service.js';
import { type Deposit, depositSubject } from './deposit.js';
import { type DepositAddress, type Wallet } from './wallet.js';

/** What somebody sends to one of the merchant's own addresses. */
export const depositSchema = z.object({
  assetCode,
  amount,
  senderAddress: address.nullish(),
  /** What its screening will say; left out: what the faults say. */
  kytStatus: z.enum(['pending', 'approved', 'rejected']).optional(),
});

export type DepositRequest = z.output<typeof depositSchema>;

/** Into a sub-wallet, frozen or not, or, without one, into the operating balance. It is credited once it has its blocks. */
export function receiveDeposit(merchant: Merchant, wallet: Wallet | null, request: DepositRequest): Deposit {
  const asset = findAsset(request.assetCode);
  if (!asset) throw invalid(`assetCode: ${request.assetCode} is unknown`);
  const place = wallet ? placeOf(merchant, wallet, asset) : operatingPlace(merchant, asset);
  const { seed, service } = merchant;
  const at = service.clock.now();
  const gross = amountOf(request.amount);
  const deposit = merchant.deposits.add((id, number) => ({
    id,
    number,
    accountId: wallet?.id ?? null,
    assetCode: asset.assetCode,
    amountGross: gross,
    feeAmount: wallet ? feeOn(gross, asset.assetCode) : 0n,
    depositAddress: place.address,
    senderAddress: request.senderAddress ?? addressOf(seed, 'depositor', number, asset.assetCode),
    txid: hexOf(seed, 'deposit-txid', number, 64),
    status: 'pending',
    kytStatus: 'pending',
    kytRiskScore: (Math.floor(createDraw(seed, 'deposit-risk')(number) * 2000) / 100).toFixed(2),
    confirmations: 0,
    createdAt: at,
    history: [{ status: 'pending', at }],
  }));
  const wait = service.settings.confirmationSeconds * asset.confirmations;
  const settle = (): void => settleDeposit(merchant, deposit, asset, request.kytStatus);
  if (wait <= 0) settle();
  else service.clock.at(at + wait * 1000, settle);
  return deposit;
}

/** The address that the account has for the asset; a disabled asset gets no new one (specification 4.13). */
export function placeOf(merchant: Merchant, wallet: Wallet, asset: Asset): DepositAddress {
  if (wallet.isTerminal) throw new Refusal(409, 'ACCOUNT_CLOSED', 'the addresses of this account were released');
  const known = wallet.addresses.get(asset.assetCode);
  if (known) return known;
  if (merchant.inactiveAssets.has(asset.assetCode)) throw new Refusal(409, 'ASSET_DISABLED', 'the asset is disabled');
  const shared = asset.memoType !== null;
  const made = {
    address: addressOf(merchant.seed, 'wallet', shared ? 0 : wallet.number, asset.assetCode),
    memo: shared ? String(5_000_000 + wallet.number) : null,
  };
  wallet.addresses.set(asset.assetCode, made);
  return made;
}

function operatingPlace(merchant: Merchant, asset: Asset): DepositAddress {
  return { address: addressOf(merchant.seed, 'operating', 0, asset.assetCode), memo: null };
}

function settleDeposit(
  merchant: Merchant,
  deposit: Deposit,
  asset: Asset,
  kytStatus: Deposit['kytStatus'] = screened(merchant, deposit),
): void {
  const { clock } = merchant.service;
  const at = clock.now();
  const step = (status: Deposit['status']): void => {
    deposit.status = status;
    deposit.history.push({ status, at });
  };
  const wallet = deposit.accountId === null ? null : merchant.wallets.get(deposit.accountId);
  // The account was closed while the deposit was on its way: nobody's money yet.
  const lost = wallet?.isTerminal === true;
  step('confirming');
  deposit.confirmations = asset.confirmations;
  deposit.kytStatus = kytStatus;
  step(lost ? 'unmatched' : 'confirmed');
  credit(merchant, deposit, { holder: lost ? 'held' : holderOf(deposit.accountId), lost, at });
}

function screened(merchant: Merchant, { number }: Deposit): Deposit['kytStatus'] {
  const { faults } = merchant.service;
  if (strikes(merchant, faults.kytPending, 'deposit-kyt-pending', number)) return 'pending';
  return strikes(merchant, faults.kytRejected, 'deposit-kyt-rejected', number) ? 'rejected' : 'approved';
}

function credit(merchant: Merchant, deposit: Deposit, to: { holder: Holder; lost: boolean; at: number }): void {
  const { accountId, assetCode, amountGross, feeAmount, id } = deposit;
  const fee = to.lost ? 0n : feeAmount;
  const lines = [
    { account: 'world', amount: -amountGross },
    { account: 'fees', amount: fee },
    { account: to.holder, amount: amountGross - fee },
  ] as const;
  const transactions =
    accountId === null || to.lost
      ? []
      : [{ accountId, type: 'deposit', feeAmount: fee, note: null, counterpartyAccountId: null } as const];
  book(merchant, { at: to.at, type: 'deposit', assetCode, recordId: id, lines }, transactions);
  if (transactions.length > 0)
    merchant.send('wallet_account.deposit.completed', () => depositSubject(deposit, merchant.service.faults));
}
