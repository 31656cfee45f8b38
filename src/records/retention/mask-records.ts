import { canonicalHash, canonicalJson } from '../../domain/canonical-json.js';
import { objectFromJsonText, toJsonText } from '../../domain/json.js';
import { show } from '../../domain/merge.js';
import { MASK, maskPersonal, personalKinds } from '../../domain/personal.js';
import { type Poll, type RecordState, type Statement, stateToText } from '../../domain/record-state.js';
import type { RecordKind } from '../../domain/records.js';
import { keyedValues } from '../../domain/search.js';
import { fromJsonbText, jsonbText, verbatim } from '../database/database-text.js';
import { raw, rowsOf, run, type Trx, tableOf } from '../database/statements.js';
import { recordTables } from '../record-columns.js';
import { dropSearchKeys } from '../search/search-keys.js';
import { type StoredRow, storedRecord } from '../stored-record.js';
import type { RetentionTask, Step, StepQuery } from './delete-rows.js';

/**
 * One task for each kind of record that may identify a person. Masks what was created long ago, or was first seen then
 * where the service gives no time of creation; what such a record says otherwise, and whether it is verified, stays as
 * it is. No change is written: nothing changed at the service.
 */
export const maskTasks: readonly RetentionTask[] = personalKinds.map((kind) => ({
  name: `personal ${kind}`,
  days: ({ personal }) => personal,
  step: (trx, query) => maskStep(trx, kind, query),
}));

interface Place {
  created: string | null;
  id: string;
}

/** Fewer at a time than elsewhere: whole records are read. */
const RECORDS = 250;

async function maskStep(trx: Trx, kind: RecordKind, query: StepQuery): Promise<Step> {
  const limit = Math.min(query.limit, RECORDS);
  const place = query.place === null ? null : (fromJsonbText(query.place) as Place);
  const scanned = await scanRecords(trx, kind, { ...query, limit }, place);
  const last = scanned.at(-1);
  const ids = scanned.flatMap(({ id, masked }) => (masked ? [] : [id]));
  const done = await maskRows(trx, kind, ids);
  if (last !== undefined && scanned.length === limit)
    return { done, next: jsonbText({ created: last.created, id: last.id } satisfies Place) };
  // After those with a time of creation those without one.
  const withoutTime = place !== null && place.created === null;
  return { done, next: withoutTime ? null : jsonbText({ created: null, id: '' } satisfies Place) };
}

interface Scanned {
  id: string;
  created: string | null;
  masked: boolean;
}

async function scanRecords(
  trx: Trx,
  kind: RecordKind,
  { cutoff, limit }: StepQuery,
  place: Place | null,
): Promise<Scanned[]> {
  const columns = `id, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created, masked`;
  if (place !== null && place.created === null) {
    return rowsOf<Scanned>(trx)`
      SELECT ${raw(columns)} FROM ${raw(recordTables[kind])}
      WHERE created_at IS NULL AND first_seen_at < ${cutoff} AND id > ${place.id} ORDER BY id LIMIT ${limit}`;
  }
  return rowsOf<Scanned>(trx)`
    SELECT ${raw(columns)} FROM ${raw(recordTables[kind])}
    WHERE created_at < ${cutoff} AND (created_at, id) > (CAST(${place?.created ?? '-infinity'} AS timestamptz), ${place?.id ?? ''})
    ORDER BY created_at, id LIMIT ${limit}`;
}

