import { type Json, type JsonObject, toJsonText } from './json.js';

/** Characters of JSON that are kept of one field of a report, and of all of them. The inbox has the event whole. */
const MOST_OF_FIELD = 16_000;
const MOST_OF_ALL = 64_000;
/** No field of the service has a longer one. */
const LONGEST_NAME = 200;

/** What a report says, without what nobody needs: a field that is too large says how large it was. The smallest are kept first. */
export function withoutBulk(fields: JsonObject): JsonObject {
  const entries = Object.entries(fields);
  const sizes = new Map(entries.map(([name, value]) => [name, name.length + toJsonText(value).length]));
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (total <= MOST_OF_FIELD) return fields;
  const left = new Set<string>();
  let kept = 0;
  for (const [name, size] of [...sizes].sort((a, b) => a[1] - b[1])) {
    if (size > MOST_OF_FIELD || kept + size > MOST_OF_ALL) left.add(name);
    else kept += size;
  }
  const shortened = (name: string, value: Json): Json =>
    left.has(name) ? `(left out: ${sizes.get(name)} characters)` : value;
  const named = entries.filter(([name]) => name.length <= LONGEST_NAME);
  return Object.fromEntries(named.map(([name, value]) => [name, shortened(name, value)]));
}
