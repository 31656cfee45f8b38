import { isSignedAmount } from '../money.js';

export interface ValuedLine {
  account: string;
  /** Signed decimal string. */
  amount: string;
  /** Null: unpriced. */
  rate: string | null;
}

export interface FiatReport {
  /** In the order of their names; rounded to the currency's decimals. */
  accounts: { account: string; value: string }[];
  /** What rounding each account by itself makes of a sum that is zero: the rows and this are exactly `total`. */
  residual: string;
  /** Of all lines together, rounded once. */
  total: string;
  /** Lines that no rate is known of; they are in none of the figures. */
  unpriced: number;
}

/** An amount and a rate have 18 decimals at most. */
const EXACT = 36;

/** Takes lines one by one, so that a report needs no memory for them. */
export interface FiatSums {
  add(line: ValuedLine): void;
  /** Of many lines: their exact value (null: none has a rate), and how many have no rate. */
  addSum(sum: { account: string; value: string | null; unpriced: number }): void;
  report(decimals?: number): FiatReport;
}

/**
 * What lines are worth, for a report: exact until here, and rounded once (half to even), here. Postings in balance may have
 * rounded values that are not: the residual is a row of its own.
 */
export function fiatReport(lines: Iterable<ValuedLine>, decimals = 2): FiatReport {
  const sums = fiatSums();
  for (const line of lines) sums.add(line);
  return sums.report(decimals);
}

export function fiatSums(): FiatSums {
  const sums = new Map<string, bigint>();
  let unpriced = 0;
  const add = ({ account, amount, rate }: ValuedLine): void => {
    if (rate === null) unpriced += 1;
    else sums.set(account, (sums.get(account) ?? 0n) + units(amount) * units(rate));
  };
  const addSum: FiatSums['addSum'] = ({ account, value, unpriced: without }) => {
    unpriced += without;
    if (value !== null) sums.set(account, (sums.get(account) ?? 0n) + exactUnits(value));
  };
  return { add, addSum, report: (decimals = 2) => reportOf(sums, { unpriced, decimals }) };
}

function reportOf(
  sums: ReadonlyMap<string, bigint>,
  { unpriced, decimals }: { unpriced: number; decimals: number },
): FiatReport {
  const rows = [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([account, exact]) => ({ account, value: rounded(exact, decimals) }));
  const total = rounded(
    [...sums.values()].reduce((a, b) => a + b, 0n),
    decimals,
  );
  const shown = rows.reduce((sum, { value }) => sum + value, 0n);
  return {
    accounts: rows.map(({ account, value }) => ({ account, value: text(value, decimals) })),
    residual: text(total - shown, decimals),
    total: text(total, decimals),
    unpriced,
  };
}

/** What one amount is worth, exact: up to 36 decimals. */
export function exactValue(amount: string, rate: string): string {
  return text(units(amount) * units(rate), EXACT).replace(/\.?0+$/, '') || '0';
}

/** What exact values (up to 36 decimals) add up to, exact. */
export function sumExactValues(values: Iterable<string>): string {
  let sum = 0n;
  for (const value of values) sum += exactUnits(value);
  return text(sum, EXACT).replace(/\.?0+$/, '') || '0';
}

/** An exact value as a report shows it: rounded once, half to even. */
export function roundedValue(value: string, decimals = 2): string {
  return text(rounded(exactUnits(value), decimals), decimals);
}

function exactUnits(value: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,36}))?$/.exec(value) ?? [];
  if (whole === undefined) throw new TypeError('a value is a signed decimal string');
  const size = BigInt(whole + fraction.padEnd(EXACT, '0'));
  return sign === '-' ? -size : size;
}

function units(amount: string): bigint {
  if (!isSignedAmount(amount)) throw new TypeError('an amount is a signed decimal string');
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(EXACT / 2, '0'));
  return amount.startsWith('-') ? -size : size;
}

/** In units of the last decimal shown. */
function rounded(exact: bigint, decimals: number): bigint {
  const one = 10n ** BigInt(EXACT - decimals);
  const size = exact < 0n ? -exact : exact;
  const [whole, rest] = [size / one, size % one];
  const isUp = rest * 2n > one || (rest * 2n === one && whole % 2n === 1n);
  const result = isUp ? whole + 1n : whole;
  return exact < 0n ? -result : result;
}

function text(value: bigint, decimals: number): string {
  const size = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const shown = decimals === 0 ? size : `${size.slice(0, -decimals)}.${size.slice(-decimals)}`;
  return value < 0n ? `-${shown}` : shown;
}
