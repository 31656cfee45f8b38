import { isTotal } from '../money.js';

/** Of many lines: their exact value (null: none has a rate), and how many have no rate. */
export interface FiatReport {
  /** In the order of their names; rounded. */
  accounts: { account: string; value: string }[];
  /** What rounding each account by itself makes of a sum that is zero: the rows and this are exactly `total`. */
  residual: string;
  total: string;
  /** Lines that no rate is known of; they are in none of the figures. */
  unpriced: number;
}

/** An amount and a rate have 18 decimals at most. */
const EXACT = 36;

/** How many decimals money of a currency has (ISO 4217): JPY 0, EUR 2, KWD 3. */
export function currencyDecimals(currency: string): number {
  const known = decimals.get(currency);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  const shown = format.maximumFractionDigits ?? 2;
  decimals.set(currency, shown);
  return shown;
}

const decimals = new Map<string, number>();

/**
 * What lines are worth: exact until here, rounded once (half to even) to the currency's decimals. Rounded values may not balance:
 * hence the residual.
 */
export function fiatReport(
  /** Of many lines; `value`: exact, null where none has a rate. */
  values: readonly { account: string; value: string | null; unpriced: number }[],
  currency: string,
): FiatReport {
  const sums = new Map<string, bigint>();
  for (const { account, value } of values)
    if (value !== null) sums.set(account, (sums.get(account) ?? 0n) + exactUnits(value));
  const shown = currencyDecimals(currency);
  const rows = [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([account, exact]) => ({ account, rounded: roundedUnits(exact, shown) }));
  const total = roundedUnits(
    [...sums.values()].reduce((a, b) => a + b, 0n),
    shown,
  );
  return {
    accounts: rows.map(({ account, rounded }) => ({ account, value: text(rounded, shown) })),
    residual: text(total - rows.reduce((sum, { rounded }) => sum + rounded, 0n), shown),
    total: text(total, shown),
    unpriced: values.reduce((sum, { unpriced }) => sum + unpriced, 0),
  };
}

/**
 * Rounds lines of accounts one after the other, so that what an account's lines come to is what `fiatReport` shows of it: each is
 * the growth of the account's rounded sum, and less than a unit of the last decimal from its own value.
 */
export class LineRounding {
  private readonly sums = new Map<string, bigint>();
  private readonly shown: number;

  constructor(currency: string) {
    this.shown = currencyDecimals(currency);
  }

  /** `value`: exact. Returns units of the currency's last decimal. */
  round(account: string, value: string): bigint {
    const before = this.sums.get(account) ?? 0n;
    const after = before + exactUnits(value);
    this.sums.set(account, after);
    return roundedUnits(after, this.shown) - roundedUnits(before, this.shown);
  }

  text(units: bigint): string {
    return text(units, this.shown);
  }
}

/** What one amount is worth, exact: up to 36 decimals. */
export const exactValue = (amount: string, rate: string): string => exactText(units(amount) * units(rate));

/** The rate (18 decimals, half to even) by which an amount, which is not zero, is worth an exact value. */
export function exactRate(value: string, amount: string): string {
  return shortest(text(quotient(exactUnits(value) * 10n ** BigInt(EXACT / 2), exactUnits(amount)), EXACT / 2));
}

/** What exact values (up to 36 decimals) add up to, exact. */
export function sumExactValues(values: Iterable<string>): string {
  let sum = 0n;
  for (const value of values) sum += exactUnits(value);
  return exactText(sum);
}

export const negatedValue = (value: string): string => exactText(-exactUnits(value));

/** An exact value as a report shows it: with the currency's decimals, rounded once, half to even. */
export function roundedValue(value: string, currency: string): string {
  const shown = currencyDecimals(currency);
  return text(roundedUnits(exactUnits(value), shown), shown);
}

function exactUnits(value: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,36}))?$/.exec(value) ?? [];
  if (whole === undefined) throw new TypeError('a value is a signed decimal string');
  const size = BigInt(whole + fraction.padEnd(EXACT, '0'));
  return sign === '-' ? -size : size;
}

function units(amount: string): bigint {
  if (!isTotal(amount)) throw new TypeError('an amount is a signed decimal string');
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(EXACT / 2, '0'));
  return amount.startsWith('-') ? -size : size;
}

/** In units of the last of `shown` decimals. */
const roundedUnits = (exact: bigint, shown: number): bigint => quotient(exact, 10n ** BigInt(EXACT - shown));

/** Rounded half to even. */
function quotient(dividend: bigint, divisor: bigint): bigint {
  const [size, by] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const [whole, rest] = [size / by, size % by];
  const isUp = rest * 2n > by || (rest * 2n === by && whole % 2n === 1n);
  const result = isUp ? whole + 1n : whole;
  return dividend < 0n === divisor < 0n ? result : -result;
}

const exactText = (value: bigint): string => shortest(text(value, EXACT));

const shortest = (decimal: string): string => decimal.replace(/\.?0+$/, '') || '0';

function text(value: bigint, decimals: number): string {
  const size = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return `${value < 0n ? '-' : ''}${size}`;
  return `${value < 0n ? '-' : ''}${size.slice(0, -decimals)}.${size.slice(-decimals)}`;
}
