import { isLosslessNumber, isSafeNumber, type LosslessNumber, parse, stringify } from 'lossless-json';

/** A JSON value whose numbers keep every digit they were written with. */
export type Json = null | boolean | string | LosslessNumber | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** A JSON value as JavaScript has it; a number that it can't hold is its text. */
export type PlainJson = null | boolean | number | string | PlainJson[] | { [key: string]: PlainJson };

/** What `plain` makes of a value: only the fields that are named, and any of an object that is free. */
export type Plain<T> = [Json] extends [T] ? PlainJson | (undefined extends T ? undefined : never) : PlainPart<T>;
type PlainPart<T> = T extends null | undefined | boolean | number | string
  ? T
  : T extends LosslessNumber
    ? number | string
    : T extends readonly (infer Item)[]
      ? Plain<Item>[]
      : [keyof Named<T>] extends [never]
        ? { [key: string]: Plain<T[keyof T]> }
        : { [Name in keyof Named<T>]: Plain<Named<T>[Name]> };
/** Without the fields that have no name. */
export type Named<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] };

/**
 * The same value without lossless numbers, for whoever knows JSON as JavaScript has it. A number that a double would change
 * (more digits than it holds, too large, too small) comes as its text, a string, digit for digit.
 */
export const plain = <T>(value: T): Plain<T> => plainValue(value) as Plain<T>;

function plainValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isLosslessNumber(value)) return isSafeNumber(value.value) ? Number(value.value) : value.value;
  if (Array.isArray(value)) return value.map(plainValue);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainValue(part)]));
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** A field's value; undefined where the object has no such field of its own. */
export function ownField(fields: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** In text as `toJsonText` and Postgres write it a number stands first or follows `":`, `,` or `[`. A string may look like that too: no harm. */
const MAY_HOLD_NUMBER = /(?:^|":|[,[]) ?-?\d/;

export const mayHoldNumber = (text: string): boolean => MAY_HOLD_NUMBER.test(text);

/**
 * JSON text that can be stored: numbers keep their digits, NUL and lone surrogates are escaped. No white space.
 * The lossless writer and parser are many times slower than the built-in ones, so they are asked only where there are
 * numbers.
 */
export function toJsonText(value: Json | object): string {
  const text = holdsNumber(value) ? stringify(value) : JSON.stringify(value);
  if (text === undefined) throw new TypeError('Not a JSON value');
  return text;
}

/** Reads what `toJsonText` wrote. */
export const fromJsonText = (text: string): Json => (mayHoldNumber(text) ? parse(text) : JSON.parse(text)) as Json;

/** The same, of a text that is known to hold an object. */
export const objectFromJsonText = (text: string): JsonObject => fromJsonText(text) as JsonObject;

function holdsNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsNumber);
  return isLosslessNumber(value) || Object.values(value).some(holdsNumber);
}
