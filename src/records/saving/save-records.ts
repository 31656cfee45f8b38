import { sameJson } from '../../domain/canonical-json.js';
import { defaultPayoutWords, type PayoutWords } from '../../domain/family/links.js';
import { type SaidRefund, saidRefunds } from '../../domain/family/said.js';
import { type JsonObject, ownField, toJsonText } from '../../domain/json.js';
import { absorb, joinStates, type Shown, show } from '../../domain/merge.js';
import type { Observation } from '../../domain/observation.js';
import { maskPersonal } from '../../domain/personal.js';
import { compareText, emptyState, type RecordState } from '../../domain/record-state.js';
import { type RecordKind, recordKinds } from '../../domain/records.js';
import { prepared, type Trx } from '../database/statements.js';
import type { FamilyRules } from '../family/load.js';
import {
  type FoundHeads,
  lockHeads,
  readRows,
  recordTables,
  type WrittenColumn,
  writtenColumns,
} from '../record-columns.js';
import { type MergedRecord, type StoredHead, type StoredRecord, storedRecord } from '../stored-record.js';
import { hashOfFields, touchRecords } from './touch-unchanged.js';

export interface SavedRecords {
  /** Records that were merged; most of them changed. */
  merged: MergedRecord[];
  /** Polls that showed again what was shown already. */
  touched: Observation[];
}

/**
 * Saves the observations of one kind, by what was found of them. Every row of theirs is locked, in the order of ids, by what was
 * found or by the first statement here, which is begun in this moment.
 */
export async function saveRecords(
  trx: Trx,
  kind: RecordKind,
  { groups, found }: { groups: Map<string, Observation[]>; found: FoundHeads },
  rules: FamilyRules,
): Promise<SavedRecords> {
  const ids = [...groups.keys()];
  const { existing } = found;
  const merge = (id: string) => mergeRecord(kind, id, null, hashedOf(kind, groups.get(id)), rules);
  const fresh = ids.filter((id) => !existing.has(id)).map(merge);
  const inserted = fresh.length === 0 ? new Set<string>() : await insertOrLock(trx, kind, fresh, [...existing]);

  const locked = ids.filter((id) => !inserted.has(id));
  const heads = found.heads ?? (await lockHeads(trx, kind, locked));
  const hashed = new Map(locked.map((id) => [id, hashedOf(kind, groups.get(id), heads.get(id))]));
  const touched: Observation[] = [];
  const slow: string[] = [];
  for (const id of locked) {
    const again = sameAgain(heads.get(id), hashed.get(id) ?? []);
    if (again === null) slow.push(id);
    else touched.push(again);
  }
  await touchRecords(trx, kind, touched);
  const rows = await readRows(trx, kind, slow);
  const merged = slow.map((id) => {
    const row = rows.get(id);
    if (row === undefined) throw new Error(`The row of a locked ${kind} is gone`);
    return mergeRecord(kind, id, storedRecord(row), hashed.get(id) ?? [], rules);
  });
  await updateRecords(trx, kind, merged);
  return { merged: [...fresh.filter((record) => inserted.has(record.id)), ...merged], touched };
}

/** Locks records and shows them anew from what was observed of them. */
export async function mergeAgain(
  trx: Trx,
  kind: RecordKind,
  ids: string[],
  rules: FamilyRules,
): Promise<MergedRecord[]> {
  await lockHeads(trx, kind, ids);
  const rows = await readRows(trx, kind, ids);
  const merged = [...rows].map(([id, row]) => mergeRecord(kind, id, storedRecord(row), [], rules));
  await updateRecords(
    trx,
    kind,
    merged.filter((record) => record.changed),
  );
  return merged;
}

/** The newest of polls that all show what a settled row shows; null where anything was seen that may change it. */
function sameAgain(head: StoredHead | undefined, observations: HashedObservation[]): Observation | null {
  if (head?.settled !== true) return null;
  if (!observations.every(({ hash }) => hash !== null && hash === head.poll_hash)) return null;
  const polls = observations.map(({ observation }) => observation);
  return polls.reduce((newest, poll) => (comparePolls(poll, newest) > 0 ? poll : newest));
}

function comparePolls(a: Observation, b: Observation): number {
  return (
    a.from - b.from ||
    a.to - b.to ||
    compareText(a.source.type, b.source.type) ||
    compareText(a.source.ref, b.source.ref)
  );
}

