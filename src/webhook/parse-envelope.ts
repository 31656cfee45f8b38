import { isUtf8 } from 'node:buffer';
import { isLosslessNumber } from 'lossless-json';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import { JsonTextError, parseJson } from '../domain/parse-json.js';
import { markOf } from '../domain/trigger-mark.js';

/** An event as it came (specification 6.1). Numbers inside keep their digits. */
export interface Envelope {
  event: string;
  /** Unix seconds; finite, may have a fraction. */
  timestamp: number;
  data: JsonObject;
  /** It is a test by `tallyhook trigger`; null: it is a report. */
  mark: ReturnType<typeof markOf>;
  /** The whole envelope, `event`, `timestamp` and `data` among whatever else it holds. */
  document: JsonObject;
}

export type EnvelopeProblem = { ok: false; reason: 'invalid_body' | 'missing_timestamp'; detail: string };

const MAX_DEPTH = 512;
const BYTE_ORDER_MARK = 0xfeff;

/** Reads the body once its signature is known to be right. The details name what was found, never the body. */
export function parseEnvelope(rawBody: Buffer): { ok: true; envelope: Envelope } | EnvelopeProblem {
  if (rawBody.length === 0) return invalid('the body is empty');
  if (!isUtf8(rawBody)) return invalid('the body is not valid UTF-8');
  const text = rawBody.toString('utf8');
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) return invalid('the body begins with a byte order mark');
  try {
    return checkShape(parseJson(text, MAX_DEPTH));
  } catch (error) {
    if (error instanceof JsonTextError) return invalid(`the body is not acceptable JSON: ${error.message}`);
    throw error;
  }
}

function checkShape(document: Json): { ok: true; envelope: Envelope } | EnvelopeProblem {
  if (!isJsonObject(document)) return invalid(`the body is ${nameOf(document)}, not an object`);
  const { event, data, timestamp } = document;
  if (typeof event !== 'string') return invalid(`"event" is ${nameOf(event)}, not a string`);
  if (!isJsonObject(data)) return invalid(`"data" is ${nameOf(data)}, not an object`);
  if (!isLosslessNumber(timestamp)) return missing(`"timestamp" is ${nameOf(timestamp)}, not a number`);
  const seconds = Number(timestamp.toString());
  if (!Number.isFinite(seconds)) return missing('"timestamp" is a number too large to be a time');
  return { ok: true, envelope: { event, timestamp: seconds, data, mark: markOf(document), document } };
}

function nameOf(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (isLosslessNumber(value)) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function invalid(detail: string): EnvelopeProblem {
  return { ok: false, reason: 'invalid_body', detail };
}

function missing(detail: string): EnvelopeProblem {
  return { ok: false, reason: 'missing_timestamp', detail };
}
