import { type EventKey, eventKey } from '../events/event-key.js';
import { isJsonObject, type Json, type JsonObject, ownField, toJsonText } from '../json.js';
import type { JsonKind, JsonTable } from '../json-table/json-table.js';
import { JsonTextError, MAX_DEPTH, readTable } from '../json-table/read-table.js';
import { kinds } from '../kinds/kinds.js';
import { recordKinds, recordNames, recordRules, textField } from '../records.js';

/** An event as a delivery carries it (specification 2.13, `payload`). */
export interface DeliveredEvent extends EventKey {
  event: string;
  /** Seconds, as the payload says. */
  timestamp: number;
  /** The payment that its data names, or is. */
  paymentIntentId: string | null;
  /** The payload as JSON text: what was sent, where the service shows it as a text. */
  text: string;
}

/** The event in a delivery's payload, under the same key as when it arrives; null: none that the receiver would take. */
export function deliveredEvent(payload: Json | undefined, pointer: string): DeliveredEvent | null {
  const text = textOf(payload);
  if (text === null) return null;
  const envelope = tableOf(text);
  if (envelope === null) return null;
  const event = envelope.member(0, 'event', 'string');
  const timestamp = envelope.member(0, 'timestamp', 'number');
  const data = envelope.member(0, 'data', 'object');
  if (event === null || timestamp === null || data === null) return null;
  const seconds = Number(envelope.textOf(timestamp));
  if (!Number.isFinite(seconds)) return null;
  const type = envelope.textOf(event);
  const paymentIntentId = paymentIn(envelope, data, type);
  return { ...eventKey({ envelope, headers: {}, pointer }), event: type, timestamp: seconds, paymentIntentId, text };
}

const WRAPPERS = recordKinds.flatMap((kind) => recordNames[kind].wrappers);

/** Named by its id, in the data or in the record that it wraps; or the payment itself, by the type of the event. */
function paymentIn(envelope: JsonTable, data: number, type: string): string | null {
  const inside = (part: number, names: readonly string[], kind: JsonKind): number[] =>
    names.flatMap((name) => envelope.member(part, name, kind) ?? []);
  const { wrappers, ids } = recordNames.payment_intent;
  const found = [
    ...[data, ...inside(data, WRAPPERS, 'object')].flatMap((holder) => inside(holder, ids, 'string')),
    ...inside(data, wrappers, 'string'),
    ...inside(data, wrappers, 'object').flatMap((payment) => inside(payment, ['id'], 'string')),
    ...(type.startsWith(`${kinds.payment_intent.eventPrefix}.`) ? inside(data, ['id'], 'string') : []),
  ].map((part) => envelope.textOf(part));
  return found.find((id) => id !== '') ?? null;
}

/** The payload's time, seconds, at most 60 s beyond the last moment (ms) of its delivery: it can't claim the future (6.3, point 7). */
export function boundedTimestamp(timestamp: number, latestMs: number): number {
  return Math.min(timestamp, Math.floor(latestMs / 1_000) + 60);
}

function textOf(payload: Json | undefined): string | null {
  if (typeof payload === 'string') return payload;
  return isJsonObject(payload) ? toJsonText(payload) : null;
}

function tableOf(text: string): JsonTable | null {
  try {
    return readTable(text, MAX_DEPTH);
  } catch (error) {
    if (error instanceof JsonTextError) return null;
    throw error;
  }
}

/** Of these the delivery history is asked by id, since no list shows all of their links. */
export type SearchedKind = 'payout' | 'invoice';

const plainWrappers = ['object', 'record', 'resource', 'payload', 'data'];
const names = {
  payout: { wrappers: ['payout', 'refund', 'withdrawal', ...plainWrappers], ids: ['id', 'payoutId', 'payout_id'] },
  invoice: { wrappers: ['invoice', ...plainWrappers], ids: ['id', 'invoiceId', 'invoice_id'] },
} as const satisfies Record<SearchedKind, { wrappers: readonly string[]; ids: readonly string[] }>;
const DEEPEST = 4;

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
  for (const name of depth < DEEPEST ? names[kind].wrappers : []) {
    const inner = ownField(data, name);
    const found = isJsonObject(inner) ? findIn(kind, inner, id, depth + 1) : null;
    if (found !== null) return found;
  }
  const name = names[kind].ids.find((idName) => textField(data, idName) === id);
  if (name === undefined) return null;
  // A record of another kind may name it: then nothing but the name is about it.
  return name === 'id' ? data : { id };
}
