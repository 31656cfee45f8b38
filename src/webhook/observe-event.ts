import { UNAPPLIED } from '../domain/breaks/contract-violation.js';
import { type LinkPointers, withLinks } from '../domain/events/event-key.js';
import { atOnce, inTurns } from '../domain/in-turns.js';
import { type JsonObject, ownField } from '../domain/json.js';
import type { Observation } from '../domain/observation.js';
import { amountViolations, type EntityRef, type RecordKind, recordRules, stateOn } from '../domain/records.js';
import { withoutBulk } from '../domain/without-bulk.js';
import type { NewBreak } from '../records/breaks/breaks.js';
import type { UnhandledEvent, WaitingEvent } from '../records/inbox/inbox-work.js';
import { ownTurn, turnFor } from '../records/own-turn.js';
import {
  type EventKind,
  eventKind,
  type FoundRecord,
  findRelated,
  findSubject,
  findTransaction,
} from './find-records.js';
import { type Envelope, MOST_PARTS, type Parsed, parsingText } from './parse-envelope.js';

/** What is needed of a stored event to say what it shows. */
export interface ObservableEvent {
  /** Of its inbox row. */
  id: string;
  type: string;
  /** Unix seconds of the service's clock, as the signed body says. */
  timestamp: number;
  source: 'webhook' | 'delivery_history';
  /** When it came in, ms of our clock; left out: not known. */
  receivedAt?: number;
  data: JsonObject;
  /** As it came; left out: not known. */
  body?: string;
  /** How many keys and values it has, where that is too many and `data` an outline. */
  bulk?: number | null;
  /** It is a test, by `tallyhook trigger` or a canary: it says nothing of any record. */
  mark?: string | null;
}

/** Something in the data that breaks the specification and therefore was not applied. */
interface EventProblem {
  /** JSON pointer into the data. */
  path: string;
  detail: string;
  /** What a break is to be opened for; null: saving the observation opens it. */
  entity: EntityRef | null;
}

export interface ObservedEvent {
  observations: Observation[];
  /** False: a type whose records are not kept here. */
  handled: boolean;
  problems: EventProblem[];
}

/** More than two clocks will be apart. */
const CLOCK_UNCERTAINTY_MS = 2_000;
/** How many related records one event may report. */
const MOST_RELATED = 100;
/** Of a webhook with more characters nothing is kept of its related records: some hundred of them, saved at once, take too long. */
const MOST_WITH_RELATED = 256_000;
/** More fields than any record has: of one with more nothing is kept but its id. */
const MOST_FIELDS = 1_000;
/** The furthest moment that a date can name; a timestamp beyond it counts as it. */
const MAX_TIME_MS = 8.64e15;

/**
 * What an event says of the records it speaks of. Its type's prefix decides what kind of record it is about, the shape
 * of its data is recognized (both in find-records.ts). A state that only the type's suffix names counts as the record's; where
 * the data says another one the data counts, and the record is to be read. Whatever can't be read off is asked for by
 * a mention; of a sub-wallet's transaction, which its feed shows, only the sub-wallets, and of a deposit its payin. A statement with amounts that are no decimal strings is handed on as it is: saving refuses it. Never throws.
 */
export function observeEvent(event: ObservableEvent, links: LinkPointers = {}): ObservedEvent {
  const about = eventKind(event.type);
  if (event.mark != null) return { observations: [], handled: true, problems: [] };
  if (about === null) return { observations: [], handled: false, problems: [] };
  const { kind, suffix } = about;
  const { found, untaken } = findAll(about, event);
  if (found.length === 0 && !about.isTransaction) {
    const entity = { kind: 'event' as const, id: event.id };
    return {
      observations: [],
      handled: true,
      problems: [{ path: '', detail: `no id of a ${kind} in the data`, entity }],
    };
  }
  const at = { ...noLaterThanArrival(event), source: { type: event.source, ref: event.id } };
  const seen = found.map((one, index) =>
    observe(withLinked(one, links), at, index === 0 && !about.isTransaction ? suffix : null),
  );
  return {
    observations: seen.flatMap((one) => one.observations),
    handled: true,
    problems: [...untaken, ...seen.flatMap((one) => one.problems)],
  };
}

