import type { Knex } from 'knex';
import {
  classifyAgainAt,
  classifyDelivery,
  type DeliveryClock,
  type DeliveryFacts,
  type DeliveryVerdict,
  isHopeless,
  isSuccess,
} from '../../domain/deliveries/delivery-class.js';
import { isOwnUrl, type OwnAddress } from '../../domain/deliveries/endpoint-rules.js';
import { pairDelivery } from '../../domain/deliveries/pair-delivery.js';
import { groupedPairs } from '../../domain/grouped.js';
import { columnOf } from '../database/statements.js';
import { keysGoneBefore } from '../retention/retention-state.js';
import { type PairedBefore, pairedBefore } from './deliveries.js';
import {
  eventsOf,
  type InboxEvent,
  type KnownSecrets,
  readSince,
  rejectionAt,
  rejectionsByBody,
  secretsByEndpoint,
  takenEvents,
  takenKey,
} from './delivery-evidence.js';
import { type Delivery, keptPayload } from './read-delivery.js';

export interface ClassifyRules extends DeliveryClock {
  own: OwnAddress;
  /** The words of the service for a delivery that is not final. */
  pendingStates: readonly string[];
}

/** A delivery with its class and what that rests on. */
export interface ClassifiedDelivery {
  delivery: Delivery;
  verdict: DeliveryVerdict;
  ours: boolean;
  /** The id of the event that it is paired with. */
  inboxId: string | null;
  /** Other events that it proves to be sent by the service, for their content is its own. */
  alike: readonly string[];
  /** The same, that nothing stored would show again. */
  once: readonly string[];
  /** What is kept of its payload: all of it while the event may be recovered from it, nothing where the event's body equals it. */
  payload: string | null;
  /** Why it was rejected, or what else there is to say of it. */
  reason: string | null;
  /** When it is to be classified again though the service says nothing new, ms; 0: on each run; null: never. */
  classifyAt: number | null;
}

/** Answers of our receiver that reject something for good or for now. */
const OUR_ANSWERS = new Set([400, 401, 405, 413, 415, 503]);

/** What deliveries are held against. */
interface Evidence {
  events: ReadonlyMap<string, InboxEvent[]>;
  /** By endpoint and event, the delivery that has it. */
  taken: Map<string, string>;
  rejections: ReadonlyMap<string, string>;
  secrets: KnownSecrets;
  before: ReadonlyMap<string, PairedBefore>;
  /** Of a time of which keys are deleted, and never seen before. */
  tooOld: ReadonlySet<string>;
  /** Of those without a payload that are old, whether what they reported was read later. */
  readSince: Awaited<ReturnType<typeof readSince>>;
  /** By event, the endpoints of ours that the service noted an answer of 2xx from. */
  acknowledged: ReadonlyMap<string, ReadonlySet<string | null>>;
}

/**
 * Holds deliveries against the inbox. Reads only. Deliveries of one event to several endpoints are to be given together:
 * they are each other's siblings.
 */
export async function classifyDeliveries(
  db: Knex,
  deliveries: readonly Delivery[],
  rules: ClassifyRules,
): Promise<ClassifiedDelivery[]> {
  if (deliveries.length === 0) return [];
  const evidence = await gather(db, deliveries, rules);
  const classified: ClassifiedDelivery[] = [];
  for (const delivery of deliveries) classified.push(await classify(db, delivery, evidence, rules));
  return classified;
}

async function gather(db: Knex, deliveries: readonly Delivery[], rules: ClassifyRules): Promise<Evidence> {
  const events = await eventsOf(db, deliveries);
  const isHopelessNow = (one: Delivery) => isHopeless({ ...one, held: null, recoverable: hasPayload(one) }, rules);
  return {
    events: indexEvents(events),
    taken: await takenEvents(db, events),
    rejections: await rejectionsByBody(db, deliveries),
    secrets: await secretsByEndpoint(db),
    before: await pairedBefore(db, deliveries),
    tooOld: await tooOldDeliveries(db, deliveries),
    readSince: await readSince(db, deliveries.filter(isHopelessNow)),
    acknowledged: acknowledgedBy(deliveries, rules),
  };
}

