import { amountOf, ONE, roundDown, roundUp } from '../base/money.js';
import { invalid, Refusal } from '../base/refusal.js';
import type { Asset } from './assets.js';
import type { Rates } from './rates.js';

interface Fiat {
  /** US dollars for one unit. */
  usd: bigint;
  isActive: boolean;
}

const fiat = (usd: string): Fiat => ({ usd: amountOf(usd), isActive: true });

const FIATS: ReadonlyMap<string, Fiat> = new Map([
  ['USD', fiat('1')],
  ['EUR', fiat('1.08')],
  ['GBP', fiat('1.27')],
  ['XOF', fiat('0.00165')],
  ['NGN', fiat('0.00063')],
  ['ARS', { ...fiat('0.00075'), isActive: false }],
]);

/** An active fiat currency, by its ISO 4217 code. */
export const isFiat = (code: string): boolean => FIATS.get(code)?.isActive === true;

export interface Conversion {
  rates: Rates;
  at: number;
  currency: string;
  asset: Asset;
}

/** What must be sent so that the fiat amount is met at the rate of the moment: rounded up to what the chain can carry. */
export function cryptoToAsk(amount: bigint, conversion: Conversion): bigint {
  const { usd, rate } = parts(amount, conversion);
  return bounded(roundUp((usd + rate - 1n) / rate, conversion.asset.decimals));
}

/** What the fiat amount buys at the rate of the moment: rounded down to what the chain can carry. */
export function cryptoToSend(amount: bigint, conversion: Conversion): bigint {
  const { usd, rate } = parts(amount, conversion);
  return bounded(roundDown(usd / rate, conversion.asset.decimals));
}

/** The crypto amount in the fiat currency, rounded down to cents. */
export function fiatValue(amount: bigint, conversion: Conversion): bigint {
  return roundDown((amount * rateOf(conversion)) / usdOf(conversion.currency), 2);
}

/** Amounts have 18 integer digits at most, also those that a rate makes. */
function bounded(amount: bigint): bigint {
  if (amount < LARGEST) return amount;
  throw new Refusal(400, 'AMOUNT_TOO_LARGE', 'the amount is worth more than can be written');
}

const LARGEST = 10n ** 18n * ONE;

function parts(amount: bigint, conversion: Conversion): { usd: bigint; rate: bigint } {
  return { usd: amount * usdOf(conversion.currency), rate: rateOf(conversion) };
}

function rateOf({ rates, asset, at }: Conversion): bigint {
  const rate = rates.usd(asset, at);
  if (rate === null) throw new Refusal(409, 'ASSET_NOT_PRICED', `the market can't price ${asset.assetCode}`);
  return rate;
}

function usdOf(currency: string): bigint {
  const found = FIATS.get(currency);
  if (!found) throw invalid(`${currency} is no fiat currency`);
  return found.usd;
}
