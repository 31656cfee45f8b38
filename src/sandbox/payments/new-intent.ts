import { depositPlace } from '../assets/address.js';
import { fiatToCrypto, findAsset } from '../assets/assets.js';
import { amountOf, formatAmount } from '../base/money.js';
import type { Merchant } from '../service.js';
import { expireIntent } from './expire-intent.js';
import { type Intent, type Links, setStatus } from './intent.js';

/** What both ways of creation bring along, already checked. */
export interface NewIntent extends Links {
  amount: bigint;
  currencyRequested: string;
  requestedCurrencyType: 'fiat' | 'crypto';
  acceptedCoins: string[];
  /** The asset, where it is chosen at once. */
  assetCode: string | null;
  source: string;
  merchantReference: string | null;
  metadata: string | null;
  customerEmail: string | null;
  customerRefundAddress: string | null;
  returnUrl: string | null;
  expirySeconds: number;
}

/** Every field of an intent that nobody has touched yet. */
export function blankIntent(id: string, position: number, createdAt: number, input: NewIntent): Intent {
  return {
    id,
    position,
    status: 'waiting_address_selection',
    amountRequested: formatAmount(input.amount),
    currencyRequested: input.currencyRequested,
    requestedCurrencyType: input.requestedCurrencyType,
    amountCryptoExpected: null,
    assetCode: null,
    acceptedCoins: input.acceptedCoins,
    totalAmountReceived: '0',
    amountNetMerchant: '0',
    feeAmountTotal: '0',
    amountInRange: null,
    amountRejected: null,
    amountToRefund: null,
    feeAmountOnRange: null,
    feeAmountOnRejected: null,
    source: input.source,
    merchantReference: input.merchantReference,
    metadata: input.metadata,
    invoiceId: input.invoiceId,
    productId: input.productId,
    posTerminalId: input.posTerminalId,
    irregularStatus: 'none',
    customerRefundAddress: input.customerRefundAddress,
    irregularActionBy: null,
    irregularActionAt: null,
    irregularRefundPayoutId: null,
    customerEmail: input.customerEmail,
    returnUrl: input.returnUrl,
    createdAt,
    expiresAt: createdAt + Math.round(input.expirySeconds * 1000),
    updatedAt: createdAt,
    depositAddress: null,
    memo: null,
    history: [],
    payins: [],
  };
}

/** The customer chose an asset: the address is allocated and a fiat amount is locked at the rate of the moment. */
export function chooseAsset(seed: number, intent: Intent, assetCode: string): void {
  const asset = findAsset(assetCode);
  if (!asset) throw new Error(`no asset ${assetCode}`);
  intent.assetCode = assetCode;
  if (intent.requestedCurrencyType === 'fiat') {
    const expected = fiatToCrypto(amountOf(intent.amountRequested), intent.currencyRequested, asset);
    intent.amountCryptoExpected = formatAmount(expected);
  }
  const { depositAddress, memo } = depositPlace(seed, intent.position, assetCode);
  intent.depositAddress = depositAddress;
  intent.memo = memo;
}

/** Creates the intent, tells of it, and lets it expire in time. */
export function addIntent(merchant: Merchant, input: NewIntent): Intent {
  const { clock } = merchant.service;
  const now = clock.now();
  const intent = merchant.intents.add((id, position) => {
    const made = blankIntent(id, position, now, input);
    if (input.assetCode !== null) chooseAsset(merchant.seed, made, input.assetCode);
    setStatus(made, input.assetCode === null ? 'waiting_address_selection' : 'pending', now, input.source);
    return made;
  });
  merchant.emit('payment_intent.created', intent);
  clock.at(intent.expiresAt, () => expireIntent(merchant, intent.id));
  return intent;
}
