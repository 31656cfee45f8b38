import { advance, type Composed, compose, doubts } from './advance.js';
import { canonicalHash, canonicalJson, sameJson } from './canonical-json.js';
import { type JsonObject, ownField } from './json.js';
import { fieldOf } from './kinds/kinds.js';
import type { Observation, ObservationSource } from './observation.js';
import {
  compareStatements,
  compareText,
  isNewer,
  isReport,
  KEPT,
  MENTION,
  NO_STATE,
  newerPoll,
  type Poll,
  type RecordState,
  type Statement,
  saysFields,
  shownPollOf,
} from './record-state.js';
import { type RecordKind, type RecordRules, recordRules, stateOn, textField } from './records.js';

export interface Shown {
  /** What polls, our own calls and the delivery history say: all that decides reads these alone. */
  fields: JsonObject;
  /** What only reports say, where that is other than `fields`; null: nothing. */
  reported: JsonObject | null;
  /** The service's own list or detail showed exactly these fields, and nothing newer of those sources speaks against it. */
  verified: boolean;
  /** Since when (start of that request), in milliseconds of the service's clock; null while not verified. */
  verifiedAt: number | null;
  /** The service provably does not list the record, and no own call or delivery says so later. */
  absent: boolean;
  /** A poll, an own call or the delivery history has shown it, ever. */
  known: boolean;
  /** The newest of our own calls that made or changed it (an operation); null: none that is known. */
  ownCall: string | null;
  /** A report newer than the last poll says that the record stands elsewhere: it withholds until the next poll. */
  doubted: boolean;
  /** Something newer than the last poll says other than that poll: the record is to be read. */
  needsPoll: boolean;
  /** Of the newest thing that says the state that is shown, or of the absence; milliseconds of the service's clock. */
  observedAt: number;
  observedBy: ObservationSource;
}

/** The state after one more observation of the same record. Neither argument is changed. */
export function absorb(kind: RecordKind, state: RecordState, observation: Observation): RecordState {
  return joinStates(state, stateOf(kind, observation));
}

/** The state after everything that either side has seen: commutative, associative, idempotent. */
export function joinStates(a: RecordState, b: RecordState): RecordState {
  const shownPoll = newerPoll(shownPollOf(a.poll), shownPollOf(b.poll));
  const absence = newerPoll(absenceOf(a.poll), absenceOf(b.poll));
  const gone = absence !== null && newerPoll(absence, shownPoll) === absence;
  const poll = gone ? { ...absence, before: shownPoll } : shownPoll;
  const newest = new Map<string, Statement>();
  for (const statement of [...a.claims, ...b.claims]) {
    if (overtaken(statement, poll, shownPoll)) continue;
    const slot = `${statement.source.type} ${statement.state}`;
    const known = newest.get(slot);
    if (known === undefined || compareStatements(statement, known) > 0) newest.set(slot, statement);
  }
  return { poll, claims: bounded([...newest.values()]).sort(compareSlots) };
}

/** What one sender can fill a record with is bounded: of each field the newest reports of so many made-up states are kept. */
const MOST_SLOTS = 16;
/** Slots of the states that the rules name. These are few, and none is pushed out: it may be a true one that withholds. */
const LISTED_SLOTS: ReadonlySet<string> = new Set(
  Object.values(recordRules)
    .flatMap(({ main, side }) => (side === null ? [main] : [main, side]))
    .flatMap(({ field, ranks }) => [...ranks.keys()].map((state) => `${field}:${state}`)),
);

function bounded(claims: Statement[]): Statement[] {
  if (claims.length <= MOST_SLOTS) return claims;
  const counts = new Map<string, number>();
  return claims
    .sort((a, b) => compareStatements(b, a))
    .filter((statement) => {
      if (!isReport(statement) || LISTED_SLOTS.has(statement.state)) return true;
      const field = statement.state.slice(0, statement.state.indexOf(':'));
      const count = (counts.get(field) ?? 0) + 1;
      counts.set(field, count);
      return count <= MOST_SLOTS;
    });
}

