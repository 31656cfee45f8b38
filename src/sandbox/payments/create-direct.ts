import { type Asset, isFiat, resolveCoin } from '../assets/assets.js';
import { isObject, type JsonObject, optionalText } from '../base/fields.js';
import { parseAmount } from '../base/money.js';
import { invalid, Refusal } from '../base/refusal.js';
import type { Merchant } from '../service.js';
import { checkAutoSettlement } from '../settlements/auto-settlement.js';
import type { Intent } from './intent.js';
import { addIntent } from './new-intent.js';

export interface DirectRequest {
  body: JsonObject;
  /** The text of the body's `metadata` member. */
  metadata: string | null;
  /** The Idempotency-Key header. */
  idempotencyKey: string | null;
}

/**
 * The direct creation (specification 4.1). Replaying an idempotency key gives back the payment it made, whatever else
 * the request says.
 */
export function createDirectIntent(merchant: Merchant, request: DirectRequest): { intent: Intent; replayed: boolean } {
  const { body } = request;
  const key = optionalText(body, 'idempotencyKey') ?? request.idempotencyKey;
  const earlier = key === null ? null : merchant.intents.read(merchant.directKeys.get(key) ?? '');
  if (earlier) return { intent: earlier, replayed: true };
  const asset = requestedAsset(merchant, body);
  const amount = parseAmount(body.amount);
  if (amount === null) throw invalid('amount must be a decimal string, up to 18 decimals, strictly greater than zero');
  const type = body.requestedCurrencyType ?? 'crypto';
  if (type !== 'crypto' && type !== 'fiat') throw invalid('requestedCurrencyType must be crypto or fiat');
  const customer = checkCustomer(body.customer);
  if (!isObject(body.metadata ?? {})) throw invalid('metadata must be an object');
  const autoSettlement = checkAutoSettlement(body.autoSettlement, asset);
  if (autoSettlement) throw autoSettlement;
  const intent = addIntent(merchant, {
    amount,
    currencyRequested: type === 'fiat' ? fiatCurrency(body) : asset.assetCode,
    requestedCurrencyType: type,
    acceptedCoins: [asset.assetCode],
    assetCode: asset.assetCode,
    source: 'api',
    merchantReference: optionalText(body, 'merchantReference'),
    metadata: isObject(body.metadata) ? request.metadata : null,
    invoiceId: null,
    productId: null,
    posTerminalId: null,
    customerEmail: customer.email,
    customerRefundAddress: customer.refundAddress,
    returnUrl: null,
    expirySeconds: merchant.service.settings.expirySeconds,
  });
  if (key !== null) merchant.directKeys.set(key, intent.id);
  return { intent, replayed: false };
}

function requestedAsset(merchant: Merchant, body: JsonObject): Asset {
  const { requestedCoin } = body;
  if (typeof requestedCoin !== 'string') throw invalid('requestedCoin must be a string');
  const resolution = resolveCoin(requestedCoin, (code) => !merchant.inactiveAssets.has(code));
  if (resolution.ok) return resolution.asset;
  if (resolution.reason === 'unknown') throw new Refusal(400, 'ASSET_NOT_SUPPORTED', 'requestedCoin is not available');
  throw new Refusal(400, 'NETWORK_REQUIRED', 'several networks are active for this coin: name one');
}

function fiatCurrency(body: JsonObject): string {
  const { currencyRequested } = body;
  if (typeof currencyRequested !== 'string' || !isFiat(currencyRequested)) {
    throw invalid('currencyRequested must be an active fiat currency when requestedCurrencyType is fiat');
  }
  return currencyRequested;
}

/** The object is mandatory; nothing is said about its fields, so they only have to be texts (specification 2.14). */
function checkCustomer(customer: unknown): { email: string | null; refundAddress: string | null } {
  if (!isObject(customer)) throw invalid('customer is mandatory');
  for (const field of ['firstName', 'lastName']) optionalText(customer, field);
  return { email: optionalText(customer, 'email'), refundAddress: optionalText(customer, 'refundAddress') };
}