interface Found {
  found: FoundRecord[];
  untaken: EventProblem[];
}

/** Of an outline nothing is taken but which records it names. */
function findAll(about: EventKind, { source, data, body = '', bulk = null }: ObservableEvent): Found {
  const { kind, suffix, isTransaction } = about;
  const isLarge = source === 'webhook' && body.length > MOST_WITH_RELATED;
  if (bulk === null)
    return isTransaction ? { found: findTransaction(suffix, data), untaken: [] } : findRecords(about, data, isLarge);
  const subject = isTransaction ? null : findSubject(kind, data);
  const named = isTransaction ? findTransaction(suffix, data) : subject === null ? [] : [subject];
  const detail = `${bulk} keys and values given; an event with more than ${MOST_PARTS} only has its record asked for`;
  return { found: named.map((one) => ({ ...one, fields: null })), untaken: [problem('', detail, null)] };
}

/**
 * The record that the event is about, with the state that its type names, and the related records. Where it names more than an
 * event may cause, only its subject is asked for; where it is large, the related ones are.
 */
function findRecords({ kind, suffix }: EventKind, data: JsonObject, isLarge: boolean): Found {
  const subject = findSubject(kind, data);
  if (subject === null) return { found: [], untaken: [] };
  const bulk = bulkOf(subject);
  const related = bulk === null ? findRelated(data, subject) : [];
  const most = `an event says something of ${MOST_RELATED} records besides its own at most: only its own is read`;
  if (bulk === null && related.length <= MOST_RELATED) {
    const isKept = (one: FoundRecord): boolean => !isLarge && bulkOf(one) === null;
    const light = related.map((one) => (isKept(one) ? one : { ...one, fields: null }));
    return { found: [withState(subject, suffix), ...light], untaken: [] };
  }
  const path = bulk === null || bulk.name === null ? subject.path : `${subject.path}/${bulk.name}`;
  const detail =
    bulk !== null && bulk.name === null
      ? `${bulk.length} fields given; a record with more than ${MOST_FIELDS} is only asked for`
      : `${bulk?.length ?? related.length} given; ${most}`;
  return { found: [{ ...subject, fields: null }], untaken: [problem(path, detail, null)] };
}

/** The list that is longer than any record needs, or without a name the fields, where they are too many; null: neither. */
function bulkOf({ fields }: FoundRecord): { name: string | null; length: number } | null {
  const entries = Object.entries(fields ?? {});
  if (entries.length > MOST_FIELDS) return { name: null, length: entries.length };
  for (const [name, value] of entries)
    if (Array.isArray(value) && value.length > MOST_RELATED) return { name, length: value.length };
  return null;
}

function withLinked(found: FoundRecord, links: LinkPointers): FoundRecord {
  return found.fields === null ? found : { ...found, fields: withLinks(found.kind, found.fields, links) };
}

type At = Pick<Observation, 'from' | 'to' | 'source'>;

function observe(
  { kind, id, fields, path }: FoundRecord,
  at: At,
  suffix: string | null,
): Pick<ObservedEvent, 'observations' | 'problems'> {
  const mention: Observation = { kind, id, ...at, type: 'mention' };
  if (fields === null) return { observations: [mention], problems: [] };
  const notTexts = textViolations(kind, fields).map((name) => problem(`${path}/${name}`, 'not a string', { kind, id }));
  const wrongAmounts = amountViolations(kind, fields).map((found) =>
    problem(path + found.path, `not a decimal string: ${found.given}`, null),
  );
  const problems = [...notTexts, ...wrongAmounts];
  if (notTexts.length > 0) return { observations: [mention], problems };
  const said = at.source.type === 'webhook' ? withoutBulk(fields) : fields;
  const statement: Observation = { kind, id, ...at, type: 'statement', fields: said };
  return { observations: contradicts(kind, fields, suffix) ? [statement, mention] : [statement], problems };
}

const problem = (path: string, detail: string, entity: EntityRef | null): EventProblem => ({ path, detail, entity });