function compareSlots(a: Statement, b: Statement): number {
  return compareText(a.state, b.state) || compareText(a.source.type, b.source.type);
}

/**
 * The newest poll, with what newer own calls and deliveries say where they stand further on; without a poll, these
 * alone, the furthest on top. Reports stand apart. A state that was never observed shows no fields, observed at 0.
 */
export function show(kind: RecordKind, { poll, claims }: RecordState): Shown {
  const rules = recordRules[kind];
  const shownPoll = shownPollOf(poll);
  const [reports, proofs] = parted(claims);
  const proven = prove(rules, shownPoll, proofs);
  const known = shownPoll !== null || proofs.some((statement) => statement.state !== MENTION);
  const said = reports.filter((statement) => saysFields(statement) && isNewer(statement, shownPoll));
  const fresh = said.filter((statement) => isNewer(statement, poll));
  const against = [...advance(rules, proven.fields, fresh).shapedBy, ...doubts(rules, proven.fields, fresh)];
  const later = claims.filter((statement) => !statement.state.startsWith(KEPT) && isNewer(statement, poll));
  const listed = poll !== null && poll.fields !== null;
  const absent = poll !== null && !listed && !later.some((statement) => !isReport(statement));
  const verified = listed && proven.isRead;
  return {
    fields: proven.fields,
    reported: reports.length === 0 ? null : reportedOf(rules, proven.fields, reports, said),
    verified,
    verifiedAt: verified ? poll.from : null,
    absent,
    known,
    ownCall: ownCallOf(proofs),
    doubted: against.length > 0,
    needsPoll: later.some((statement) => !agrees(rules, statement, poll?.fields ?? null)),
    ...witnessOf(rules, absent ? poll : shownPoll, known ? proven : compose(rules, said), claims),
  };
}

function parted(claims: Statement[]): [reports: Statement[], proofs: Statement[]] {
  if (claims.length === 0) return [claims, claims];
  return [claims.filter(isReport), claims.filter((statement) => !isReport(statement))];
}

/** What was read with the API key. `isRead`: nothing stands beside the poll, or speaks against it. */
function prove(rules: RecordRules, shownPoll: Poll | null, proofs: Statement[]): Composed & { isRead: boolean } {
  const base = shownPoll?.fields ?? null;
  const live = proofs.filter((statement) => saysFields(statement) && isNewer(statement, shownPoll));
  const { fields, shapedBy } = base === null ? compose(rules, live) : advance(rules, base, live);
  const isRead = base !== null && shapedBy.length === 0 && doubts(rules, base, live).length === 0;
  return { fields: withKept(rules, fields, proofs), shapedBy, isRead };
}

function reportedOf(
  rules: RecordRules,
  fields: JsonObject,
  reports: Statement[],
  said: Statement[],
): JsonObject | null {
  const all = withKept(rules, compose(rules, said).fields, reports);
  const other = Object.entries(all).filter(
    ([name, value]) => name !== 'id' && !sameJson(ownField(fields, name), value ?? null),
  );
  return other.length === 0 ? null : Object.fromEntries(other);
}

function ownCallOf(proofs: Statement[]): string | null {
  const own = proofs.filter(({ source, state }) => source.type === 'api_response' && state !== MENTION);
  const [newest] = own.sort((a, b) => compareStatements(b, a));
  return newest?.source.ref ?? null;
}

function stateOf(kind: RecordKind, observation: Observation): RecordState {
  const { from, to, source } = observation;
  switch (observation.type) {
    case 'poll': {
      const { fields } = observation;
      return { poll: pollOf(observation, fields, canonicalHash(fields)), claims: [] };
    }
    case 'absence':
      return { poll: pollOf(observation, null, ''), claims: [] };
    case 'mention':
      return { poll: null, claims: [{ state: MENTION, from, to, hash: '', fields: {}, source }] };
    case 'statement':
      return { poll: null, claims: slotted(kind, observation.fields, { from, to, source }) };
    default:
      throw new TypeError(`Not an observation: ${JSON.stringify(observation)}`);
  }
}

