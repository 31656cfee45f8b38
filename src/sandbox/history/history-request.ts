import { addressOf } from '../assets/address.js';
import { amountOf, ONE } from '../base/money.js';
import { type Draw, drawsOf, hexOf, pick } from '../base/random.js';
import type { Links } from '../payments/intent.js';
import type { NewIntent } from '../payments/new-intent.js';
import type { Product } from '../products/product.js';
import type { SandboxSettings } from '../settings.js';
import type { PastPayment } from './history-plan.js';

const FIATS: readonly [string, ...string[]] = ['USD', 'EUR', 'XOF', 'NGN'];
const COINS: readonly [string, ...string[]] = ['USDT.TRC20', 'USDT.ERC20', 'BTC', 'ETH', 'XRP.XRPL', 'LTC'];
/** Six of ten came through the API, one from an invoice where there are enough of them. */
const OTHER_SOURCES: readonly [string, ...string[]] = ['dashboard', 'product', 'pos'];
const MOST_FROM_INVOICES = 0.1;
/** Of the invoices of the past so many were opened, so that there is a payment. */
const OPENED = 0.85;

const DRAWN = ['source', 'coin', 'fiat', 'amount', 'more'] as const;

export interface RequestDraws extends Record<(typeof DRAWN)[number], Draw> {
  seed: number;
  /** Share of the payments that came from an invoice. */
  fromInvoices: number;
  products: readonly Product[];
}

export interface RequestInput {
  seed: number;
  /** How many payments and invoices the past has. */
  count: number;
  invoices: number;
  products: readonly Product[];
}

export function createRequestDraws({ seed, count, invoices, products }: RequestInput): RequestDraws {
  return {
    seed,
    ...drawsOf(seed, 'history', DRAWN),
    fromInvoices: Math.min(MOST_FROM_INVOICES, (OPENED * invoices) / Math.max(count, 1)),
    products,
  };
}

export interface PastChoice {
  source: string;
  coin: string;
  product: Product | null;
}

export function pastChoice(draws: RequestDraws, past: PastPayment, position: number): PastChoice {
  const source = sourceOf(draws, past, draws.source(position));
  const { products } = draws;
  const product = source === 'product' ? (products[Math.floor(draws.more(position) * products.length)] ?? null) : null;
  return { source, coin: product?.assetCode ?? pick(COINS, draws.coin(position)), product };
}

/** Only invoices stay open for long. */
function sourceOf({ fromInvoices }: RequestDraws, past: PastPayment, draw: number): string {
  if (past.longOpen) return fromInvoices > 0 ? 'invoice' : 'dashboard';
  if (draw < 0.6) return 'api';
  if (draw >= 1 - fromInvoices) return 'invoice';
  return pick(OTHER_SOURCES, (draw - 0.6) / (0.4 - fromInvoices));
}

/** The records that the past payment came from. */
export function pastLinks(draws: RequestDraws, { source, product }: PastChoice, position: number): Links {
  return {
    invoiceId: source === 'invoice' ? `inv_${hexOf(draws.seed, 'history-invoice', position, 24)}` : null,
    productId: product?.id ?? null,
    posTerminalId: source === 'pos' ? `pos_${Math.floor(draws.more(position) * 5)}` : null,
  };
}

/** What was asked for when the past payment was created. */
export function pastRequest(
  { settings }: { settings: SandboxSettings },
  draws: RequestDraws,
  past: PastPayment,
  position: number,
): NewIntent {
  const choice = pastChoice(draws, past, position);
  const { source, coin } = choice;
  return {
    ...pastPrice(draws, choice, position),
    assetCode: null,
    source,
    merchantReference: source === 'pos' ? null : `past-${String(position).padStart(7, '0')}`,
    metadata: position % 5 === 0 ? `{"cart":${position},"note":"n° ${position}"}` : null,
    ...pastLinks(draws, choice, position),
    customerEmail: position % 2 === 0 ? `customer${position}@example.com` : null,
    customerRefundAddress: position % 4 === 0 ? addressOf(draws.seed, 'past-customer', position, coin) : null,
    returnUrl: null,
    settlementAccountId: null,
    expirySeconds: past.longOpen ? 90 * 86_400 : settings.expirySeconds,
  };
}

type Price = Pick<NewIntent, 'amount' | 'currencyRequested' | 'requestedCurrencyType' | 'acceptedCoins'>;

function pastPrice(draws: RequestDraws, { source, coin, product }: PastChoice, position: number): Price {
  // The currency of an invoice is a fiat one (specification 4.2).
  const fiat = product ? product.assetCode === null : source === 'invoice' || draws.fiat(position) < 0.6;
  const cents = BigInt(100 + Math.floor(draws.amount(position) * 50_000));
  const currency = product?.currency ?? pick(FIATS, draws.more(position));
  return {
    amount: product ? amountOf(product.amount) : (cents * ONE) / (fiat ? 100n : 10_000n),
    currencyRequested: fiat ? currency : coin,
    requestedCurrencyType: fiat ? 'fiat' : 'crypto',
    acceptedCoins: fiat ? [coin, 'USDC.POLYGON'] : [coin],
  };
}
