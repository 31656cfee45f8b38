import type { Json } from '../../domain/json.js';

/** Never part of a character, so hardly ever part of a string: what it starts is an escape. */
const ESCAPE = '\uFFFF';
const EACH_UNSTORABLE = /[\0\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const EACH_ESCAPED = /\uFFFF([0-9a-f]{4})/g;
/** Of a JSON text: an escaped NUL or lone surrogate, behind an even number of backslashes. */
const EACH_UNSTORABLE_IN_JSON = /(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})/g;

/**
 * A text that Postgres can hold, for any string: NUL and lone surrogates are escaped, everything else stays as it is.
 * Injective: two different strings never become one key. Undone by `fromDatabaseText`. Called by what goes between us and
 * the driver of the database alone (decision 0019).
 */
export function toDatabaseText(text: string): string {
  if (text.isWellFormed() && !text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replace(EACH_UNSTORABLE, (unit) => ESCAPE + unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

export function fromDatabaseText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replace(EACH_ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The value of a column of type jsonb, whose strings are escaped as texts are. */
export function fromDatabaseJson(stored: string): unknown {
  return JSON.parse(stored.includes(ESCAPE) ? stored.replace(EACH_ESCAPED, '\\u$1') : stored);
}

/**
 * JSON text that the database made of strings that are escaped as texts are, where the driver left them so: as `JSON.stringify`
 * writes them.
 */
export function jsonFromDatabase(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replace(EACH_ESCAPED, (_, code: string) => (code === 'ffff' ? ESCAPE : `\\u${code}`));
}

/**
 * The text of a value for a column of type jsonb, which refuses `\u0000` and lone surrogates even as escapes of JSON: they
 * stand in it as they are, and are escaped on the way to the database as in any text.
 */
export function jsonbText(value: unknown): string {
  return JSON.stringify(value).replace(
    EACH_UNSTORABLE_IN_JSON,
    (_, before: string, code: string) => before + String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Reads what `jsonbText` wrote, where a column of type text holds it. */
export const fromJsonbText = (text: string): unknown => JSON.parse(text.replaceAll('\0', '\\u0000'));

/** How long a text is in the database, in bytes. */
export const storedBytes = (text: string): number => Buffer.byteLength(toDatabaseText(text));

/** A text that is stored as it is, to the byte: a value of a statement, or an element of `textArray`. No plain object: knex makes JSON of those. */
export class Verbatim {
  /** As knex wants it of a value. */
  [name: string]: unknown;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** What pg sends for it. */
  toPostgres(): string {
    return this.text;
  }
}

/**
 * JSON text that is stored as it is, and comes back as it is: JSON has escapes of its own. So stand columns of type json, and
 * those of JSON text that `TextClient` names; another column of text needs nothing, since whatever is sent comes back as it was.
 */
export function verbatim(text: string): Verbatim;
export function verbatim(text: string | null): Verbatim | null;
export function verbatim(text: string | null): Verbatim | null {
  return text === null ? null : new Verbatim(text);
}

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
