import { isSignedAmount } from '../money.js';

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
const SHOWN = 2;
const CENT = 10n ** BigInt(EXACT - SHOWN);

/** What lines are worth: exact until here, rounded once (half to even). Rounded values may not balance: hence the residual. */
export function fiatReport(
  /** Of many lines; `value`: exact, null where none has a rate. */
  values: readonly { account: string; value: string | null; unpriced: number }[],
): FiatReport {
  const sums = new Map<string, bigint>();
  for (const { account, value } of values)
    if (value !== null) sums.set(account, (sums.get(account) ?? 0n) + exactUnits(value));
  const rows = [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([account, exact]) => ({ account, cents: centsOf(exact) }));
  const total = centsOf([...sums.values()].reduce((a, b) => a + b, 0n));
  return {
    accounts: rows.map(({ account, cents }) => ({ account, value: text(cents, SHOWN) })),
    residual: text(total - rows.reduce((sum, { cents }) => sum + cents, 0n), SHOWN),
    total: text(total, SHOWN),
    unpriced: values.reduce((sum, { unpriced }) => sum + unpriced, 0),
  };
}

/** What one amount is worth, exact: up to 36 decimals. */
export function exactValue(amount: string, rate: string): string {
  return exactText(units(amount) * units(rate));
}

/** What exact values (up to 36 decimals) add up to, exact. */
export function sumExactValues(values: Iterable<string>): string {
  let sum = 0n;
  for (const value of values) sum += exactUnits(value);
  return exactText(sum);
}

/** An exact value as a report shows it: two decimals, rounded once, half to even. */
export function roundedValue(value: string): string {
  return text(centsOf(exactUnits(value)), SHOWN);
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

function centsOf(exact: bigint): bigint {
  const size = exact < 0n ? -exact : exact;
  const [whole, rest] = [size / CENT, size % CENT];
  const isUp = rest * 2n > CENT || (rest * 2n === CENT && whole % 2n === 1n);
  const result = isUp ? whole + 1n : whole;
  return exact < 0n ? -result : result;
}

function exactText(value: bigint): string {
  return text(value, EXACT).replace(/\.?0+$/, '') || '0';
}

function text(value: bigint, decimals: number): string {
  const size = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  return `${value < 0n ? '-' : ''}${size.slice(0, -decimals)}.${size.slice(-decimals)}`;
}
