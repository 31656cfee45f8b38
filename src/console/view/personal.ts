import type { Actor } from '../../domain/console-roles.js';
import { fromJsonText, isJsonObject, type Json, type JsonObject, toJsonText } from '../../domain/json.js';
import { hideEvidence, hidePeople, hideText, MASK, personalKinds } from '../../domain/personal.js';
import type { EntityKind, RecordKind } from '../../domain/records.js';
import type { DeliveryDetails, RejectionView } from '../../domain/views/webhook-shapes.js';
import type { PageView, TableSection } from './sections.js';

/** Viewers look after the whole; they need not know who the customers are. */
export const mayKnowPeople = ({ role }: Pick<Actor, 'role'>): boolean => role !== 'viewer';

/** Fields of a record as the actor may see them. */
export function recordFor(actor: Actor, kind: RecordKind, fields: JsonObject): JsonObject {
  return mayKnowPeople(actor) ? fields : hidePeople(kind, fields);
}

/** One field's value of a record or order, as the actor may see it. `*` stands for the whole record. */
export function fieldFor(actor: Actor, entity: EntityKind, field: string, value: Json): Json {
  const kind = personalKinds.find((known) => known === entity);
  if (mayKnowPeople(actor) || kind === undefined) return value;
  const isWhole = field === '*' && isJsonObject(value);
  const hidden = withoutWords(hidePeople(kind, isWhole ? value : { [field]: value }));
  return isWhole ? hidden : (hidden[field] ?? null);
}

/**
 * Of a change without what is more than one word: it may hold a name, and the fields that show which one may stand in
 * another change, or in a digest.
 */
function withoutWords(fields: JsonObject): JsonObject {
  const masked = (value: Json): Json => {
    if (typeof value === 'string') return /\s/.test(value) ? MASK : value;
    if (Array.isArray(value)) return value.map(masked);
    return isJsonObject(value) ? withoutWords(value) : value;
  };
  const worded = Object.entries(fields).map(([name, value]) => [/\s/.test(name) ? MASK : name, masked(value)]);
  return Object.fromEntries(worded);
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
  if (!isJsonObject(value)) return MASK;
  return personalKinds.reduce((masked, kind) => hidePeople(kind, masked), value);
}

/** The same as JSON text; null where it is not known what in it is personal, and where there is none. */
function maskedBody(body: unknown): string | null {
  const seen = typeof body === 'string' ? bodyFor({ role: 'viewer' }, body) : null;
  return seen !== null && 'json' in seen ? toJsonText(seen.json) : null;
}

/** The key of an event that has no id is a hash of its content, by which a viewer could try out who is in it. */
export function maskedEvent<E extends { key: string; keyType: string }>(event: E): E {
  const body = 'body' in event ? { body: maskedBody(event.body) } : {};
  return { ...event, ...body, ...(event.keyType === 'id' ? {} : { key: MASK }) };
}

/** Of what was rejected neither its beginning nor a hash, by which a viewer could try out who is in it. */
export function maskedRejection(rejection: RejectionView): RejectionView {
  return { ...rejection, firstBytes: MASK, bodyHash: MASK };
}

/**
 * An answer of the read API as the actor may see it. What a resource masks by itself is masked already: this looks after
 * texts that people wrote, such as a note, and whatever no resource thought of.
 */
export function answerFor(actor: Pick<Actor, 'role'>, body: object): object {
  return mayKnowPeople(actor) ? body : hideEvidence(body as JsonObject);
}

/** The evidence of a break, as the actor may see it: a page shows its fields without their names. */
export function evidenceFor(actor: Pick<Actor, 'role'>, evidence: Json): Json {
  return mayKnowPeople(actor) || !isJsonObject(evidence) ? evidence : hideEvidence(evidence);
}

/** A page as the actor may see it: the same for what stands in its texts. */
export function pageFor(actor: Pick<Actor, 'role'>, view: PageView): PageView {
  return mayKnowPeople(actor) ? view : (maskShown(view) as PageView);
}

/** The same of one table. */
export function tableFor(actor: Pick<Actor, 'role'>, table: TableSection): TableSection {
  return mayKnowPeople(actor) ? table : (maskShown(table) as TableSection);
}

/** The parts of a page that hold the words of somebody; ids, links, forms and amounts stay. */
const worded: ReadonlySet<unknown> = new Set(['text', 'none', 'badge', 'notice', 'code']);

function maskShown(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(maskShown);
  if (typeof part !== 'object' || part === null) return part;
  const isWorded = 'is' in part && worded.has(part.is);
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => {
      if (typeof value === 'string') return [name, isWorded && name !== 'is' ? hideText(value) : value];
      return [name, maskShown(value)];
    }),
  );
}

/** What the service shows of a delivery, for viewers: whatever answered in our place may have shown personal data as well. */
export function maskedDelivery(delivery: DeliveryDetails): DeliveryDetails {
  const { payload, responseBody, responseHeaders, attemptsList } = delivery;
  const shown = hideEvidence({ responseHeaders, attemptsList } as JsonObject) as Partial<DeliveryDetails>;
  return { ...delivery, ...shown, payload: maskedBody(payload), responseBody: responseBody === null ? null : MASK };
}

/** An action's details as the actor may see them. A closing keeps the fingerprints of the secrets, which are not for viewers. */
export function detailsFor(actor: Pick<Actor, 'role'>, details: Record<string, unknown>): Record<string, unknown> {
  return mayKnowPeople(actor) ? details : withoutSecrets(details);
}

export function withoutSecrets(details: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([name]) => name !== 'secrets'));
}
