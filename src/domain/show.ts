import { advance, compose } from './advance.js';
import { canonicalJson } from './canonical-json.js';
import type { JsonObject } from './json.js';
import { type Claim, compareClaims, isNewer, KEPT, MENTION, NO_STATE, type RecordState, readingOf } from './merge.js';
import type { ObservationSource } from './observation.js';
import { type RecordKind, type RecordRules, recordRules } from './records.js';

/** What is shown of a record. A pure function of its state. */
export interface Shown {
  fields: JsonObject;
  /** The service's own list or detail showed exactly these fields. */
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

/**
 * The newest reading, with what newer claims say where they stand further on; without a reading, the claims alone,
 * the furthest on top. A state that was never observed shows no fields, observed at 0.
 */
export function show(kind: RecordKind, { poll, claims }: RecordState): Shown {
  const rules = recordRules[kind];
  const reading = readingOf(poll);
  const said = claims.filter((claim) => claim.state !== MENTION && !claim.state.startsWith(KEPT));
  const live = said.filter((claim) => isNewer(claim, reading));
  const { fields, shapedBy } = reading?.fields ? advance(rules, reading.fields, live) : compose(rules, live);
  const later = claims.filter((claim) => !claim.state.startsWith(KEPT) && isNewer(claim, poll));
  const listed = poll !== null && poll.fields !== null;
  const absent = poll !== null && !listed && later.length === 0;
  const verified = listed && shapedBy.length === 0;
  return {
    fields: withKept(fields, claims),
    verified,
    verifiedAt: verified ? poll.from : null,
    absent,
    needsReading: later.some((claim) => !agrees(rules, claim, poll?.fields ?? null)),
    ...observed(absent ? poll : reading, absent ? [] : shapedBy, claims),
  };
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