/** Of a record whose personal fields were struck out, what is observed now is masked as well: it says the same as before. */
function hashedOf(
  kind: RecordKind,
  observations: readonly Observation[] = [],
  head?: Pick<StoredHead, 'masked'>,
): HashedObservation[] {
  return observations.map((observation) => withHash(head?.masked ? masked(kind, observation) : observation));
}

function masked(kind: RecordKind, observation: Observation): Observation {
  if (observation.type !== 'poll' && observation.type !== 'statement') return observation;
  return { ...observation, fields: maskPersonal(kind, observation.fields) };
}

function withHash(observation: Observation): HashedObservation {
  return { observation, hash: observation.type === 'poll' ? hashOfFields(observation.fields) : null };
}

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

const isSame = (a: readonly SaidRefund[], b: readonly SaidRefund[]): boolean => JSON.stringify(a) === JSON.stringify(b);

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
  return [...names].filter((name) => !sameJson(ownField(before, name), ownField(after, name)));
}

interface Statements {
  columns: WrittenColumn[];
  insertOrLock: string;
  update: string;
}

const statements = new Map(recordKinds.map((kind) => [kind, statementsOf(kind)]));

/**
 * Inserts records of which no row was seen, and locks the rows of `known` ids and of those that somebody else inserted
 * meanwhile. All in one pass in the order of ids: savers of overlapping sets wait for one another, never in a circle.
 * Returns the ids that were inserted.
 */
async function insertOrLock(
  trx: Trx,
  kind: RecordKind,
  records: MergedRecord[],
  known: string[],
): Promise<Set<string>> {
  const { columns, insertOrLock } = statements.get(kind) ?? statementsOf(kind);
  // The rows of known ids are there: these values are never inserted.
  const placeholders = known.map((id) => placeholder(kind, id));
  const given = arraysOf(columns, [...records, ...placeholders]);
  const name = `insert ${recordTables[kind]}`;
  // Begun in this moment: what is sent together with it comes behind its locks.
  return prepared<{ rows: { id: string }[] }>(trx, name, insertOrLock, given).then(
    ({ rows }) => new Set(rows.map((row) => row.id)),
  );
}

/** Writes what became of locked rows. */
async function updateRecords(trx: Trx, kind: RecordKind, records: MergedRecord[]): Promise<void> {
  if (records.length === 0) return;
  const { columns, update } = statements.get(kind) ?? statementsOf(kind);
  await trx.raw(update, arraysOf(columns, records));
}

function statementsOf(kind: RecordKind): Statements {
  const columns = writtenColumns(kind);
  const names = columns.map((column) => column.name);
  const values = columns.map((column) => column.read(`new.${column.name}`));
  const input = `unnest(${columns.map((column) => `?::${column.travels}[]`).join(', ')}) AS new (${names.join(', ')})`;
  const assignments = names.flatMap((name, index) => (name === 'id' ? [] : [`${name} = ${values[index]}`]));
  return {
    columns,
    insertOrLock: `INSERT INTO ${recordTables[kind]} (${names.join(', ')})
      SELECT ${values.join(', ')} FROM ${input} ORDER BY new.id
      ON CONFLICT (id) DO UPDATE SET id = excluded.id WHERE false RETURNING id`,
    update: `UPDATE ${recordTables[kind]} AS record SET ${assignments.join(', ')} FROM ${input} WHERE record.id = new.id`,
  };
}

function arraysOf(columns: WrittenColumn[], records: MergedRecord[]): Buffer[] {
  return columns.map((column) => column.encode(records));
}

function placeholder(kind: RecordKind, id: string): MergedRecord {
  return {
    kind,
    id,
    before: null,
    state: emptyState,
    shown: {
      fields: {},
      reported: null,
      known: false,
      ownCall: null,
      doubted: false,
      verified: false,
      verifiedAt: null,
      absent: false,
      needsPoll: false,
      observedAt: 0,
      observedBy: { type: 'poll', ref: '' },
    },
    text: '{}',
    reported: null,
    absentSince: null,
    changedFields: [],
    changed: false,
    said: [],
    cause: { source: { type: 'poll', ref: '' }, at: 0 },
  };
}
