import { parse, stringify } from 'lossless-json';
import type { Json, JsonObject } from '../domain/json.js';

/** In text without white space a number follows `":`, `,` or `[`. A string may look like that too: no harm. */
const MAY_HOLD_NUMBER = /(?:":|[,[])-?\d/;

/** JSON text for a `text` column: numbers keep their digits, NUL and lone surrogates are escaped. No white space. */
export function toJsonText(value: Json | object): string {
  const text = stringify(value);
  if (text === undefined) throw new TypeError('Not a JSON value');
  return text;
}

/** Reads what `toJsonText` wrote. The lossless parser is ten times slower: it is asked only where there are numbers. */
export function fromJsonText(text: string): Json {
  return (MAY_HOLD_NUMBER.test(text) ? parse(text) : JSON.parse(text)) as Json;
}

/** The same, of a text that is known to hold an object. */
export function objectFromJsonText(text: string): JsonObject {
  return fromJsonText(text) as JsonObject;
}
