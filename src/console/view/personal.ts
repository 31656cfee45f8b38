import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { fromJsonText, toJsonText } from '../../domain/json-text.js';
import {
  hidePeople,
  MASK,
  maskEvidence,
  maskPersonal,
  maskText,
  personalKinds,
  replacePersonal,
} from '../../domain/personal.js';
import type { EntityKind, RecordKind } from '../../domain/records.js';
import type { DeliveryDetails } from '../../records/deliveries/delivery-details.js';
import type { Actor } from '../authenticate.js';

/** Viewers look after the whole; they need not know who the customers are. */
export function mayKnowPeople({ role }: Pick<Actor, 'role'>): boolean {
  return role !== 'viewer';
}

/** Fields of a record as the actor may see them. */
export function recordFor(actor: Actor, kind: RecordKind, fields: JsonObject): JsonObject {
  return mayKnowPeople(actor) ? fields : hidePeople(kind, fields);
}

/** One field's value of a record or order, as the actor may see it. `*` stands for the whole record. */
export function fieldFor(actor: Actor, entity: EntityKind, field: string, value: Json): Json {
  const kind = personalKinds.find((known) => known === entity);
  if (mayKnowPeople(actor) || kind === undefined) return value;
  return field === '*' && isJsonObject(value)
    ? hidePeople(kind, value)
    : (hidePeople(kind, { [field]: value })[field] ?? null);
}

/** The body of an event; null where a viewer may not see any of it, since it is not known what in it is personal. */
export function bodyFor(actor: Pick<Actor, 'role'>, body: string): { json: Json } | { text: string } | null {
  try {
    const json = fromJsonText(body);
    return { json: mayKnowPeople(actor) ? json : maskAll(json) };
  } catch {
    return mayKnowPeople(actor) ? { text: body } : null;
  }
}

/** An event may speak of several records: whatever is personal in one kind is masked. */
function maskAll(value: Json): Json {
  if (!isJsonObject(value)) return value;
  return personalKinds.reduce((masked, kind) => maskPersonal(kind, masked), maskEvidence(value));
}

/** The same as JSON text; null where it is not known what in it is personal, and where there is none. */
export function maskedBody(body: unknown): string | null {
  const seen = typeof body === 'string' ? bodyFor({ role: 'viewer' }, body) : null;
  return seen !== null && 'json' in seen ? toJsonText(seen.json) : null;
}

/** What the service shows of a delivery, for viewers: whatever answered in our place may have told of people as well. */
export function maskedDelivery({
  payload,
  responseBody,
  responseHeaders,
  attemptsList,
}: DeliveryDetails): DeliveryDetails {
  const { headers, attempts } = maskEvidence({ headers: responseHeaders, attempts: attemptsList } as JsonObject);
  return {
    payload: maskedBody(payload),
    responseBody: responseBody === null ? null : maskText(responseBody),
    responseHeaders: headers as DeliveryDetails['responseHeaders'],
    attemptsList: attempts as DeliveryDetails['attemptsList'],
  };
}

/** Whether every value of the field identifies a person. */
export function isPersonalField(kind: RecordKind, field: string): boolean {
  return replacePersonal(kind, field, 'a', () => MASK) === MASK;
}
