import { canonicalHash, hashOfText } from '../canonical-json.js';
import { atOnce, type Pausing, SLICE } from '../in-turns.js';
import { isJsonObject, type Json, type JsonObject, ownField } from '../json.js';
import { writingCanonical } from '../json-table/canonical-text.js';
import type { JsonTable } from '../json-table/json-table.js';
import type { RecordKind } from '../kinds/kinds.js';

/** Where `auto` searches, one after the other; a contract may say otherwise (docs/contract.md, `events.idPlaces`). */
export const usualIdPlaces: readonly string[] = ['/id', '/eventId', '/event_id', 'header:X-Service-Event-Id'];

const HEADER_PREFIX = 'header:';
const ARRAY_INDEX = /^(0|[1-9]\d{0,15})$/;

export interface EventKey {
  /** `id:` or `fp:` and a SHA-256 in hex. */
  key: string;
  keyType: 'id' | 'fingerprint';
  eventId: string | null;
  /** Of the envelope without its timestamp: says "same content as …", never suppresses anything. */
  contentHash: string;
}

/**
 * What makes two arrivals the same event. When unsure they are two: applying an event twice changes nothing, dropping one
 * loses a payment. The id is searched for where `pointer` says, `auto` at the usual places of the envelope and then in
 * a header, never at `data.id`, which is the record's. Without an id (missing, empty, not a string or number, a header
 * given twice) the key is the fingerprint of the whole envelope, timestamp included.
 *
 * @param headers lower-cased names
 * @param pointer `auto`, `none`, `header:Name`, a JSON pointer into the envelope (RFC 6901), or several of the last two with
 *   spaces between: the first that has an id counts
 */
export const eventKey = (arrival: KeyedArrival): EventKey => atOnce(findingKey(arrival));

interface KeyedArrival {
  envelope: JsonTable;
  headers: Record<string, readonly string[] | undefined>;
  pointer: string;
}

export function* findingKey(arrival: KeyedArrival): Pausing<EventKey> {
  const { envelope } = arrival;
  const eventId = findEventId(arrival);
  const { whole, others } = yield* writingCanonical(envelope, 'timestamp');
  const contentHash = yield* hashing(others);
  if (eventId === null) return { key: `fp:${yield* hashing(whole)}`, keyType: 'fingerprint', eventId, contentHash };
  const event = envelope.member(0, 'event');
  const type = event === null ? null : envelope.value(event);
  return { key: `id:${canonicalHash([type, eventId])}`, keyType: 'id', eventId, contentHash };
}

/** That of a large text has a turn of its own. */
function* hashing(text: string): Pausing<string> {
  if (text.length > SLICE) yield;
  return hashOfText(text);
}

/** The header that may hold an event's id, in lowercase; null: none does. */
export function idHeader(pointer: string): string | null {
  const place = placesOf(pointer).find((one) => one.startsWith(HEADER_PREFIX));
  return place === undefined ? null : headerName(place);
}

function findEventId({ envelope, headers, pointer }: KeyedArrival): string | null {
  for (const place of placesOf(pointer)) {
    const isHeader = place.startsWith(HEADER_PREFIX);
    const id = isHeader ? headerId(headers[headerName(place)]) : scalarId(envelope, place);
    if (id !== null) return id;
  }
  return null;
}

/** A key of an envelope may hold a space itself. `none` is a place where nothing is. */
function placesOf(pointer: string): readonly string[] {
  if (pointer === 'auto') return usualIdPlaces;
  const places = pointer.split(' ');
  return places.every((place) => place.startsWith('/') || place.startsWith(HEADER_PREFIX)) ? places : [pointer];
}

const headerName = (pointer: string): string => pointer.slice(HEADER_PREFIX.length).toLowerCase();

/** Two values would be a guess between two events. */
function headerId(values: readonly string[] | undefined): string | null {
  const [first = '', ...others] = values ?? [];
  return first === '' || others.some((other) => other !== first) ? null : first;
}

function scalarId(envelope: JsonTable, pointer: string): string | null {
  const part = partAt(envelope, pointer);
  if (part === null || !['string', 'number'].includes(envelope.kind(part))) return null;
  return envelope.textOf(part) || null;
}

/** What a JSON pointer leads to in the document; null: nothing. */
function partAt(document: JsonTable, pointer: string): number | null {
  if (!pointer.startsWith('/')) return null;
  let part: number | null = 0;
  for (const key of pointer.slice(1).split('/').map(unescaped)) {
    if (part === null) return null;
    const index = ARRAY_INDEX.test(key) ? Number(key) : null;
    part = document.member(part, key) ?? (index === null ? null : document.item(part, index));
  }
  return part;
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** What a JSON pointer (RFC 6901) leads to; undefined: nothing. */
export function valueAt(document: Json, pointer: string): Json | undefined {
  if (!pointer.startsWith('/')) return undefined;
  let value: Json | undefined = document;
  for (const key of pointer.slice(1).split('/').map(unescaped)) {
    if (Array.isArray(value)) value = ARRAY_INDEX.test(key) ? value[Number(key)] : undefined;
    else value = isJsonObject(value) ? ownField(value, key) : undefined;
  }
  return value;
}

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

/** The member of a signed envelope that says who made it, beside `event`, `timestamp` and `data`. */
export const MARK_FIELD = 'tallyhook';
/** Its value in the events of `tallyhook trigger`. */
export const TRIGGER_MARK = 'trigger';

/** `trigger`: a test of the way to the receiver, whoever sent it: kept and shown, and nothing follows from it. Null: a report. */
export function markOf(envelope: JsonTable): typeof TRIGGER_MARK | null {
  const part = envelope.member(0, MARK_FIELD, 'string');
  return part !== null && envelope.textOf(part) === TRIGGER_MARK ? TRIGGER_MARK : null;
}

/** The mark, in the body and in the inbox, of a test event that we sent ourselves through WEBHOOK_PUBLIC_URL. */
export const CANARY_MARK = 'canary';
const CANARY_EVENT = 'tallyhook.canary';
const LONGEST = 1_024;
const WORD = /"canary-([0-9a-f]{32})"/;

/** @param nonce 32 hex digits, used once */
export function canaryBody(nonce: string, timestamp: number): string {
  return JSON.stringify({
    [MARK_FIELD]: CANARY_MARK,
    event: CANARY_EVENT,
    timestamp,
    data: { nonce: `canary-${nonce}` },
  });
}

/** The one-time word in a body that may be one of a canary, whole or changed on its way; whose it is the database says. */
export function canaryNonce(rawBody: Buffer): string | null {
  if (rawBody.length > LONGEST) return null;
  return WORD.exec(rawBody.toString('latin1'))?.[1] ?? null;
}
