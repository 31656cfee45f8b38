import type { Json } from '../../domain/json.js';
import { storedBytes } from './database-text.js';

/** An index entry of Postgres holds no more than 2,704 bytes. A longer text is kept in the record, but not searched by. */
export const LONGEST_KEY_BYTES = 1_000;

/** Of one unit of a string, where it is escaped. */
const MOST_BYTES = 7;

/** The text that an indexed column holds of a value; null where it is no string, or too long for an index. */
export function keyText(value: Json | undefined): string | null {
  if (typeof value !== 'string') return null;
  return value.length * MOST_BYTES > LONGEST_KEY_BYTES && storedBytes(value) > LONGEST_KEY_BYTES ? null : value;
}

/** The id where a row can have it. */
export function usableId(id: string | null): string | null {
  return id === null || id === '' || keyText(id) === null ? null : id;
}