/** Rows that somebody works on are left to the next pass: nobody is waited for, so no circle of waiting closes. */
async function maskRows(trx: Trx, kind: RecordKind, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = await rowsOf<StoredRow>(trx)`
    SELECT id, poll_hash, settled, masked, poll, poll_from, poll_to, poll_by, poll_ref, claims, shown, reported,
      verified, known, doubted, own_call, absent_since
    FROM ${raw(recordTables[kind])} WHERE id = ANY (${ids}::text[]) AND NOT masked ORDER BY id FOR UPDATE SKIP LOCKED`;
  const after = rows.map((row) => maskRow(kind, row));
  const label = kind === 'account' ? `, label = CASE WHEN record.label IS NULL THEN NULL ELSE '${MASK}' END` : '';
  const given = tableOf('new', after, {
    id: 'text',
    poll: ['text', ({ poll }) => verbatim(poll)],
    poll_hash: 'text',
    claims: ['text', ({ claims }) => verbatim(claims)],
    shown: ['text', ({ shown }) => verbatim(shown)],
    reported: ['text', ({ reported }) => verbatim(reported)],
  });
  await run(trx)`
    UPDATE ${raw(recordTables[kind])} AS record SET
      poll = new.poll, poll_hash = new.poll_hash, claims = new.claims, shown = new.shown,
      reported = new.reported, masked = true${raw(label)}
    FROM ${given} WHERE record.id = new.id`;
  await dropSearchKeys(
    trx,
    rows.map((row, n) => ({ kind, id: row.id, values: lostValues(kind, row, after[n]) })),
  );
  return after.length;
}

function lostValues(kind: RecordKind, before: Texts, after: Texts | undefined): string[] {
  const kept = after === undefined ? null : valuesOf(kind, after);
  return [...valuesOf(kind, before).keys()].filter((value) => kept?.has(value) !== true);
}

type Texts = Pick<StoredRow, 'shown' | 'reported'>;

function valuesOf(kind: RecordKind, { shown, reported }: Texts): Map<string, string> {
  return keyedValues(kind, objectFromJsonText(shown), reported === null ? null : objectFromJsonText(reported));
}

type MaskedRow = Pick<StoredRow, 'id' | 'poll' | 'poll_hash' | 'claims' | 'shown' | 'reported'>;

function maskRow(kind: RecordKind, row: StoredRow): MaskedRow {
  const { state, fields } = storedRecord(row);
  const masked = maskState(kind, state);
  const { poll, claims } = stateToText(masked);
  const { reported } = show(kind, masked);
  return {
    id: row.id,
    poll: row.poll === null ? null : poll,
    poll_hash: masked.poll?.hash ?? row.poll_hash,
    claims,
    shown: toJsonText(maskPersonal(kind, fields)),
    reported: reported === null ? null : toJsonText(reported),
  };
}

/**
 * The same observations without what identifies a person. Their hashes are those of the masked fields: a later poll,
 * masked before it is compared, says the same. What is shown is the masked form of what was shown, and nothing else; what
 * is reported too, but for what identifies a person and was other than the fields by that alone.
 */
function maskState(kind: RecordKind, state: RecordState): RecordState {
  const poll = state.poll === null ? null : maskPoll(kind, state.poll);
  const claims = state.claims.map((statement) => ({ ...statement, fields: maskPersonal(kind, statement.fields) }));
  const masked = { poll, claims: claims.map((statement) => ({ ...statement, hash: hashOf(statement) })) };
  // Of statements of the very same moment the hashes decide which stands on top: they keep theirs where that matters.
  const asBefore = { poll, claims };
  return said(kind, masked) === said(kind, asBefore) ? masked : asBefore;
}

function said(kind: RecordKind, state: RecordState): string {
  const { fields, reported, ownCall, observedBy } = show(kind, state);
  return canonicalJson([fields, reported, ownCall, observedBy.type, observedBy.ref]);
}

function maskPoll(kind: RecordKind, poll: Poll): Poll {
  const before = poll.before === null ? null : maskPoll(kind, poll.before);
  if (poll.fields === null) return { ...poll, before };
  const fields = maskPersonal(kind, poll.fields);
  return { ...poll, fields, hash: canonicalHash(fields), before };
}

/** A mention says nothing, and has no hash. */
const hashOf = ({ hash, fields }: Statement): string => (hash === '' ? '' : canonicalHash(fields));
