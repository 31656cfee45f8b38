import { type EventKey, eventKey } from '../events/event-key.js';
import { isJsonObject, type Json, toJsonText } from '../json.js';
import type { JsonTable } from '../json-table/json-table.js';
import { JsonTextError, MAX_DEPTH, readTable } from '../json-table/read-table.js';

/** An event as a delivery carries it (specification 2.13, `payload`). */
export interface DeliveredEvent extends EventKey {
  event: string;
  /** Seconds, as the payload says. */
  timestamp: number;
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
  if (event === null || timestamp === null || envelope.member(0, 'data', 'object') === null) return null;
  const seconds = Number(envelope.textOf(timestamp));
  if (!Number.isFinite(seconds)) return null;
  return { ...eventKey({ envelope, headers: {}, pointer }), event: envelope.textOf(event), timestamp: seconds, text };
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
