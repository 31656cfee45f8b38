import type { JsonObject } from '../json.js';
import { compareAmounts, divideAmounts, isAmount, isZero } from '../money.js';
import { textField } from '../records.js';
import { momentOf } from '../service-time.js';
import { exactRate } from './fiat-report.js';

type RateSource = 'file' | 'payment' | 'service';

/** What one unit of an asset was worth in the reporting currency, or why that is not known. */
export type Valuation =
  | { rate: string; source: RateSource; rateAt: number; reason: null }
  | { rate: null; source: null; rateAt: null; reason: string };

export interface Rate {
  /** Decimal string above zero; null: the market could not price it then. */
  rate: string | null;
  /** Milliseconds. */
  at: number;
}

export interface RatesKnown {
  assetCode: string;
  currency: string;
  /** When the entry happened; milliseconds. */
  at: number;
  /** Of a file that finance gave, for the entry's day. */
  file: Rate | null;
  /** By which the service converted the payment itself. */
  payment: Rate | null;
  /** The newest that the service showed until then, in US dollars. */
  service: Rate | null;
}

/** A rate that is older says nothing of the day any more. */
const OLDEST_MS = 86_400_000;

/** Finance's own rate before the payment's, that before the market's. None is made up, by an asset's name or of another day. */
export function chooseRate({ assetCode, currency, at, file, payment, service }: RatesKnown): Valuation {
  if (assetCode === currency) return { rate: '1', source: 'payment', rateAt: at, reason: null };
  if (isPriced(file)) return valued(file, 'file');
  if (isPriced(payment)) return valued(payment, 'payment');
  if (currency !== 'USD') return unpriced(`no rate of ${assetCode} in ${currency} was given for that day`);
  if (service === null) return unpriced(`the service had shown no rate of ${assetCode} by then`);
  if (!isPriced(service)) return unpriced(`the service could not price ${assetCode} then`);
  if (at - service.at > OLDEST_MS) return unpriced(`the newest rate of ${assetCode} was more than a day old`);
  return valued(service, 'service');
}

/** What a day left on one account, as it is carried there: sums of its lines. */
export interface Carried {
  /** Signed decimal string. */
  amount: string;
  /** Exact (up to 36 decimals): each amount by its rate. */
  value: string;
  /** Rates of its lines: the smallest, the greatest, and that of the last. */
  low: string;
  high: string;
  last: string;
  source: RateSource;
  /** Milliseconds. */
  at: number;
}

/**
 * What is moved on is worth what it is carried at, so that nothing of its value stays behind. Where parts of opposite signs make that no
 * rate of the day, it is the last one's.
 */
export function carriedRate({ amount, value, low, high, last, source, at }: Carried): Valuation {
  const rate = isZero(amount) ? last : exactRate(value, amount);
  const isOfTheDay = compareAmounts(rate, low) >= 0 && compareAmounts(rate, high) <= 0;
  return valued({ rate: isOfTheDay ? rate : last, at }, source);
}

/** The rate that a payment asked for in fiat was converted at (specification 2.1); null: in another currency, or not shown. */
export function rateOfPayment(fields: JsonObject, assetCode: string, currency: string): Rate | null {
  const [fiat, crypto] = [fields['amountRequested'], fields['amountCryptoExpected']];
  const at = momentOf(fields['createdAt']);
  if (textField(fields, 'requestedCurrencyType') !== 'fiat' || textField(fields, 'currencyRequested') !== currency)
    return null;
  if (textField(fields, 'assetCode') !== assetCode || at === null || !isAmount(fiat) || !isAmount(crypto)) return null;
  if (compareAmounts(crypto, '0') <= 0 || compareAmounts(fiat, '0') <= 0) return null;
  const rate = divideAmounts(fiat, crypto, 'half_even');
  return compareAmounts(rate, '0') > 0 ? { rate, at } : null;
}

function isPriced(rate: Rate | null): rate is { rate: string; at: number } {
  return rate !== null && rate.rate !== null && compareAmounts(rate.rate, '0') > 0;
}

function valued({ rate, at }: { rate: string; at: number }, source: RateSource): Valuation {
  return { rate, source, rateAt: at, reason: null };
}

const unpriced = (reason: string): Valuation => ({ rate: null, source: null, rateAt: null, reason });
