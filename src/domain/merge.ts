import { advance, compose, doubts } from './advance.js';
import { canonicalHash, canonicalJson } from './canonical-json.js';
import type { JsonObject } from './json.js';
import type { Observation, ObservationSource } from './observation.js';
import {
  type Claim,
  compareClaims,
  compareText,
  isNewer,
  KEPT,
  MENTION,
  NO_STATE,
  newerPoll,
  type Poll,
  type RecordState,
  readingOf,
} from './record-state.js';
import { type RecordKind, type RecordRules, recordRules, textField } from './records.js';

/** What is shown of a record. A pure function of its state. */
export interface Shown {
  fields: JsonObject;
  /** The service's own list or detail showed exactly these fields, and nothing newer speaks against what decides. */
  verified: boolean;
  /** Since when (start of that request), in milliseconds of the service's clock; null while not verified. */
  verifiedAt: number | null;
  /** The service provably does not list the record, and nothing later says otherwise. */
  absent: boolean;
  /** Something newer than the last poll says other than that poll: the record is to be read. */
  needsReading: boolean;
  /** Of the newest thing that shaped what is shown; milliseconds of the service's clock. */
  observedAt: number;
  observedBy: ObservationSource;
}

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

/**
 * The newest reading, with what newer claims say where they stand further on; without a reading, the claims alone,
 * the furthest on top. A state that was never observed shows no fields, observed at 0.
 */
export function show(kind: RecordKind, { poll, claims }: RecordState): Shown {
  const rules = recordRules[kind];
  const reading = readingOf(poll);
  const said = claims.filter((claim) => claim.state !== MENTION && !claim.state.startsWith(KEPT));
  const live = said.filter((claim) => isNewer(claim, reading));
  const base = reading?.fields ?? null;
  const { fields, shapedBy } = base === null ? compose(rules, live) : advance(rules, base, live);
  const told = base === null ? shapedBy : [...shapedBy, ...doubts(rules, base, live)];
  const later = claims.filter((claim) => !claim.state.startsWith(KEPT) && isNewer(claim, poll));
  const listed = poll !== null && poll.fields !== null;
  const absent = poll !== null && !listed && later.length === 0;
  const verified = listed && told.length === 0;
  return {
    fields: withKept(fields, claims),
    verified,
    verifiedAt: verified ? poll.from : null,
    absent,
    needsReading: later.some((claim) => !agrees(rules, claim, poll?.fields ?? null)),
    ...observed(absent ? poll : reading, absent ? [] : told, claims),
  };
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
  const { main, side, decisive } = recordRules[kind];
  const slots = [main, side].flatMap((axis) => (axis === null ? [] : slotOf(fields, axis.field)));
  const others = decisive.filter((name) => name !== side?.field).flatMap((name) => slotOf(fields, name));
  return slots.length === 0 ? [NO_STATE, ...others] : [...slots, ...others];
}

function slotOf(fields: JsonObject, name: string): string[] {
  const value = textField(fields, name);
  return value === null ? [] : [`${name}:${value}`];
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

/** Whether the claim says nothing that the poll's fields don't: then there is nothing to read. */
function agrees({ kept }: RecordRules, claim: Claim, fields: JsonObject | null): boolean {
  if (fields === null || claim.state === MENTION || claim.state === NO_STATE) return false;
  return Object.entries(claim.fields).every(([name, value]) => {
    const shown = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (shown === undefined) return kept.includes(name);
    return shown === value || canonicalJson(shown) === canonicalJson(value);
  });
}

function withKept(fields: JsonObject, claims: Claim[]): JsonObject {
  const kept = claims.filter((claim) => claim.state.startsWith(KEPT));
  return kept.length === 0 ? fields : { ...Object.assign({}, ...kept.map((claim) => claim.fields)), ...fields };
}

function observed(
  poll: RecordState['poll'],
  shapedBy: Claim[],
  claims: Claim[],
): Pick<Shown, 'observedAt' | 'observedBy'> {
  const [newest] = (shapedBy.length === 0 && poll === null ? claims : shapedBy).toSorted((a, b) => compareClaims(b, a));
  if (newest !== undefined) return { observedAt: newest.from, observedBy: newest.source };
  if (poll !== null) return { observedAt: poll.from, observedBy: { type: poll.by, ref: poll.ref } };
  return { observedAt: 0, observedBy: { type: 'poll', ref: '' } };
}