/** With the state that the type's suffix names, where the data has none. */
function withState(found: FoundRecord, suffix: string): FoundRecord {
  const { main } = recordRules[found.kind];
  if ((found.fields !== null && (ownField(found.fields, main.field) ?? null) !== null) || !main.ranks.has(suffix))
    return found;
  return { ...found, fields: { ...found.fields, id: found.id, [main.field]: suffix } };
}

function contradicts(kind: RecordKind, fields: JsonObject, suffix: string | null): boolean {
  const { main } = recordRules[kind];
  return suffix !== null && main.ranks.has(suffix) && stateOn(main, fields) !== suffix;
}

/** Names of the states, ids and references that are given and are no strings. */
function textViolations(kind: RecordKind, fields: JsonObject): string[] {
  return recordRules[kind].columns.flatMap(({ field, type }) => {
    const value = ownField(fields, field) ?? null;
    return type !== 'text' || value === null || typeof value === 'string' ? [] : [field];
  });
}

/** What an event says of a time that was yet to come when it arrived counts as said then: no poll need wait for that time. */
function noLaterThanArrival({ timestamp, receivedAt }: ObservableEvent): { from: number; to: number } {
  const { from, to } = serviceTime(timestamp);
  if (receivedAt === undefined) return { from, to };
  const latest = Math.floor(receivedAt) + CLOCK_UNCERTAINTY_MS;
  return { from: Math.min(from, latest), to: Math.min(to, latest) };
}

function serviceTime(timestamp: number): { from: number; to: number } {
  const from = Math.round(Math.max(-MAX_TIME_MS, Math.min(MAX_TIME_MS, timestamp * 1_000)));
  return { from, to: Number.isInteger(timestamp) ? Math.min(from + 999, MAX_TIME_MS) : from };
}

const MAX_ERROR_LENGTH = 300;

/** A stored event with all that follows from it. */
export interface ReadEvent extends UnhandledEvent, Pick<WaitingEvent, 'key' | 'type'>, ObservedEvent {
  status: 'applied' | 'unhandled';
  data: JsonObject;
  mark: string | null;
  breaks: NewBreak[];
}

/**
 * What is to be saved of a stored event, and how it ends. `applied`: all of it was read off, or asked for.
 * `unhandled`: its type is not kept here, or something in it breaks the specification; then `error` says what.
 * Throws where the stored body is none that the receiver accepts.
 */
export function readEvent(event: WaitingEvent, links?: LinkPointers, envelope = envelopeOf(event.body)): ReadEvent {
  const { id, key, type } = event;
  const { data, bulk } = envelope;
  const mark = event.mark ?? envelope.mark;
  const observed = observeEvent({ ...event, data, mark, bulk }, links);
  const error = observed.problems.map(({ path, detail }) => `data${path}: ${detail}`).join('; ');
  return {
    ...observed,
    id,
    key,
    type,
    data,
    mark,
    status: observed.handled && error === '' ? 'applied' : 'unhandled',
    error: error === '' ? null : error.slice(0, MAX_ERROR_LENGTH),
    breaks: observed.problems.flatMap((problem) => violation(event, problem)),
  };
}

/** Of several events, with turns of the event loop between what is done for large ones. */
export async function readEvents(events: readonly WaitingEvent[], links?: LinkPointers): Promise<ReadEvent[]> {
  const read: ReadEvent[] = [];
  for (const event of events) {
    await turnFor(event.body);
    const envelope = accepted(await inTurns(parsingText(event.body), ownTurn));
    await turnFor(event.body);
    read.push(readEvent(event, links, envelope));
  }
  return read;
}

/** An envelope that was checked when it came in. */
export const envelopeOf = (body: string): Envelope => accepted(atOnce(parsingText(body)));

function accepted(parsed: Parsed): Envelope {
  if (!parsed.ok) throw new TypeError(`the stored body: ${parsed.detail}`);
  return parsed.envelope;
}

function violation({ id, type, source }: WaitingEvent, { path, detail, entity }: EventProblem): NewBreak[] {
  if (entity === null) return [];
  return [
    {
      kind: 'contract_violation',
      severity: UNAPPLIED,
      entity,
      reportedBy: source === 'webhook' ? [id] : [],
      evidence: {
        eventType: type,
        path: `/data${path}`,
        given: detail,
        applied: false,
        source: { type: source, ref: id },
      },
    },
  ];
}
