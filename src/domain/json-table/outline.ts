import type { JsonObject } from '../json.js';
import { AFTER, type JsonKind, type JsonTable } from './json-table.js';

/** A record stands no deeper in the data of an event. */
const DEEPEST = 6;
const MOST_MEMBERS = 1_000;

/** Of a document too large to be made whole: a thousand members, texts before objects, nothing deep. Enough to see its record. */
export function outlineOf(table: JsonTable, part: number): JsonObject {
  let left = MOST_MEMBERS;
  const outline = (object: number, depth: number): JsonObject => {
    const members: [string, JsonObject | string][] = [];
    for (const value of valuesOf(table, object, 'string')) {
      if (left <= 0) break;
      left -= 1;
      members.push([table.textOf(value - 1), table.textOf(value)]);
    }
    for (const value of depth < DEEPEST ? valuesOf(table, object, 'object') : []) {
      if (left <= 0) break;
      left -= 1;
      members.push([table.textOf(value - 1), outline(value, depth + 1)]);
    }
    return Object.fromEntries(members);
  };
  return outline(part, 0);
}

/** The first of the values of that kind. */
function valuesOf(table: JsonTable, object: number, kind: JsonKind): number[] {
  const values: number[] = [];
  const after = table.at(object, AFTER);
  for (let key = object + 1; key < after && values.length < MOST_MEMBERS; key = table.at(key + 1, AFTER))
    if (table.kind(key + 1) === kind) values.push(key + 1);
  return values;
}
