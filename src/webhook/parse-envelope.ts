import { isUtf8 } from 'node:buffer';
import { markOf } from '../domain/events/event-key.js';
import type { Pausing } from '../domain/in-turns.js';
import type { JsonObject } from '../domain/json.js';
import { type JsonKind, type JsonTable, outlineOf } from '../domain/json-table/json-table.js';
import { JsonTextError, MAX_DEPTH, readingTable } from '../domain/json-table/read-table.js';

/** An event as it came (specification 6.1). Numbers inside keep their digits. */
export interface Envelope {
  event: string;
  /** Unix seconds; finite, may have a fraction. */
  timestamp: number;
  /** Made when it is asked for. */
  readonly data: JsonObject;
  /** It is a test by `tallyhook trigger`; null: it is a report. */
  mark: ReturnType<typeof markOf>;
  /** How many keys and values the envelope has, where that is too many and `data` an outline; null: `data` is whole. */
  bulk: number | null;
  /** The whole envelope, `event`, `timestamp` and `data` among whatever else it holds. */
  document: JsonTable;
}

export type EnvelopeProblem = { ok: false; reason: 'invalid_body' | 'missing_timestamp'; detail: string };

/** Keys and values of a body. No record of the specification comes near it; a body of 1 MB may have half a million. */
export const MOST_PARTS = 20_000;
const BYTE_ORDER_MARK = 0xfeff;

export type Parsed = { ok: true; envelope: Envelope } | EnvelopeProblem;

/** Reads the body once its signature is known to be right. The details name what was found, never the body. */
export function* parsingEnvelope(rawBody: Buffer): Pausing<Parsed> {
  if (rawBody.length === 0) return invalid('the body is empty');
  if (!isUtf8(rawBody)) return invalid('the body is not valid UTF-8');
  return yield* parsingText(rawBody.toString('utf8'));
}

/** The same of a body whose bytes were checked. */
export function* parsingText(text: string): Pausing<Parsed> {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) return invalid('the body begins with a byte order mark');
  try {
    return checkShape(yield* readingTable(text, MAX_DEPTH));
  } catch (error) {
    if (error instanceof JsonTextError) return invalid(`the body is not acceptable JSON: ${error.message}`);
    throw error;
  }
}

function checkShape(document: JsonTable): Parsed {
  if (document.kind(0) !== 'object') return invalid(`the body is ${nameOf(document, 0)}, not an object`);
  const event = document.member(0, 'event');
  const data = document.member(0, 'data');
  const timestamp = document.member(0, 'timestamp');
  if (!is('string', document, event)) return invalid(`"event" is ${nameOf(document, event)}, not a string`);
  if (!is('object', document, data)) return invalid(`"data" is ${nameOf(document, data)}, not an object`);
  if (!is('number', document, timestamp)) return missing(`"timestamp" is ${nameOf(document, timestamp)}, not a number`);
  const seconds = Number(document.textOf(timestamp));
  if (!Number.isFinite(seconds)) return missing('"timestamp" is a number too large to be a time');
  const bulk = document.size > MOST_PARTS ? document.size : null;
  let read: JsonObject | null = null;
  const envelope = {
    event: document.textOf(event),
    timestamp: seconds,
    get data(): JsonObject {
      read ??= bulk === null ? (document.value(data) as JsonObject) : outlineOf(document, data);
      return read;
    },
    mark: markOf(document),
    bulk,
    document,
  };
  return { ok: true, envelope };
}

function is(kind: JsonKind, document: JsonTable, part: number | null): part is number {
  return part !== null && document.kind(part) === kind;
}

function nameOf(document: JsonTable, part: number | null): string {
  if (part === null) return 'absent';
  const kind = document.kind(part);
  if (kind === 'null') return kind;
  return `${kind === 'object' || kind === 'array' ? 'an' : 'a'} ${kind}`;
}

const invalid = (detail: string): EnvelopeProblem => ({ ok: false, reason: 'invalid_body', detail });

const missing = (detail: string): EnvelopeProblem => ({ ok: false, reason: 'missing_timestamp', detail });