async function classify(
  db: Knex,
  delivery: Delivery,
  evidence: Evidence,
  rules: ClassifyRules,
): Promise<ClassifiedDelivery> {
  const ours = isOwnUrl(delivery.endpointUrl, rules.own) ?? true;
  const held = ours ? pair(delivery, evidence) : null;
  const proven = provenBy(delivery, evidence, held);
  const before = ours && held === null ? evidence.before.get(delivery.id) : undefined;
  if (before !== undefined) {
    const verdict = { class: before.class, missed: false, open: false, recover: false, breakKind: null };
    const rest = { reason: 'the event is gone by its age', payload: keptPayload(delivery.payload), classifyAt: null };
    return { delivery, verdict, ours, ...proven, inboxId: before.inboxId, ...rest };
  }
  const secret = delivery.endpointId === null ? undefined : evidence.secrets.get(delivery.endpointId);
  const cameByItself = held !== null && held.labels.length > 0;
  const rejection = ours && !cameByItself ? await rejectionOf(db, delivery, evidence) : null;
  const facts: DeliveryFacts = {
    ...delivery,
    ours,
    pending: delivery.status !== null && rules.pendingStates.includes(delivery.status),
    held: held === null ? null : cameBy(delivery, held, secret?.labels ?? [], evidence),
    applied: held !== null && (held.status === 'applied' || held.status === 'unhandled'),
    rejection,
    secretRetired: secret?.retired ?? false,
    tooOld: evidence.tooOld.has(delivery.id),
    recoverable: hasPayload(delivery),
    readSince: evidence.readSince.get(delivery.id) ?? 'not yet',
  };
  const verdict = classifyDelivery(facts, rules);
  return {
    delivery,
    verdict,
    ours,
    ...proven,
    inboxId: held?.id ?? null,
    payload: payloadOf(delivery, held, verdict),
    reason: rejection ?? reasonOf(facts, verdict),
    classifyAt: verdict.open ? classifyAgainAt(facts, rules) : null,
  };
}

const hasPayload = ({ payload }: Delivery): boolean => payload !== null;

function pair(delivery: Delivery, { events, taken }: Evidence): InboxEvent | null {
  const isTaken = ({ id }: InboxEvent) => {
    const other = taken.get(takenKey(delivery.endpointId, id));
    return other !== undefined && other !== delivery.id;
  };
  const { event, answeredId } = delivery;
  const candidates = events.get(event === null ? `id ${answeredId}` : `content ${event.contentHash}`) ?? [];
  const held = pairDelivery(delivery, candidates, isTaken);
  if (held !== null) taken.set(takenKey(delivery.endpointId, held.id), delivery.id);
  return held;
}

function payloadOf({ payload, event }: Delivery, held: InboxEvent | null, { open }: DeliveryVerdict): string | null {
  if (held === null) return open ? payload : keptPayload(payload);
  const isStamped = held.timestamp === event?.timestamp || (held.key === event?.key && held.key.startsWith('fp:'));
  const isBody = held.contentHash === event?.contentHash && isStamped;
  return isBody ? null : keptPayload(payload);
}

/** What it was paired with before, and what our own answer to it named, was sent as well as what says the same. */
function provenBy(
  { id, event, answeredId, eventType }: Delivery,
  { events, before }: Evidence,
  held: InboxEvent | null,
): Pick<ClassifiedDelivery, 'alike' | 'once'> {
  const same = event === null ? [] : (events.get(`content ${event.contentHash}`) ?? []);
  const answered = (events.get(`id ${answeredId}`) ?? []).filter((one) => one.eventType === eventType);
  const once = [before.get(id)?.inboxId ?? null, ...answered.map((one) => one.id)].filter((one) => one !== null);
  return {
    alike: same.map((one) => one.id),
    once: once.filter((one) => one !== held?.id && same.every((twin) => twin.id !== one)),
  };
}

