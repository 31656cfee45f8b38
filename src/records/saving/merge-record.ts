import { canonicalJson } from '../../domain/canonical-json.js';
import { defaultPayoutWords, type PayoutWords } from '../../domain/family/links.js';
import { type SaidRefund, saidRefunds } from '../../domain/family/said.js';
import type { Json, JsonObject } from '../../domain/json.js';
import { toJsonText } from '../../domain/json-text.js';
import { absorb, joinStates, type Shown, show } from '../../domain/merge.js';
import type { Observation } from '../../domain/observation.js';
import { emptyState, type RecordState } from '../../domain/record-state.js';
import type { RecordKind } from '../../domain/records.js';
import type { FamilyRules } from '../family/load.js';
import { type MergedRecord, ownField, type StoredRecord } from '../stored-record.js';

/** A poll with the canonical hash of its fields, computed once; of anything else null. */
export interface HashedObservation {
  observation: Observation;
  hash: string | null;
}

/** What is known of one record and what was observed of it, made one. */
export function mergeRecord(
  kind: RecordKind,
  id: string,
  before: StoredRecord | null,
  observations: HashedObservation[],
  { payoutWords: words = defaultPayoutWords }: FamilyRules,
): MergedRecord {
  const state = observations.reduce((state, observed) => take(kind, state, observed), before?.state ?? emptyState);
  const shown = show(kind, state);
  const text = toJsonText(shown.fields);
  const reported = shown.reported === null ? null : toJsonText(shown.reported);
  const changedFields = before === null ? Object.keys(shown.fields) : differingFields(before, shown.fields, text);
  const absentSince = absentSinceOf(before, shown, state);
  const said = kind === 'payout' ? saidOf(shown.fields, state, observations, words) : [];
  const changed =
    before === null ||
    changedFields.length > 0 ||
    before.reported !== reported ||
    before.verified !== shown.verified ||
    before.doubted !== shown.doubted ||
    before.known !== shown.known ||
    before.ownCall !== shown.ownCall ||
    (kind === 'payout' && !isSame(said, saidRefunds(before.fields, before.state.claims, words))) ||
    (before.absentSince === null) !== (absentSince === null);
  const cause = causeOf(observations) ?? { source: shown.observedBy, at: shown.observedAt };
  return { kind, id, before, state, shown, text, reported, absentSince, changedFields, changed, said, cause };
}

function causeOf(observations: readonly HashedObservation[]): MergedRecord['cause'] | null {
  const [newest] = observations
    .map(({ observation }) => observation)
    .toSorted((a, b) => b.to - a.to || b.from - a.from);
  return newest === undefined ? null : { source: newest.source, at: newest.from };
}

/** Of all reports that were observed now, too: a flood of others takes the place of one among what the record keeps. */
function saidOf(
  fields: JsonObject,
  { poll, claims }: RecordState,
  observed: HashedObservation[],
  words: PayoutWords,
): SaidRefund[] {
  const now = observed.flatMap(({ observation }) => absorb('payout', { poll, claims: [] }, observation).claims);
  return saidRefunds(fields, [...claims, ...now], words);
}

function isSame(a: readonly SaidRefund[], b: readonly SaidRefund[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function take(kind: RecordKind, state: RecordState, { observation, hash }: HashedObservation): RecordState {
  if (observation.type !== 'poll' || hash === null) return absorb(kind, state, observation);
  const { from, to, fields, source } = observation;
  return joinStates(state, {
    poll: { from, to, hash, fields, by: source.type, ref: source.ref, before: null },
    claims: [],
  });
}

function absentSinceOf(before: StoredRecord | null, shown: Shown, state: RecordState): number | null {
  if (!shown.absent || state.poll === null) return null;
  return before?.absentSince ?? state.poll.from;
}

function differingFields(
  { fields: before, text: textBefore }: StoredRecord,
  after: JsonObject,
  text: string,
): string[] {
  if (text === textBefore) return [];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !same(ownField(before, name), ownField(after, name)));
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  return canonicalJson(a) === canonicalJson(b);
}