function slotted(kind: RecordKind, fields: JsonObject, at: Pick<Statement, 'from' | 'to' | 'source'>): Statement[] {
  const hash = canonicalHash(fields);
  return [
    ...slotsOf(kind, fields).map((state) => ({ state, hash, fields, ...at })),
    ...keptFields(kind, fields, isReport(at)).map((kept) => ({ ...kept, hash: canonicalHash(kept.fields), ...at })),
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

function keptFields(kind: RecordKind, fields: JsonObject, isSaid: boolean): { state: string; fields: JsonObject }[] {
  return recordRules[kind].kept.flatMap((name) => {
    const value = ownField(fields, name);
    if (value === undefined) return [];
    if (!isSaid || typeof value !== 'string' || !isKeptEach(kind, name))
      return [{ state: `${KEPT}${name}`, fields: { [name]: value } }];
    const type = ownField(fields, 'payoutType');
    // A report that calls it no refund takes nothing back that another called one: which words do, the contract says.
    const word = name === 'merchantReference' ? `${canonicalJson(type ?? null)} ` : '';
    const kept = { [name]: value, ...(type === undefined ? {} : { payoutType: type }) };
    return [{ state: `${KEPT}${name}=${word}${value}`, fields: kept }];
  });
}

function isKeptEach(kind: RecordKind, name: string): boolean {
  const field = fieldOf(kind, name);
  return field?.type === 'text' && field.keptEach === true;
}

const keptName = ({ state }: Statement): string => state.slice(KEPT.length).split('=', 1)[0] ?? '';

function overtaken(statement: Statement, poll: Poll | null, shownPoll: Poll | null): boolean {
  if (statement.state.startsWith(KEPT)) return false;
  return !isNewer(statement, statement.state === MENTION ? poll : shownPoll);
}

const absenceOf = (poll: Poll | null): Poll | null => (poll?.fields === null ? poll : null);

/** Whether the statement says nothing that the poll's fields don't: then there is nothing to read. */
function agrees({ kept }: RecordRules, statement: Statement, fields: JsonObject | null): boolean {
  if (fields === null || statement.state === MENTION || statement.state === NO_STATE) return false;
  return Object.entries(statement.fields).every(([name, value]) => {
    const shown = ownField(fields, name);
    return shown === undefined ? kept.includes(name) : sameJson(shown, value ?? null);
  });
}

/** Where the fields lack one (a link also where it is null or empty), the newest kept of it: an own call's before the history's. */
function withKept({ columns }: RecordRules, fields: JsonObject, claims: Statement[]): JsonObject {
  const isLacking = (name: string): boolean => {
    const value = ownField(fields, name);
    return value === undefined || ((value === null || value === '') && columns.some(({ field }) => field === name));
  };
  const kept = claims
    .filter((statement) => statement.state.startsWith(KEPT))
    .filter((statement) => isLacking(keptName(statement)))
    .sort((a, b) => Number(isOwn(a)) - Number(isOwn(b)) || compareStatements(a, b));
  if (kept.length === 0) return fields;
  return {
    ...fields,
    ...Object.fromEntries(
      kept.map((statement) => [keptName(statement), statement.fields[keptName(statement)] ?? null]),
    ),
  };
}

const isOwn = ({ source }: Statement): boolean => source.type === 'api_response';

/** Who says the state that is shown, or of a record known only from reports the state that they say; else what shaped it last. */
function witnessOf(
  { main }: RecordRules,
  poll: Poll | null,
  { fields, shapedBy }: Composed,
  claims: Statement[],
): Pick<Shown, 'observedAt' | 'observedBy'> {
  const says = (said: JsonObject): boolean => stateOn(main, said) === stateOn(main, fields);
  if (poll !== null && (poll.fields === null || says(poll.fields)))
    return { observedAt: poll.from, observedBy: { type: poll.by, ref: poll.ref } };
  const all =
    [shapedBy.filter((statement) => says(statement.fields)), shapedBy, claims].find((some) => some.length > 0) ?? [];
  const [newest] = all.toSorted((a, b) => compareStatements(b, a));
  return { observedAt: newest?.from ?? 0, observedBy: newest?.source ?? { type: 'poll', ref: '' } };
}
