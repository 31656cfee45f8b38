import { ASSETS, findAsset } from '../assets/assets.js';
import { isFiat } from '../assets/fiat.js';
import { parseAmount } from '../base/money.js';
import { invalid } from '../base/refusal.js';
import type { Merchant } from '../service.js';
import type { Intent } from './intent.js';
import { addIntent } from './new-intent.js';

/** What the dashboard and other parts of the service give when they create a payment. */
export interface StandardInput {
  amount: string;
  currency: string;
  requestedCurrencyType?: 'fiat' | 'crypto' | undefined;
  acceptedCoins?: readonly string[] | undefined;
  /** Chooses the asset at once; otherwise the customer does. */
  assetCode?: string | undefined;
  merchantReference?: string | undefined;
  /** JSON text, given back unchanged. */
  metadata?: string | undefined;
  source?: string | undefined;
  invoiceId?: string | undefined;
  productId?: string | undefined;
  posTerminalId?: string | undefined;
  customerEmail?: string | undefined;
  customerRefundAddress?: string | undefined;
  returnUrl?: string | undefined;
  settlementAccountId?: string | undefined;
  expirySeconds?: number | undefined;
}

/** The standard creation: a payment shown on the hosted widget, where the customer chooses the asset. */
export function createStandardIntent(merchant: Merchant, input: StandardInput): Intent {
  const amount = parseAmount(input.amount);
  if (amount === null) throw invalid('amount must be a positive decimal string');
  const type = input.requestedCurrencyType ?? (isFiat(input.currency) ? 'fiat' : 'crypto');
  if (type === 'fiat' && !isFiat(input.currency)) throw invalid('currency is no active fiat currency');
  const acceptedCoins = accepted(merchant, input, type);
  const assetCode = input.assetCode ?? null;
  if (assetCode !== null && !acceptedCoins.includes(assetCode)) throw invalid('assetCode is not among acceptedCoins');
  return addIntent(merchant, {
    amount,
    currencyRequested: input.currency,
    requestedCurrencyType: type,
    acceptedCoins,
    assetCode,
    source: input.source ?? 'api',
    merchantReference: input.merchantReference ?? null,
    metadata: input.metadata ?? null,
    invoiceId: input.invoiceId ?? null,
    productId: input.productId ?? null,
    posTerminalId: input.posTerminalId ?? null,
    customerEmail: input.customerEmail ?? null,
    customerRefundAddress: input.customerRefundAddress ?? null,
    returnUrl: input.returnUrl ?? null,
    settlementAccountId: input.settlementAccountId ?? null,
    expirySeconds: input.expirySeconds ?? merchant.service.settings.expirySeconds,
  });
}

/** A crypto amount can only be paid in its own coin; a fiat amount in any active one that the market can price. */
function accepted(merchant: Merchant, input: StandardInput, type: 'fiat' | 'crypto'): string[] {
  const active = ASSETS.filter(({ assetCode }) => !merchant.inactiveAssets.has(assetCode));
  const fitting = active.filter(({ assetCode, code, usdRate }) =>
    type === 'fiat' ? usdRate > 0n : assetCode === input.currency || code === input.currency,
  );
  if (fitting.length === 0) throw invalid('currency is unknown');
  const wanted = input.acceptedCoins ?? fitting.map(({ assetCode }) => assetCode);
  if (wanted.length === 0) throw invalid('acceptedCoins: one at least');
  for (const code of wanted) {
    if (!findAsset(code) || !fitting.some(({ assetCode }) => assetCode === code))
      throw invalid(`acceptedCoins: ${code} is not available`);
  }
  return [...wanted];
}
