import { depositPlace } from '../assets/address.js';
import { assetOf } from '../assets/assets.js';
import { blockchainOf } from '../assets/blockchains.js';
import { cryptoToAsk } from '../assets/fiat.js';
import type { Rates } from '../assets/rates.js';
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
  settlementAccountId: string | null;
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
    settlementAccountId: input.settlementAccountId,
    booked: { net: '0', fees: '0', held: '0' },
    history: [],
    payins: [],
  };
}

/** The customer chose an asset: the address is allocated and a fiat amount is locked at the rate of the moment. */
export function chooseAsset(
  { seed, rates, at, freed }: { seed: number; rates: Rates; at: number; freed?: string[] | undefined },
  intent: Intent,
  assetCode: string,
): void {
  const asset = assetOf(assetCode);
  if (intent.requestedCurrencyType === 'fiat') {
    const currency = intent.currencyRequested;
    intent.amountCryptoExpected = formatAmount(
      cryptoToAsk(amountOf(intent.amountRequested), { rates, at, currency, asset }),
    );
  }
  intent.assetCode = assetCode;
  const { depositAddress, memo } = depositPlace(seed, intent.position, assetCode);
  intent.depositAddress = freed?.shift() ?? depositAddress;
  intent.memo = memo;
}

/** The same at this moment; addresses that closed accounts gave back go first where addresses are unique. */
export function chooseAssetNow(merchant: Merchant, intent: Intent, assetCode: string): void {
  const { clock, rates } = merchant.service;
  const freed = blockchainOf(assetOf(assetCode)).utxo ? merchant.addressPool.get(assetCode) : undefined;
  chooseAsset({ seed: merchant.seed, rates, at: clock.now(), freed }, intent, assetCode);
}

/** Creates the intent, sends its event, and lets it expire in time. */
export function addIntent(merchant: Merchant, input: NewIntent): Intent {
  const { clock } = merchant.service;
  const now = clock.now();
  const intent = merchant.intents.add((id, position) => {
    const made = blankIntent(id, position, now, input);
    if (input.assetCode !== null) chooseAssetNow(merchant, made, input.assetCode);
    setStatus(made, input.assetCode === null ? 'waiting_address_selection' : 'pending', now, input.source);
    return made;
  });
  merchant.emit('payment_intent.created', intent);
  clock.at(intent.expiresAt, () => expireIntent(merchant, intent.id));
  return intent;
}
