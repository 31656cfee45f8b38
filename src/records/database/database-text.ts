/** Never part of a character, so hardly ever part of a string: what it starts is an escape. */
const ESCAPE = '\uFFFF';
const UNSTORABLE = /[\0\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
const EACH_UNSTORABLE = new RegExp(UNSTORABLE, 'g');
const EACH_ESCAPED = /\uFFFF([0-9a-f]{4})/g;

/**
 * A text that Postgres can hold, for any string: NUL and lone surrogates are escaped, everything else stays as it is.
 * Injective: two different strings never become one key. Undone by `fromDatabaseText`.
 */
export function toDatabaseText(text: string): string {
  if (!UNSTORABLE.test(text)) return text;
  return text.replace(EACH_UNSTORABLE, (unit) => ESCAPE + unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

export function fromDatabaseText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replace(EACH_ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

export function toNullableText(text: string | null): string | null {
  return text === null ? null : toDatabaseText(text);
}

export function fromNullableText(stored: string | null): string | null {
  return stored === null ? null : fromDatabaseText(stored);
}
