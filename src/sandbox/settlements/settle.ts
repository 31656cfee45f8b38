import { z } from 'zod';
import { addressOf } from '../assets/address.js';
import { type Asset, assetOf } from '../assets/assets.js';
import { fiatValue } from '../assets/fiat.js';
import { amountOf, roundDown } from '../base/money.js';
import { existing, Refusal } from '../base/refusal.js';
import { amount, assetCode } from '../base/schemas.js';
import { advancePayout } from '../payouts/advance-payout.js';
import { withdrawableAsset } from '../payouts/create-withdrawal.js';
import { openPayout } from '../payouts/open-payout.js';
import type { Payout } from '../payouts/payout.js';
import type { Merchant } from '../service.js';
import type { Settlement } from './settlement.js';
import type { SettlementAccount } from './settlement-account.js';
import { methodsFor, settlementMethod } from './settlement-methods.js';

/** Settled by hand in the dashboard; without an account to the default one. */
export const settlementSchema = z.object({ assetCode, amount, settlementAccountId: z.string().nullish() });

/** Maturity does not matter here (specification 2.6). */
export function settleByHand(merchant: Merchant, request: z.output<typeof settlementSchema>): Settlement {
  const asset = withdrawableAsset(merchant, request.assetCode);
  const accounts = merchant.settlementAccounts;
  const { settlementAccountId: id } = request;
  const account = existing(
    id ? accounts.get(id) : accounts.all().find(({ isDefault }) => isDefault),
    'settlement account',
  );
  return settle(merchant, { account, asset, gross: amountOf(request.amount), paymentIntentId: null });
}

interface Order {
  account: SettlementAccount;
  asset: Asset;
  /** What the operating balance loses, the fee of 1.5 percent included. */
  gross: bigint;
  paymentIntentId: string | null;
}

/** The crypto goes to the partner at once: its payout runs through all its states within the call. */
function settle(merchant: Merchant, { account, asset, gross, paymentIntentId }: Order): Settlement {
  const method = settlementMethod(account.methodId);
  if (account.revokedAt !== null) throw new Refusal(409, 'SETTLEMENT_ACCOUNT_REVOKED', 'the account is revoked');
  if (!methodsFor(asset).includes(method))
    throw new Refusal(400, 'COIN_NOT_SUPPORTED', `the partner cannot reverse ${asset.assetCode} to this account`);
  const feeAmount = roundDown((gross * 15n) / 1000n, asset.decimals);
  const sent = gross - feeAmount;
  const { rates, clock } = merchant.service;
  const at = clock.now();
  const fiatAmount = fiatValue(sent, { rates, at, currency: method.currency, asset });
  if (fiatAmount < amountOf(method.minimumAmount) || fiatAmount === 0n)
    throw new Refusal(400, 'AMOUNT_TOO_SMALL', `the least is ${method.minimumAmount ?? '0.01'} ${method.currency}`);
  const payout = payToPartner(merchant, { asset, sent, feeAmount, paymentIntentId });
  return merchant.settlements.add((id) => ({
    id,
    settlementAccountId: account.id,
    payoutId: payout.id,
    paymentIntentId,
    assetCode: asset.assetCode,
    amount: sent,
    feeAmount,
    fiatCurrency: method.currency,
    fiatAmount,
    createdAt: at,
  }));
}

function payToPartner(
  merchant: Merchant,
  {
    asset,
    sent,
    feeAmount,
    paymentIntentId,
  }: { asset: Asset; sent: bigint; feeAmount: bigint } & Pick<Order, 'paymentIntentId'>,
): Payout {
  const { assetCode } = asset;
  const payout = openPayout(merchant, {
    source: 'system',
    holder: 'operating',
    accountId: null,
    payoutType: 'settlement',
    assetCode,
    amount: sent,
    feeAmount,
    feeBearer: 'merchant',
    destinationType: 'blockchain',
    destinationAddress: addressOf(merchant.seed, 'settlement-partner', 0, assetCode),
    destinationMemo: null,
    merchantReference: null,
    note: null,
    paymentIntentId,
  });
  for (const step of ['approve', 'broadcast', 'confirm'] as const) advancePayout(merchant, payout, { step }, 'system');
  return payout;
}

/** The payment is complete: what it brought is reversed to fiat, where that is still possible. */
export function settlePayment(
  merchant: Merchant,
  intent: { id: string; settlementAccountId: string | null; assetCode: string | null; amountNetMerchant: string },
): Settlement | null {
  const account = merchant.settlementAccounts.get(intent.settlementAccountId ?? '');
  if (!account || intent.assetCode === null) return null;
  try {
    const gross = amountOf(intent.amountNetMerchant);
    return settle(merchant, { account, asset: assetOf(intent.assetCode), gross, paymentIntentId: intent.id });
  } catch (error) {
    // Revoked since, too little, or a price is missing: the money stays in the operating balance.
    if (error instanceof Refusal) return null;
    throw error;
  }
}