/** By content, and by id for those that only our answer names. */
function indexEvents(events: readonly InboxEvent[]): Map<string, InboxEvent[]> {
  return groupedPairs(
    events.flatMap((event) => [[`content ${event.contentHash}`, event] as const, [`id ${event.id}`, event] as const]),
  );
}

function acknowledgedBy(deliveries: readonly Delivery[], { own }: ClassifyRules): Evidence['acknowledged'] {
  const found = new Map<string, Set<string | null>>();
  for (const { event, endpointId, endpointUrl, httpStatus } of deliveries) {
    if (event === null || !isSuccess(httpStatus) || isOwnUrl(endpointUrl, own) === false) continue;
    found.set(event.key, (found.get(event.key) ?? new Set()).add(endpointId));
  }
  return found;
}

function cameBy(
  { endpointId, httpStatus, event }: Delivery,
  held: InboxEvent,
  labels: readonly string[],
  { acknowledged }: Evidence,
): NonNullable<DeliveryFacts['held']> {
  if (held.labels.length === 0) return 'recovered';
  if (labels.length > 0) return labels.some((label) => held.labels.includes(label)) ? 'own' : 'sibling';
  if (isSuccess(httpStatus)) return 'own';
  const others = event === null ? undefined : acknowledged.get(event.key);
  return others !== undefined && [...others].some((id) => id !== endpointId) ? 'sibling' : 'own';
}

/** By the answer that the service noted, by the body, or by the moment where nothing else is known. */
async function rejectionOf(db: Knex, delivery: Delivery, { rejections }: Evidence): Promise<string | null> {
  const { httpStatus, answeredError, payloadHash, lastAttemptAt } = delivery;
  if (isSuccess(httpStatus)) return null;
  const mayBeOurs = httpStatus !== null && OUR_ANSWERS.has(httpStatus);
  if (mayBeOurs && answeredError !== null) return answeredError.slice(0, 100);
  const byBody = payloadHash === null ? undefined : rejections.get(payloadHash);
  if (byBody !== undefined) return byBody;
  return mayBeOurs && httpStatus !== 503 && lastAttemptAt !== null ? rejectionAt(db, lastAttemptAt) : null;
}

function reasonOf(facts: DeliveryFacts, { class: kind, missed }: DeliveryVerdict): string | null {
  if (facts.held === 'recovered') return facts.applied ? 'recovered' : 'recovered, not applied yet';
  if (kind === 'too_old') return 'keys of events of that time are deleted by their age';
  if (kind === 'unrecoverable')
    return 'no payload to recover it from; what it reported was read from the service since';
  if (missed && !facts.recoverable) return 'no payload to recover it from';
  return kind === 'never_reached' && facts.httpStatus !== null ? `answered ${facts.httpStatus}, not by us` : null;
}

/** Two clocks, and the way between. */
const CLOCKS_MS = 3_600_000;

/**
 * Ids of the deliveries that are from a time of which keys are deleted, and that were not seen while the keys were there:
 * that no event is here proves nothing. What was seen then keeps the class it got.
 */
async function tooOldDeliveries(db: Knex, deliveries: readonly Delivery[]): Promise<Set<string>> {
  const gone = await keysGoneBefore(db);
  if (gone === null) return new Set();
  const before = gone.getTime() + CLOCKS_MS;
  const old = deliveries.flatMap(({ id, createdAt }) => (createdAt !== null && createdAt < before ? [id] : []));
  if (old.length === 0) return new Set();
  const left = await columnOf<string>(db)`
    SELECT id FROM unnest(${old}::text[]) AS old (id)
    WHERE NOT EXISTS (SELECT FROM deliveries WHERE deliveries.id = old.id AND class <> 'too_old')`;
  return new Set(left);
}
