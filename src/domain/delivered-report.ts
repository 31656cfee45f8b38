import { isJsonObject, type JsonObject } from './json.js';
import { recordRules, textField } from './records.js';

/** Of these the delivery history is asked by id, since no list shows all of their links. */
export type SearchedKind = 'payout' | 'invoice';

const plainWrappers = ['object', 'record', 'resource', 'payload', 'data'];
const names = {
  payout: { wrappers: ['payout', 'refund', 'withdrawal', ...plainWrappers], ids: ['id', 'payoutId', 'payout_id'] },
  invoice: { wrappers: ['invoice', ...plainWrappers], ids: ['id', 'invoiceId', 'invoice_id'] },
} as const satisfies Record<SearchedKind, { wrappers: readonly string[]; ids: readonly string[] }>;
const MAX_DEPTH = 4;

/** What an event's data says of this record; null: nothing. Without a state, that of the event's type (`payout.failed`, 6.2). */
export function deliveredReport(
  kind: SearchedKind,
  eventType: string,
  data: JsonObject,
  id: string,
): JsonObject | null {
  const found = findIn(kind, data, id, 0);
  if (found === null) return null;
  const state = eventType.startsWith(`${kind}.`) ? eventType.slice(kind.length + 1) : '';
  const isKnown = recordRules[kind].main.ranks.has(state);
  return textField(found, 'status') === null && isKnown ? { ...found, id, status: state } : { ...found, id };
}

function findIn(kind: SearchedKind, data: JsonObject, id: string, depth: number): JsonObject | null {
  for (const name of depth < MAX_DEPTH ? names[kind].wrappers : []) {
    const inner = Object.hasOwn(data, name) ? data[name] : null;
    const found = isJsonObject(inner) ? findIn(kind, inner, id, depth + 1) : null;
    if (found !== null) return found;
  }
  const name = names[kind].ids.find((idName) => textField(data, idName) === id);
  if (name === undefined) return null;
  // A record of another kind may name it: then nothing but the name is about it.
  return name === 'id' ? data : { id };
}
