import { canonicalHash } from './canonical-json.js';
import type { JsonObject } from './json.js';
import type { Observation, ObservationSource, SourceType } from './observation.js';
import { type RecordKind, recordRules, stateOn } from './records.js';

/** A full reading, or the proof that the service does not list the record (`fields` null). */
export interface Poll {
  /** Start and end of the request, in milliseconds of the service's clock. */
  from: number;
  to: number;
  hash: string;
  fields: JsonObject | null;
  by: SourceType;
  ref: string;
  /** Of an absence: the newest full reading, so that a record that vanished is still shown. */
  before: Poll | null;
}

/** The newest thing said in one slot. */
export interface Claim {
  /** The slot: `status:completed`, `irregularStatus:none`, `none:` (no state), `kept:metadata`, `mention:`. */
  state: string;
  from: number;
  to: number;
  hash: string;
  fields: JsonObject;
  source: ObservationSource;
}

/**
 * All that is kept of the observations of one record: the newest poll, and per slot the newest claim that no full
 * reading has overtaken. Both are maxima of total orders, so any order and repetition of the same observations ends
 * in the same state (docs/decisions/0001-webhooks-claim-polls-decide.md).
 */
export interface RecordState {
  poll: Poll | null;
  claims: Claim[];
}

export const emptyState: RecordState = { poll: null, claims: [] };

export const NO_STATE = 'none:';
export const MENTION = 'mention:';
export const KEPT = 'kept:';

/** The state after one more observation of the same record. Neither argument is changed. */
export function absorb(kind: RecordKind, state: RecordState, observation: Observation): RecordState {
  return joinStates(state, stateOf(kind, observation));
}

/** The state after everything that either side has seen: commutative, associative, idempotent. */
export function joinStates(a: RecordState, b: RecordState): RecordState {
  const reading = newerPoll(readingOf(a.poll), readingOf(b.poll));
  const absence = newerPoll(absenceOf(a.poll), absenceOf(b.poll));
  const gone = absence !== null && newerPoll(absence, reading) === absence;
  const poll = gone ? { ...absence, before: reading } : reading;
  const newest = new Map<string, Claim>();
  for (const claim of [...a.claims, ...b.claims]) {
    if (overtaken(claim, poll, reading)) continue;
    const known = newest.get(claim.state);
    if (known === undefined || compareClaims(claim, known) > 0) newest.set(claim.state, claim);
  }
  return { poll, claims: [...newest.values()].sort((x, y) => compareText(x.state, y.state)) };
}

/** The newest full reading that a poll holds: itself, or the one before the record vanished. */
export function readingOf(poll: Poll | null): Poll | null {
  return poll?.fields === null ? poll.before : poll;
}

/** By time, then by what can't be a matter of taste: no two different claims are equal. */
export function compareClaims(a: Claim, b: Claim): number {
  return (
    a.to - b.to ||
    a.from - b.from ||
    compareText(a.hash, b.hash) ||
    compareText(a.source.type, b.source.type) ||
    compareText(a.source.ref, b.source.ref)
  );
}

/** The claim may say something that the poll, which began at `from`, had no chance to see. */
export function isNewer(claim: Claim, poll: Poll | null): boolean {
  return poll === null || claim.to > poll.from;
}

function stateOf(kind: RecordKind, observation: Observation): RecordState {
  const { from, to, source } = observation;
  switch (observation.type) {
    case 'reading': {
      const { fields } = observation;
      return { poll: pollOf(observation, fields, canonicalHash(fields)), claims: [] };
    }
    case 'absence':
      return { poll: pollOf(observation, null, ''), claims: [] };
    case 'mention':
      return { poll: null, claims: [{ state: MENTION, from, to, hash: '', fields: {}, source }] };
    case 'claim':
      return { poll: null, claims: slotted(kind, observation.fields, { from, to, source }) };
    default:
      throw new TypeError(`Not an observation: ${JSON.stringify(observation)}`);
  }
}

function slotted(kind: RecordKind, fields: JsonObject, at: Pick<Claim, 'from' | 'to' | 'source'>): Claim[] {
  const hash = canonicalHash(fields);
  return [
    ...slotsOf(kind, fields).map((state) => ({ state, hash, fields, ...at })),
    ...keptFields(kind, fields).map((kept) => ({ ...kept, hash: canonicalHash(kept.fields), ...at })),
  ];
}

function pollOf({ from, to, source }: Observation, fields: JsonObject | null, hash: string): Poll {
  return { from, to, hash, fields, by: source.type, ref: source.ref, before: null };
}

function slotsOf(kind: RecordKind, fields: JsonObject): string[] {
  const { main, side } = recordRules[kind];
  const slots = [main, side].flatMap((axis) => {
    const state = axis === null ? null : stateOn(axis, fields);
    return axis === null || state === null ? [] : [`${axis.field}:${state}`];
  });
  return slots.length === 0 ? [NO_STATE] : slots;
}

function keptFields(kind: RecordKind, fields: JsonObject): { state: string; fields: JsonObject }[] {
  return recordRules[kind].kept.flatMap((name) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return value === undefined ? [] : [{ state: `${KEPT}${name}`, fields: { [name]: value } }];
  });
}

function overtaken(claim: Claim, poll: Poll | null, reading: Poll | null): boolean {
  if (claim.state.startsWith(KEPT)) return false;
  return !isNewer(claim, claim.state === MENTION ? poll : reading);
}

function absenceOf(poll: Poll | null): Poll | null {
  return poll?.fields === null ? poll : null;
}

/** The later of two polls: a total order, in which of two polls of the same moment a reading is later than an absence. */
function newerPoll(a: Poll | null, b: Poll | null): Poll | null {
  if (a === null || b === null) return a ?? b;
  const order =
    a.from - b.from ||
    a.to - b.to ||
    compareText(a.hash, b.hash) ||
    compareText(a.by, b.by) ||
    compareText(a.ref, b.ref);
  return order >= 0 ? a : b;
}

/** By UTF-16 code unit. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
