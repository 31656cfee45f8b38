import { isLosslessNumber } from 'lossless-json';
import { canonicalJson } from '../../domain/canonical-json.js';
import { usualIdPlaces, valueAt } from '../../domain/events/event-key.js';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { JsonTextError, MAX_DEPTH, parseJson } from '../../domain/json-table/read-table.js';
import { textField } from '../../domain/records.js';
import { type Check, finding, ok, unknown } from './check.js';

/** Of every event, and no id of it. */
const NO_ID = new Set(['/event', '/timestamp', '/data']);
const DEEPEST = 3;

export interface EventsProbed {
  checks: Check[];
  suggestedEventIdPointer: string | null;
}

/**
 * Where the event's id stands (specification 6.4: not shown): a scalar of the envelope that all deliveries of one event
 * share and no two events do. `auto`: where that searches; `keyed`: whether events came lately whose id was found, in a header or in the envelope.
 */
export function probeEventId(
  deliveries: readonly SeenDelivery[],
  { pointer, auto = usualIdPlaces, keyed }: { pointer: string; auto?: readonly string[]; keyed: boolean },
): EventsProbed {
  const name = 'event id';
  const envelopes = new Set(deliveries.map(({ content }) => content));
  if (pointer === 'none') return probed(ok(name, 'EVENT_ID_POINTER is none: the whole envelope is the key'));
  if (envelopes.size < 2) return probed(unknown(name, 'fewer than two events in the delivery history'));
  const scalars = deliveries.slice(0, 1).flatMap(({ envelope }) => scalarsOf(envelope, '', DEEPEST));
  const places = scalars.filter((at) => isEventId(deliveries, at) && !isTime(deliveries, at));
  const pointers = pointer === 'auto' ? auto : [pointer];
  const hit = pointers.find((at) => places.includes(at));
  if (hit !== undefined) return probed(ok(name, `stands at ${hit}, where EVENT_ID_POINTER (${pointer}) points`));
  const perDelivery = pointers.find((at) => deliveries.every(({ envelope }) => scalarAt(envelope, at) !== null));
  if (perDelivery !== undefined && pointer !== 'auto') {
    const found = `${perDelivery} differs between deliveries of one event, or is shared by several`;
    return probed(finding(name, found, `set EVENT_ID_POINTER to ${places[0] ?? 'none'}`), places[0] ?? 'none');
  }
  const [other] = places;
  if (other !== undefined) {
    const found = `nothing stands where EVENT_ID_POINTER (${pointer}) points, but an id at ${other}`;
    return probed(finding(name, found, `set EVENT_ID_POINTER to ${other}`), other);
  }
  if (keyed) return probed(ok(name, 'stands in a header: events came with one'));
  const none =
    'none in the envelope; the delivery history shows no headers. The whole envelope is the key: nothing is lost';
  if (pointer === 'auto') return probed(ok(name, none));
  const isHeader = pointer.startsWith('header:');
  if (isHeader) return probed(unknown(name, `no event with the ${pointer} came yet`));
  return probed(finding(name, `nothing stands at ${pointer}`, 'set EVENT_ID_POINTER to auto'), 'auto');
}

/** Whether a retry carries the time of its own attempt or that of the first one (specification 6.5: not shown). */
export function probeRestamping(deliveries: readonly SeenDelivery[], toleranceSeconds: number): Check {
  const name = 'retries';
  const retried = deliveries.flatMap(({ envelope, attempts, createdAt, lastAttemptAt }) => {
    const stamp = Number(scalarAt(envelope, '/timestamp')) * 1_000;
    const isClear = attempts > 1 && lastAttemptAt - createdAt > 3_000 && Number.isFinite(stamp);
    return isClear ? [Math.abs(stamp - lastAttemptAt) < Math.abs(stamp - createdAt)] : [];
  });
  if (retried.length === 0) return unknown(name, 'no delivery was tried twice lately');
  const restamped = retried.filter(Boolean).length;
  if (restamped === retried.length) return ok(name, 'carry the time of their own attempt');
  const first = `carry the time of the first attempt: those later than ${toleranceSeconds} s are rejected as expired, and what they name is read from the service instead`;
  return restamped === 0 ? ok(name, first) : ok(name, 'carry the time of the first attempt, or of their own');
}

function probed(check: Check, suggestedEventIdPointer: string | null = null): EventsProbed {
  return { checks: [check], suggestedEventIdPointer };
}

function isEventId(deliveries: readonly SeenDelivery[], at: string): boolean {
  const contentOf = new Map<string, string>();
  const idOf = new Map<string, string>();
  for (const { envelope, content } of deliveries) {
    const id = scalarAt(envelope, at);
    if (id === null || (contentOf.get(id) ?? content) !== content || (idOf.get(content) ?? id) !== id) return false;
    contentOf.set(id, content);
    idOf.set(content, id);
  }
  return true;
}

/** Two events at one moment would be taken for one, and one of them be lost: a time is no id. */
function isTime(deliveries: readonly SeenDelivery[], at: string): boolean {
  return deliveries.some(({ envelope }) => {
    const value = scalarAt(envelope, at) ?? '';
    return /^\d{4}-\d\d-\d\d/.test(value) || /^1\d{9}(\d{3}|\d{6}|\d{9})?(\.\d+)?$/.test(value);
  });
}

function scalarsOf(object: JsonObject, at: string, depth: number): string[] {
  return Object.entries(object).flatMap(([key, value]) => {
    const here = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (NO_ID.has(here)) return [];
    if (isJsonObject(value)) return depth > 1 ? scalarsOf(value, here, depth - 1) : [];
    return [here];
  });
}

/** A text or a number that is not empty. */
function scalarAt(envelope: JsonObject, pointer: string): string | null {
  const value = valueAt(envelope, pointer);
  if (isLosslessNumber(value)) return value.toString();
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A delivery of the history, as far as it shows how the service makes events. */
interface SeenDelivery {
  envelope: JsonObject;
  /** Event type and data: equal for every delivery of one event. */
  content: string;
  attempts: number;
  createdAt: number;
  lastAttemptAt: number;
}

export function readDeliveries(rows: readonly JsonObject[]): SeenDelivery[] {
  return rows.flatMap((row) => {
    const envelope = envelopeOf(row['payload']);
    if (envelope === null) return [];
    const { event = null, data = null } = envelope;
    return [
      {
        envelope,
        content: canonicalJson([event, data]),
        attempts: Number(row['attempts'] ?? 0),
        createdAt: Date.parse(textField(row, 'createdAt') ?? ''),
        lastAttemptAt: Date.parse(textField(row, 'lastAttemptAt') ?? ''),
      },
    ];
  });
}

function envelopeOf(payload: Json | undefined): JsonObject | null {
  const value = typeof payload === 'string' ? parsed(payload) : payload;
  return isJsonObject(value) && 'event' in value ? value : null;
}

function parsed(text: string): Json {
  try {
    return parseJson(text, MAX_DEPTH);
  } catch (error) {
    if (error instanceof JsonTextError) return null;
    throw error;
  }
}
