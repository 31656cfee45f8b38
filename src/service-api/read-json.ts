import type { Json } from '../domain/json.js';
import { JsonTextError, MAX_DEPTH, parseJson } from '../domain/json-table/parse-json.js';

/** What an answer holds instead of JSON, said without repeating any of it. */
export class UnreadableError extends Error {
  constructor(found: string, options?: { cause?: unknown }) {
    super(found, options);
    this.name = 'UnreadableError';
  }
}

/** JSON whose numbers keep their digits. @throws {UnreadableError} */
export function readJson(bytes: Uint8Array): Json {
  if (bytes.byteLength === 0) throw new UnreadableError('an empty body');
  const text = decode(bytes);
  try {
    return parseJson(text, MAX_DEPTH);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    const found = /^\s*<(!doctype|html|\?xml)/i.test(text) ? 'an HTML or XML page' : `no JSON: ${error.message}`;
    throw new UnreadableError(`${found}, ${bytes.byteLength} bytes`, { cause: error });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UnreadableError(`no UTF-8 text, ${bytes.byteLength} bytes`, { cause });
  }
}
