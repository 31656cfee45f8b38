import { Decimal } from 'decimal.js';

const AMOUNT = /^\d{1,18}(\.\d{1,18})?$/;
const SIGNED_AMOUNT = /^-?\d{1,18}(\.\d{1,18})?$/;
const TOTAL = /^-?\d{1,60}(\.\d{1,18})?$/;
/** What arithmetic takes: a sum of amounts may have more integer digits than an amount. */
const TERM = /^(-?)(\d+)(?:\.(\d{1,18}))?$/;

const SCALE = 18;
const ONE = 10n ** BigInt(SCALE);
/** Two numbers of 30 + 18 digits multiply exactly within the precision of 100. */
const MAX_FACTOR_DIGITS = 30;
/** Room for a product to be divided again. */
const MAX_DIVISION_DIGITS = 60;

/** Nothing of decimal.js's global defaults reaches us: it rounds to 20 digits and writes 1e-18. */
const Exact = Decimal.clone({ precision: 100, toExpNeg: -9e15, toExpPos: 9e15, defaults: true });

const roundings = { down: Decimal.ROUND_DOWN, half_even: Decimal.ROUND_HALF_EVEN } as const;

/** Which way a product or quotient is rounded to 18 decimals. */
export type Rounding = keyof typeof roundings;

/** Something that is not an amount stood where one belongs. The message quotes it. */
export class AmountError extends Error {
  override readonly name = 'AmountError';
}

/** An amount as the service writes it: a string of 1 to 18 digits, then up to 18 decimals (specification section 8). */
export function isAmount(value: unknown): value is string {
  return typeof value === 'string' && AMOUNT.test(value);
}

/** An amount that may be negative: a movement or a difference. */
export function isSignedAmount(value: unknown): value is string {
  return typeof value === 'string' && SIGNED_AMOUNT.test(value);
}

/** What many amounts add up to: a balance may have more integer digits than any amount. */
export function isTotal(value: unknown): value is string {
  return typeof value === 'string' && TOTAL.test(value);
}

/** The one way to write a value: no leading or trailing zeros, no negative zero. */
export const normalizeAmount = (amount: string): string => fromUnits(toUnits(amount));

export const addAmounts = (a: string, b: string): string => fromUnits(toUnits(a) + toUnits(b));

export const subtractAmounts = (a: string, b: string): string => fromUnits(toUnits(a) - toUnits(b));

export const negated = (amount: string): string => fromUnits(-toUnits(amount));

/** Exact, whatever the length of the sum. The sum of nothing is "0". */
export function sumAmounts(amounts: Iterable<string>): string {
  const sum = new AmountSum();
  for (const amount of amounts) sum.add(amount);
  return sum.total();
}

/** The same while amounts come. */
export class AmountSum {
  #units = 0n;

  add(amount: string): void {
    this.#units += toUnits(amount);
  }

  total(): string {
    return fromUnits(this.#units);
  }
}

/** All that an amount can be less some of the others, each once; null: more than `most` of them. */
export function lessSomeOf(amount: string, others: readonly string[], most: number): ReadonlySet<string> | null {
  let found = new Set([toUnits(amount)]);
  for (const other of others) {
    const units = toUnits(other);
    const less = [...found].map((one) => one - units);
    found = new Set([...found, ...less]);
    if (found.size > most) return null;
  }
  return new Set([...found].map(fromUnits));
}

export function compareAmounts(a: string, b: string): -1 | 0 | 1 {
  const difference = toUnits(a) - toUnits(b);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/** The same value, however it is written; null, an amount that is not known, equals null alone. */
export function sameAmount(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : toUnits(a) === toUnits(b);
}

export const isZero = (amount: string): boolean => toUnits(amount) === 0n;

/** Rounded once, to so many decimals. */
export function multiplyAmounts(a: string, b: string, rounding: Rounding, decimals = SCALE): string {
  return rounded(decimal(a, MAX_FACTOR_DIGITS).times(decimal(b, MAX_FACTOR_DIGITS)), rounding, decimals);
}

/** The quotient, rounded once. Throws `AmountError` on a divisor of zero. */
export function divideAmounts(dividend: string, divisor: string, rounding: Rounding): string {
  const by = decimal(divisor, MAX_DIVISION_DIGITS);
  if (by.isZero()) throw new AmountError(`Division of ${quoted(dividend)} by zero`);
  return rounded(decimal(dividend, MAX_DIVISION_DIGITS).dividedBy(by), rounding);
}

/** So much of the amount as the part is of the whole, rounded down once. Throws `AmountError` where the whole is zero. */
export function shareOf(amount: string, part: string, whole: string): string {
  const by = decimal(whole, MAX_FACTOR_DIGITS);
  if (by.isZero()) throw new AmountError(`Division of ${quoted(part)} by zero`);
  const product = decimal(amount, MAX_FACTOR_DIGITS).times(decimal(part, MAX_FACTOR_DIGITS));
  return rounded(product.dividedBy(by), 'down');
}

function toUnits(amount: string): bigint {
  const [, sign, whole, fraction = ''] = parsed(amount);
  const units = BigInt(`${whole}${fraction.padEnd(SCALE, '0')}`);
  return sign === '-' ? -units : units;
}

function fromUnits(units: bigint): string {
  const size = units < 0n ? -units : units;
  const fraction = (size % ONE).toString().padStart(SCALE, '0').replace(/0+$/, '');
  const text = `${size / ONE}${fraction === '' ? '' : `.${fraction}`}`;
  return units < 0n ? `-${text}` : text;
}

function decimal(amount: string, maxDigits: number): Decimal {
  const [, , whole = ''] = parsed(amount);
  if (whole.length > maxDigits) throw new AmountError(`Too long to multiply or divide: ${quoted(amount)}`);
  return new Exact(amount);
}

function rounded(value: Decimal, rounding: Rounding, decimals = SCALE): string {
  return normalizeAmount(value.toFixed(decimals, roundings[rounding]));
}

function parsed(amount: string): RegExpExecArray {
  const match = typeof amount === 'string' ? TERM.exec(amount) : null;
  if (match === null) throw new AmountError(`Not an amount: ${quoted(amount)}`);
  return match;
}

function quoted(given: unknown): string {
  const text = typeof given === 'string' ? JSON.stringify(given) : `${typeof given} ${String(given)}`;
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
