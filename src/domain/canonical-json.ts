import { hash } from 'node:crypto';
import { isLosslessNumber } from 'lossless-json';
import type { Json } from './json.js';

/** What JSON writes as it is, between quotes: most strings, at half the price of asking JSON.stringify. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Those of the specification are some two hundred; a sender may make up ever new ones. */
const MOST_KEYS = 2_000;
const LONGEST_KEY = 100;
const keyTexts = new Map<string, string>();

/**
 * One text per JSON value: keys sorted by UTF-16 code unit, no white space, numbers kept as they were written (`1.0` is
 * not `1`), NUL and lone surrogates escaped. Two values have the same text only if they are equal, so it is fit to hash.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (isLosslessNumber(value)) return value.toString();
  if (Array.isArray(value)) return `[${itemsText(value)}]`;
  if (typeof value !== 'object') throw new TypeError(`Not a JSON value with lossless numbers: ${typeof value}`);
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) text += `${text === '' ? '' : ','}${keyText(key)}${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** So many items become one text at a time: tens of thousands of small ones at once are most of the work to throw away. */
const ITEMS_AT_ONCE = 500;

function itemsText(items: readonly Json[]): string {
  if (items.length <= ITEMS_AT_ONCE) return items.map(canonicalJson).join(',');
  const parts: string[] = [];
  for (let at = 0; at < items.length; at += ITEMS_AT_ONCE) parts.push(itemsText(items.slice(at, at + ITEMS_AT_ONCE)));
  return parts.join(',');
}

/** Whether two values are equal, whatever the order of their keys. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  return typeof a === 'object' && typeof b === 'object' && canonicalJson(a) === canonicalJson(b);
}

/** SHA-256 of the canonical text, in lowercase hex. */
export const canonicalHash = (value: Json): string => hashOfText(canonicalJson(value));

/** With its colon. Records have few keys, and each of them many times. */
function keyText(key: string): string {
  const known = keyTexts.get(key);
  if (known !== undefined) return known;
  const text = `${quote(key)}:`;
  if (keyTexts.size < MOST_KEYS && key.length <= LONGEST_KEY) keyTexts.set(key, text);
  return text;
}

const quote = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

export const hashOfText = (text: string): string => hash('sha256', text, 'hex');
