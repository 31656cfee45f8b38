import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { ASSET_CODE } from '../domain/asset-code.js';
import { isDay } from '../domain/books/posting-month.js';
import { isAmount } from '../domain/money.js';

const AMOUNT = 'is to be a decimal string: 1 to 18 digits, then up to 18 decimals';
const KEY_RULE = 'is to be of letters, digits and _ . - :';
/** Our own: the key is written down before the call, where an index holds it. */
export const LONGEST_KEY = 255;

/** A text of `least` to `most` characters. */
export function text(most?: number, least = 1): z.ZodString {
  const rule = most === undefined ? 'is to be a text, not empty' : `is to be a text of ${least} to ${most} characters`;
  const string = z.string(rule).min(least, rule);
  return most === undefined ? string : string.max(most, rule);
}

export const flag = z.boolean('is to be true or false');

export function oneOf<const V extends readonly [string, ...string[]]>(...values: V) {
  return z.enum(values, `is to be one of ${values.join(', ')}`);
}

/** Specification 4: strictly greater than zero. */
export const amount = z
  .string(`${AMOUNT}, greater than zero`)
  .refine((given) => isAmount(given) && /[1-9]/.test(given), `${AMOUNT}, greater than zero`);

/** Specification 8: a refund's may be zero. */
export const refundAmount = z.string(AMOUNT).refine(isAmount, AMOUNT);

const ASSET_RULE = 'is to be 1 to 32 of uppercase letters, digits and _ . -';
/** Specification 4.4, 4.6. */
export const assetCode = z.string(ASSET_RULE).regex(new RegExp(ASSET_CODE), ASSET_RULE);

const TOTP_RULE = 'is to be exactly 6 digits';
export const totpCode = z.string(TOTP_RULE).regex(/^\d{6}$/, TOTP_RULE);

/** Specification 4.4, 4.6. */
export const narrowKey = (most: number): z.ZodString => text(most).regex(/^[\w.:-]+$/, KEY_RULE);

/** Numbers of a JSON text read without loss of digits are whole numbers too. */
export function wholeNumber(least: number) {
  const rule = `is to be a whole number, ${least} or more`;
  const isWhole = (given: unknown) => {
    const value = given instanceof LosslessNumber && /^\d+$/.test(given.value) ? Number(given.value) : given;
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
  };
  return z.custom<number>(isWhole, rule);
}

const ISO = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

const TIME_RULE = 'is to be a time of ISO 8601, such as 2026-10-31T12:00:00Z';
export const isoTime = z.string(TIME_RULE).refine(isIsoTime, TIME_RULE);

/** Date.parse takes the 30th of February for the 2nd of March. */
function isIsoTime(given: string): boolean {
  const day = ISO.exec(given)?.[1];
  return day !== undefined && isDay(day) && !Number.isNaN(Date.parse(given));
}

export const freeObject = z.record(z.string(), z.unknown(), 'is to be an object');
