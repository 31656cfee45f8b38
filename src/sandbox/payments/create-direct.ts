import { z } from 'zod';
import { type Asset, resolveCoin } from '../assets/assets.js';
import { isFiat } from '../assets/fiat.js';
import { amountOf } from '../base/money.js';
import { invalid, Refusal } from '../base/refusal.js';
import { amount, autoSettlement, text } from '../base/schemas.js';
import type { Merchant } from '../service.js';
import { checkAutoSettlement } from '../settlements/auto-settlement.js';
import type { Intent } from './intent.js';
import { addIntent } from './new-intent.js';

/** Specification 4.1. Nothing is said about the customer's fields (2.14), so they only have to be texts. */
export const directSchema = z.object({
  requestedCoin: z.string(),
  amount,
  customer: z.object({
    firstName: text().nullish(),
    lastName: text().nullish(),
    email: text().nullish(),
    refundAddress: text().nullish(),
  }),
  requestedCurrencyType: z.enum(['crypto', 'fiat']).nullish(),
  currencyRequested: z.string().nullish(),
  merchantReference: text().nullish(),
  idempotencyKey: text().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  autoSettlement: autoSettlement.nullish(),
});

type DirectRequest = z.output<typeof directSchema>;

/** The direct creation; `metadata` is the text of the body's member. */
export function createDirectIntent(merchant: Merchant, request: DirectRequest, metadata: string | null): Intent {
  const { customer } = request;
  const asset = requestedAsset(merchant, request.requestedCoin);
  const settlementAccountId = checkAutoSettlement(merchant, request.autoSettlement, asset);
  const isInFiat = request.requestedCurrencyType === 'fiat';
  return addIntent(merchant, {
    amount: amountOf(request.amount),
    currencyRequested: isInFiat ? fiatCurrency(request) : asset.assetCode,
    requestedCurrencyType: isInFiat ? 'fiat' : 'crypto',
    acceptedCoins: [asset.assetCode],
    assetCode: asset.assetCode,
    source: 'api',
    merchantReference: request.merchantReference || null,
    metadata: request.metadata ? metadata : null,
    invoiceId: null,
    productId: null,
    posTerminalId: null,
    customerEmail: customer.email || null,
    customerRefundAddress: customer.refundAddress || null,
    returnUrl: null,
    settlementAccountId,
    expirySeconds: merchant.service.settings.expirySeconds,
  });
}

function requestedAsset(merchant: Merchant, requestedCoin: string): Asset {
  const resolution = resolveCoin(requestedCoin, (code) => !merchant.inactiveAssets.has(code));
  if (resolution.ok) return resolution.asset;
  if (resolution.reason === 'unknown') throw new Refusal(400, 'ASSET_NOT_SUPPORTED', 'requestedCoin is not available');
  throw new Refusal(400, 'NETWORK_REQUIRED', 'several networks are active for this coin: name one');
}

function fiatCurrency({ currencyRequested }: DirectRequest): string {
  if (!currencyRequested || !isFiat(currencyRequested))
    throw invalid('currencyRequested must be an active fiat currency when requestedCurrencyType is fiat');
  return currencyRequested;
}
