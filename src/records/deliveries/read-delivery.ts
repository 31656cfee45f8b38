import { isLosslessNumber } from 'lossless-json';
import { hashOfText } from '../../domain/canonical-json.js';
import { type DeliveredEvent, deliveredEvent } from '../../domain/deliveries/delivery-payload.js';
import type { PairedBy } from '../../domain/deliveries/pair-delivery.js';
import {
  fromJsonText,
  isJsonObject,
  type Json,
  type JsonObject,
  objectFromJsonText,
  toJsonText,
} from '../../domain/json.js';
import { ownText } from '../../domain/plain-text.js';
import { type RecordKind, textField } from '../../domain/records.js';
import { momentOf } from '../../domain/service-time.js';
import type { DeliveryDetails } from '../../domain/views/webhook-shapes.js';
import { keyText, usableId } from '../database/database-text.js';
import { isRowId } from '../database/paging.js';
import { PRUNED_DETAILS } from '../retention/delete-rows.js';

/** A delivery as the service shows it (specification 2.13), as far as it is classified. Times in ms of the service's clock. */
export interface Delivery extends PairedBy {
  endpointUrl: string | null;
  status: string | null;
  httpStatus: number | null;
  nextRetryAt: number | null;
  payload: string | null;
  /** SHA-256 of the payload as text, as rejections have it of the body. */
  payloadHash: string | null;
  /** What else it shows, for people. */
  details: string | null;
  /** What the service noted of our own answer: the reason of a rejection. */
  answeredError: string | null;
  paymentIntentId: string | null;
  /** Records that it names, where its payload is no event. */
  mentions: readonly { kind: RecordKind; id: string }[];
  /** When it came to be known here; null: it was read from the service just now. */
  firstSeenAt: number | null;
  /** When the service showed it like this, and the run that asked; null: it was read from the service just now. */
  shownIn: { from: number; run: string } | null;
}

/** Words for a state are short; this many letters fit into an index, whatever they are. */
const LONGEST_WORD = 100;

/** Null where it has no id. */
export function readDelivery(fields: JsonObject, eventIdPointer: string): Delivery | null {
  const id = textField(fields, 'id');
  if (id === null || id === '') return null;
  const endpointId = textField(fields, 'endpointId');
  const event = deliveredEvent(fields['payload'], eventIdPointer);
  const answer = answerIn(fields['responseBody']);
  const mentions = event === null ? mentionsIn(fields) : [];
  const mentioned = mentions.find(({ kind }) => kind === 'payment_intent')?.id ?? null;
  return {
    id: ownText(heldId(id)),
    endpointId: endpointId === null ? null : heldId(endpointId),
    endpointUrl: textField(fields, 'endpointUrl'),
    eventType: textField(fields, 'eventType') ?? event?.event ?? null,
    status: textField(fields, 'status')?.slice(0, LONGEST_WORD) ?? null,
    httpStatus: wholeNumber(fields['httpStatus']),
    attempts: wholeNumber(fields['attempts']),
    lastAttemptAt: timeOf(fields, 'lastAttemptAt'),
    nextRetryAt: timeOf(fields, 'nextRetryAt'),
    createdAt: timeOf(fields, 'createdAt'),
    event: event === null ? null : { key: event.key, contentHash: event.contentHash, timestamp: event.timestamp },
    payload: event?.text ?? null,
    payloadHash: event === null ? null : hashOfText(event.text),
    details: detailsIn(fields, event),
    answeredId: inboxIdIn(answer),
    answeredError: textField(answer, 'error'),
    paymentIntentId: event === null ? mentioned : usableId(event.paymentIntentId),
    mentions,
    firstSeenAt: null,
    shownIn: null,
  };
}

/** One that no index can hold is known by its beginning and its hash. */
function heldId(id: string): string {
  if (keyText(id) !== null) return id;
  return `${id.slice(0, LONGEST_WORD)}…${hashOfText(id)}`;
}

/**
 * The delivery to be kept beside many others: without the text of its payload, and in memory of its own. That there is one,
 * and what follows from it, stays.
 */
export function slimDelivery(delivery: Delivery): Delivery {
  const slim = { ...delivery, details: null, payload: delivery.payload === null ? null : '' };
  const owned = Object.entries(slim).map(([name, value]) => [name, typeof value === 'string' ? ownText(value) : value]);
  return {
    ...slim,
    ...Object.fromEntries(owned),
    mentions: delivery.mentions.map(({ kind, id }) => ({ kind, id: ownText(id) })),
  };
}

const ID_FIELDS: Readonly<Record<string, RecordKind>> = {
  paymentIntentId: 'payment_intent',
  payinId: 'payin',
  invoiceId: 'invoice',
  payoutId: 'payout',
};

/** What of an unreadable payload still says which records to read. */
function mentionsIn(fields: JsonObject): Delivery['mentions'] {
  const payload = fields['payload'];
  const data = isJsonObject(payload) ? payload['data'] : null;
  return [fields, payload, data].filter(isJsonObject).flatMap((holder) =>
    Object.entries(ID_FIELDS).flatMap(([name, kind]) => {
      const id = usableId(textField(holder, name));
      return id === null ? [] : [{ kind, id }];
    }),
  );
}

/** Our receiver's answers are small; a service may cut longer ones off. */
function answerIn(body: Json | undefined): JsonObject | null {
  if (isJsonObject(body)) return body;
  if (typeof body !== 'string' || !body.startsWith('{') || body.length > 2_000) return null;
  try {
    const value = fromJsonText(body);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Under which id an answer says that an event was received here; null: it is none of our receiver's. */
export const answeredId = (body: Json | undefined): string | null => inboxIdIn(answerIn(body));

function inboxIdIn(answer: JsonObject | null): string | null {
  const id = textField(answer, 'id');
  return answer?.['received'] === true && id !== null && isRowId(id) ? id : null;
}

function wholeNumber(value: Json | undefined): number | null {
  const number = isLosslessNumber(value) || typeof value === 'string' ? Number(value.toString()) : Number.NaN;
  return Number.isInteger(number) && Math.abs(number) < 2 ** 31 ? number : null;
}

const timeOf = (fields: JsonObject, name: string): number | null => momentOf(textField(fields, name) ?? undefined);

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
  if (stored === null || stored === PRUNED_DETAILS)
    return { payload, responseBody: null, responseHeaders: null, attemptsList: null };
  const { responseHeaders = null, attemptsList = null, ...texts } = objectFromJsonText(stored);
  return {
    payload: payload ?? textOf(texts['payload']),
    responseBody: textOf(texts['responseBody']),
    responseHeaders: isJsonObject(responseHeaders) ? responseHeaders : null,
    attemptsList: Array.isArray(attemptsList) ? attemptsList : null,
  };
}

const asText = (value: Json): string => (typeof value === 'string' ? value : toJsonText(value));

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

const cut = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

function within<T extends Json>(value: T, longest: number): T | null {
  return toJsonText(value).length <= longest ? value : null;
}
