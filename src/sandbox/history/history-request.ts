import { ONE } from '../base/money.js';
import { createDraw, type Draw, hexOf, pick } from '../base/random.js';
import type { Links } from '../payments/intent.js';
import type { NewIntent } from '../payments/new-intent.js';
import type { SandboxSettings } from '../settings.js';
import type { PastPayment } from './history-plan.js';

const FIATS: readonly [string, ...string[]] = ['USD', 'EUR', 'XOF', 'NGN'];
const COINS: readonly [string, ...string[]] = ['USDT.TRC20', 'USDT.ERC20', 'BTC', 'ETH', 'XRP.XRPL', 'LTC'];
/** Six of ten came through the API. */
const OTHER_SOURCES: readonly [string, ...string[]] = ['dashboard', 'product', 'pos', 'invoice'];

export interface RequestDraws {
  seed: number;
  source: Draw;
  coin: Draw;
  fiat: Draw;
  amount: Draw;
  more: Draw;
}

export function createRequestDraws(seed: number): RequestDraws {
  const draw = (what: string): Draw => createDraw(seed, `history-${what}`);
  return {
    seed,
    source: draw('source'),
    coin: draw('coin'),
    fiat: draw('fiat'),
    amount: draw('amount'),
    more: draw('more'),
  };
}

export interface PastChoice {
  source: string;
  coin: string;
}

export function pastChoice(draws: RequestDraws, past: PastPayment, position: number): PastChoice {
  const draw = draws.source(position);
  const source = draw < 0.6 ? 'api' : pick(OTHER_SOURCES, (draw - 0.6) / 0.4);
  return { source: past.longOpen ? 'invoice' : source, coin: pick(COINS, draws.coin(position)) };
}

/** The records that the past payment came from. */
export function pastLinks(draws: RequestDraws, { source }: PastChoice, position: number): Links {
  const more = draws.more(position);
  return {
    invoiceId: source === 'invoice' ? `inv_${hexOf(draws.seed, 'history-invoice', position, 24)}` : null,
    productId: source === 'product' ? `prod_${Math.floor(more * 20)}` : null,
    posTerminalId: source === 'pos' ? `pos_${Math.floor(more * 5)}` : null,
  };
}

/** What was asked for when the past payment was created. */
export function pastRequest(
  { settings }: { settings: SandboxSettings },
  draws: RequestDraws,
  past: PastPayment,
  position: number,
): NewIntent {
  const { source, coin } = pastChoice(draws, past, position);
  // The currency of an invoice is a fiat one (specification 4.2).
  const fiat = source === 'invoice' || draws.fiat(position) < 0.6;
  const cents = BigInt(100 + Math.floor(draws.amount(position) * 50_000));
  const more = draws.more(position);
  return {
    amount: (cents * ONE) / (fiat ? 100n : 10_000n),
    currencyRequested: fiat ? pick(FIATS, more) : coin,
    requestedCurrencyType: fiat ? 'fiat' : 'crypto',
    acceptedCoins: fiat ? [coin, 'USDC.POLYGON'] : [coin],
    assetCode: null,
    source,
    merchantReference: source === 'pos' ? null : `past-${String(position).padStart(7, '0')}`,
    metadata: position % 5 === 0 ? `{"cart":${position},"note":"n° ${position}"}` : null,
    ...pastLinks(draws, { source, coin }, position),
    customerEmail: position % 2 === 0 ? `customer${position}@example.com` : null,
    customerRefundAddress: null,
    returnUrl: null,
    settlementAccountId: null,
    expirySeconds: past.longOpen ? 90 * 86_400 : settings.expirySeconds,
  };
}
