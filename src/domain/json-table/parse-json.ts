import type { Json } from '../json.js';
import { readTable } from './read-table.js';

export { JsonTextError, MAX_DEPTH } from './read-table.js';

/** Reads JSON as `readTable` does, whole. Numbers keep their digits; `__proto__` is a key like any other. @throws {JsonTextError} */
export function parseJson(text: string, maxDepth: number): Json {
  return readTable(text, maxDepth).value();
}
