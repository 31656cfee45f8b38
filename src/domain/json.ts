import { isLosslessNumber, type LosslessNumber, parse, stringify } from 'lossless-json';

/** A JSON value whose numbers keep every digit they were written with. */
export type Json = null | boolean | string | LosslessNumber | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** In text without white space a number stands first or follows `":`, `,` or `[`. A string may look like that too: no harm. */
const MAY_HOLD_NUMBER = /(?:^|":|[,[])-?\d/;

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
export function fromJsonText(text: string): Json {
  return (MAY_HOLD_NUMBER.test(text) ? parse(text) : JSON.parse(text)) as Json;
}

/** The same, of a text that is known to hold an object. */
export function objectFromJsonText(text: string): JsonObject {
  return fromJsonText(text) as JsonObject;
}

function holdsNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsNumber);
  return isLosslessNumber(value) || Object.values(value).some(holdsNumber);
}
