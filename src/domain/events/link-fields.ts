import type { JsonObject } from '../json.js';
import type { RecordKind } from '../kinds/kinds.js';
import { valueAt } from './event-key.js';

/** Where records name others, though the specification gives them no such field: JSON pointers, by kind and field. */
export type LinkPointers = Readonly<Partial<Record<RecordKind, Readonly<Record<string, string>>>>>;

/** The fields, and under its name each link that a pointer finds and that does not stand there already. */
export function withLinks(kind: RecordKind, fields: JsonObject, links: LinkPointers): JsonObject {
  const found = Object.entries(links[kind] ?? {}).flatMap(([name, pointer]) => {
    const value = Object.hasOwn(fields, name) ? undefined : valueAt(fields, pointer);
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return found.length === 0 ? fields : { ...fields, ...Object.fromEntries(found) };
}
