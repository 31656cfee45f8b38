import { createHash } from 'node:crypto';
import { isLosslessNumber } from 'lossless-json';
import type { Json } from './json.js';

/**
 * One text per JSON value: keys sorted by UTF-16 code unit, no white space, numbers kept as they were written (`1.0` is
 * not `1`), NUL and lone surrogates escaped. Two values have the same text only if they are equal, so it is fit to hash.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (isLosslessNumber(value)) return value.toString();
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`Not a JSON value with lossless numbers: ${typeof value}`);
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** SHA-256 of the canonical text, in lowercase hex. */
export function canonicalHash(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
