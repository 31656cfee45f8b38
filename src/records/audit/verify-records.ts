import type { Knex } from 'knex';
import { canonicalHash, sameJson } from '../../domain/canonical-json.js';
import { grouped } from '../../domain/grouped.js';
import {
  fromJsonText,
  type Json,
  type JsonObject,
  objectFromJsonText,
  ownField,
  toJsonText,
} from '../../domain/json.js';
import { MASK, replacePersonal } from '../../domain/personal.js';
import { type RecordKind, recordRules } from '../../domain/records.js';
import { ASSIGNED, DIGEST, REPORTED, WHOLE_RECORD } from '../changes.js';
import { raw, rowsOf } from '../database/statements.js';
import { recordTables } from '../record-columns.js';
import { type StoredRecord, type StoredRow, storedRecord } from '../stored-record.js';
import { findingOf, type ReportFinding } from './verify-head.js';

interface ChangeRow {
  id: string;
  field: string;
  from: string | null;
  to: string | null;
}

/**
 * Each of these records says what its changes, which are sealed, made of it, and each change goes on from the one before; what a poll showed is
 * what the next poll is compared with. Fields that speak of a person are left out: of these the changes have digests, and a record may be masked.
 */
export async function verifyRecords(
  db: Knex,
  kind: RecordKind,
  ids: readonly string[],
  reportFinding: ReportFinding,
): Promise<void> {
  const rows = await rowsOf<StoredRow>(db)`
    SELECT id, poll_hash, settled, masked, poll, poll_from, poll_to, poll_by, poll_ref, claims, shown, verified, absent_since
    FROM ${raw(recordTables[kind])} WHERE id = ANY (${ids}::text[]) ORDER BY id`;
  const changes = await rowsOf<ChangeRow>(db)`
    SELECT entity_id AS id, field, from_value AS from, to_value AS to FROM changes
    WHERE entity_kind = ${kind} AND entity_id = ANY (${ids}::text[]) AND field NOT IN (${REPORTED}, ${ASSIGNED}) ORDER BY entity_id, seq`;
  const known = grouped(changes, ({ id }) => id);
  for (const row of rows) {
    const differing = differingFields(kind, row, known.get(row.id) ?? []);
    if (differing.length === 0) continue;
    const message = `${kind} ${row.id} is not what its sealed changes made of it: ${differing.join(', ')}`;
    reportFinding(findingOf('record_changed', message, { log: recordTables[kind], from: row.id, rows: 1 }));
  }
}

function differingFields(kind: RecordKind, row: StoredRow, changes: readonly ChangeRow[]): string[] {
  const record = storedRecord(row);
  if (changes.length === 1 && changes[0]?.to === wholeText(record)) return unlikePoll(kind, record);
  const own = { ...record.fields, verified: record.verified, absent: record.absentSince !== null };
  const { fields, broken } = fold(kind, changes);
  // What is first heard of as absent has no change that says so.
  fields['absent'] ??= record.state.poll?.fields === null && own.absent;
  const names = new Set([...Object.keys(own), ...Object.keys(fields)]);
  const other = [...names].filter((name) => !isSame(kind, name, ownField(own, name), ownField(fields, name)));
  return [...new Set([...other, ...broken, ...unlikePoll(kind, record)])];
}

/** As the one change of a record that stayed as it was first shown; null: it is known to be listed no more. */
function wholeText({ text, verified, absentSince }: StoredRecord): string | null {
  return absentSince === null ? `${text.slice(0, -1)},"verified":${verified}}` : null;
}

/** `broken`: fields that a change says were something else before than the one before it left them at. */
function fold(kind: RecordKind, changes: readonly ChangeRow[]): { fields: JsonObject; broken: string[] } {
  let fields: JsonObject = {};
  const broken: string[] = [];
  for (const { field, from, to } of changes) {
    if (field === WHOLE_RECORD) {
      fields = objectFromJsonText(to ?? '{}');
      continue;
    }
    const before = field === 'absent' ? (ownField(fields, field) ?? valueOf(from)) : ownField(fields, field);
    if (!isSame(kind, field, valueOf(from), before)) broken.push(field);
    fields[field] = valueOf(to);
  }
  return { fields, broken };
}

const valueOf = (text: string | null): Json => (text === null ? null : fromJsonText(text));

/** A field that is not there is null. What is masked, or of which only a digest is there, can't be compared. */
function isSame(kind: RecordKind, name: string, one: Json = null, other: Json = null): boolean {
  return sameJson(one, other) || [one, other].some((value) => isOfPerson(kind, name, value));
}

function isOfPerson(kind: RecordKind, name: string, value: Json): boolean {
  if (replacePersonal(kind, name, value, () => MASK) !== value) return true;
  const text = toJsonText(value);
  return text.includes(MASK) || text.includes(DIGEST);
}

/** What no poll would bring to light: fields of the poll that are not what is shown, and a hash that is not theirs. */
function unlikePoll(kind: RecordKind, { state: { poll }, fields, verified }: StoredRecord): string[] {
  if (poll === null || poll.fields === null) return [];
  const polled = Object.entries(poll.fields);
  const other =
    verified && poll.fields !== fields ? polled.filter(([name, value]) => !isShown(kind, name, value, fields)) : [];
  return [...other.map(([name]) => name), ...(canonicalHash(poll.fields) === poll.hash ? [] : ['hash of the poll'])];
}

/** What a list leaves empty our own call or the history may have said. */
function isShown(kind: RecordKind, name: string, value: Json, shown: JsonObject): boolean {
  return (
    sameJson(value, ownField(shown, name)) ||
    ((value === null || value === '') && recordRules[kind].kept.includes(name))
  );
}
