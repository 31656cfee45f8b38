import type { Json } from '../../domain/json.js';
import { toDatabaseText } from './database-text.js';

/** An index entry of Postgres holds no more than 2,704 bytes. A longer text is kept in the record, but not searched by. */
export const LONGEST_KEY_BYTES = 1_000;

/** The text that an indexed column holds of a value; null where it is no string, or too long for an index. */
export function keyText(value: Json | undefined): string | null {
  if (typeof value !== 'string') return null;
  const text = toDatabaseText(value);
  return text.length * 3 > LONGEST_KEY_BYTES && Buffer.byteLength(text) > LONGEST_KEY_BYTES ? null : text;
}

/** The id where a row can have it. */
export function usableId(id: string | null): string | null {
  return id === null || id === '' || keyText(id) === null ? null : id;
}
