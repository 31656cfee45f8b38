import { z } from 'zod';
import { type Asset, findAsset } from '../assets/assets.js';
import { cryptoToSend, isFiat } from '../assets/fiat.js';
import { amountOf } from '../base/money.js';
import { invalid, Refusal } from '../base/refusal.js';
import { address, amount, assetCode, feeBearer, idempotencyKey, text, totpCode } from '../base/schemas.js';
import { walletHolder } from '../ledger/ledger.js';
import type { Merchant } from '../service.js';
import { checkOutgoing } from '../wallets/find-wallet.js';
import type { Wallet } from '../wallets/wallet.js';
import { openPayout } from './open-payout.js';
import type { Payout } from './payout.js';

/** Specification 4.4. */
export const withdrawalSchema = z.object({
  assetCode,
  amount,
  destinationAddress: address,
  amountType: z.enum(['crypto', 'fiat']).nullish(),
  fiatCurrency: text(8).nullish(),
  destinationMemo: text(120).nullish(),
  note: text(255).nullish(),
  merchantReference: text(255).nullish(),
  idempotencyKey: idempotencyKey(120).nullish(),
  totpCode: totpCode.nullish(),
  feeBearer: feeBearer.nullish(),
});

export type WithdrawalRequest = z.output<typeof withdrawalSchema>;

/** The payout from a sub-wallet. */
export function createWithdrawal(merchant: Merchant, wallet: Wallet, request: WithdrawalRequest): Payout {
  checkOutgoing(wallet);
  const asset = withdrawableAsset(merchant, request.assetCode);
  if (wallet.supportedAssets?.includes(asset.assetCode) === false)
    throw new Refusal(400, 'ASSET_NOT_SUPPORTED', `the account does not support ${asset.assetCode}`);
  return openPayout(merchant, {
    source: 'api',
    holder: walletHolder(wallet.id),
    accountId: wallet.id,
    payoutType: 'withdrawal',
    assetCode: asset.assetCode,
    amount: cryptoAmount(merchant, asset, request),
    feeAmount: asset.payoutFee,
    feeBearer: request.feeBearer ?? wallet.feeBearer,
    destinationType: 'blockchain',
    destinationAddress: request.destinationAddress,
    destinationMemo: memoFor(asset, request.destinationMemo),
    merchantReference: request.merchantReference ?? null,
    note: request.note ?? null,
    paymentIntentId: null,
  });
}

/** A disabled asset can't be selected for withdrawals (specification 4.13). */
export function withdrawableAsset(merchant: Merchant, code: string): Asset {
  const asset = findAsset(code);
  if (!asset) throw new Refusal(400, 'ASSET_NOT_SUPPORTED', `${code} is not supported`);
  if (merchant.inactiveAssets.has(code)) throw new Refusal(400, 'ASSET_DISABLED', `${code} is disabled`);
  return asset;
}

/** Mandatory on chains that need one, and none elsewhere. */
export function memoFor(asset: Asset, memo: string | null | undefined): string | null {
  const given = memo ?? '';
  if (asset.memoType !== null && given === '')
    throw new Refusal(400, 'MEMO_REQUIRED', `destinationMemo: ${asset.blockchainName} needs a ${asset.memoType}`);
  if (asset.memoType === null && given !== '')
    throw new Refusal(400, 'MEMO_NOT_SUPPORTED', `destinationMemo: ${asset.blockchainName} has none`);
  return given === '' ? null : given;
}

function cryptoAmount(merchant: Merchant, asset: Asset, request: WithdrawalRequest): bigint {
  const given = amountOf(request.amount);
  if (request.amountType !== 'fiat') return given;
  const currency = request.fiatCurrency ?? '';
  if (!isFiat(currency)) throw invalid('fiatCurrency: an active fiat currency is required when amountType is fiat');
  const { rates, clock } = merchant.service;
  const sent = cryptoToSend(given, { rates, at: clock.now(), currency, asset });
  if (sent === 0n) throw new Refusal(400, 'AMOUNT_TOO_SMALL', 'the amount is worth less than can be sent');
  return sent;
}
