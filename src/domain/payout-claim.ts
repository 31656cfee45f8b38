import { isJsonObject, type JsonObject } from './json.js';
import { recordRules, textField } from './records.js';

const wrappers = ['payout', 'object', 'record', 'resource', 'payload', 'data', 'refund', 'withdrawal'];
const idNames = ['id', 'payoutId', 'payout_id'];
const MAX_DEPTH = 4;

/**
 * What an event's data says of this payout, under the record's own field names; null where it does not speak of it. Where
 * it names no state, that of the event's type stands in: `payout.failed` (specification 6.2).
 */
export function payoutClaim(eventType: string, data: JsonObject, id: string): JsonObject | null {
  const found = findIn(data, id, 0);
  if (found === null) return null;
  const state = eventType.startsWith('payout.') ? eventType.slice('payout.'.length) : '';
  const isKnown = recordRules.payout.main.ranks.has(state);
  return textField(found, 'status') === null && isKnown ? { ...found, id, status: state } : { ...found, id };
}

function findIn(data: JsonObject, id: string, depth: number): JsonObject | null {
  for (const name of depth < MAX_DEPTH ? wrappers : []) {
    const inner = Object.hasOwn(data, name) ? data[name] : null;
    const found = isJsonObject(inner) ? findIn(inner, id, depth + 1) : null;
    if (found !== null) return found;
  }
  const name = idNames.find((idName) => textField(data, idName) === id);
  if (name === undefined) return null;
  // A record of another kind may name the payout: then nothing but the name is about it.
  return name === 'id' ? data : { id };
}
