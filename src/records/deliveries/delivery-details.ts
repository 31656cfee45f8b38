import type { DeliveredEvent } from '../../domain/deliveries/delivery-payload.js';
import { isJsonObject, type Json, type JsonObject, objectFromJsonText, toJsonText } from '../../domain/json.js';
import type { DeliveryDetails } from '../../domain/views/webhook-shapes.js';
import { PRUNED_DETAILS } from '../retention/delete-rows.js';

/** Letters of a payload that is kept for people alone. */
const LONGEST_PAYLOAD = 65_536;
const LONGEST_BODY = 2_000;
const LONGEST_HEADERS = 4_000;
const LONGEST_ATTEMPTS = 8_000;
const MOST_ATTEMPTS = 50;

/** The details as JSON text, bounded. A payload that is an event is kept apart. */
export function detailsIn(fields: JsonObject, event: DeliveredEvent | null): string {
  const { payload = null, responseBody = null, responseHeaders = null, attemptsList = null } = fields;
  const attempts = Array.isArray(attemptsList) ? attemptsList.slice(-MOST_ATTEMPTS) : null;
  return toJsonText({
    payload: event === null && payload !== null ? keptPayload(asText(payload)) : null,
    responseBody: responseBody === null ? null : cut(asText(responseBody), LONGEST_BODY),
    responseHeaders: isJsonObject(responseHeaders) ? within(responseHeaders, LONGEST_HEADERS) : null,
    attemptsList: attempts === null ? null : within(attempts, LONGEST_ATTEMPTS),
  });
}

/** One that is larger is not kept: a part of it would be no JSON. */
export function keptPayload(text: string | null): string | null {
  return text !== null && text.length <= LONGEST_PAYLOAD ? text : null;
}

/** `payload`: of the delivery's own column, or of the event that it equals. */
export function detailsOf(stored: string | null, payload: string | null): DeliveryDetails {
  if (stored === null || stored === PRUNED_DETAILS) {
    return { payload, responseBody: null, responseHeaders: null, attemptsList: null };
  }
  const { responseHeaders = null, attemptsList = null, ...texts } = objectFromJsonText(stored);
  return {
    payload: payload ?? textOf(texts['payload']),
    responseBody: textOf(texts['responseBody']),
    responseHeaders: isJsonObject(responseHeaders) ? responseHeaders : null,
    attemptsList: Array.isArray(attemptsList) ? attemptsList : null,
  };
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : toJsonText(value);
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function within<T extends Json>(value: T, longest: number): T | null {
  return toJsonText(value).length <= longest ? value : null;
}
