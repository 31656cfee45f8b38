import { canonicalHash } from '../../domain/canonical-json.js';
import type { JsonObject } from '../../domain/json.js';
import type { Observation } from '../../domain/observation.js';
import { type RecordKind, recordKinds } from '../../domain/records.js';
import { bigintArray, textArray } from '../database/array-parameter.js';
import { usableId } from '../database/database-text.js';
import type { Trx } from '../database/statements.js';
import { recordTables } from '../record-columns.js';

export type PollObservation = Extract<Observation, { type: 'poll' }>;

/** Polls of one record that show the same, as one. `hash`: null where they don't, which no row is equal to. */
interface Shown {
  from: number;
  to: number;
  hash: string | null;
}

/** What a poll that shows the same again writes, from `given`: its time, which only goes forward. */
const TOUCH = `poll_from = given.poll_from, poll_to = given.poll_to, poll_by = given.poll_by, poll_ref = given.poll_ref,
    verified_at = to_timestamp(given.poll_from / 1000.0), observed_at = to_timestamp(given.poll_from / 1000.0),
    observed_by_type = given.poll_by, observed_by_ref = given.poll_ref`;
const IS_NEWER = `(record.poll_from, record.poll_to, record.poll_by COLLATE "C", record.poll_ref COLLATE "C")
    < (given.poll_from, given.poll_to, given.poll_by COLLATE "C", given.poll_ref COLLATE "C")`;

const statements = new Map(recordKinds.map((kind) => [kind, statementOf(recordTables[kind])]));

/**
 * Takes in, by one statement, the polls that show again what settled rows show. Returns those that are left for
 * `saveObservations`, in the same transaction; together the two do what it does alone. All are of one kind and source.
 *
 * Every row is locked, in the order of ids, and none where one of the records has no row yet: so savers of overlapping sets
 * still wait for one another, never in a circle.
 */
export async function touchUnchanged(
  trx: Trx,
  kind: RecordKind,
  polls: readonly PollObservation[],
): Promise<PollObservation[]> {
  const [first] = polls;
  const statement = statements.get(kind);
  if (first === undefined || statement === undefined) return [];
  const { source } = first;
  const shown = shownById(polls);
  const ids = textArray([...shown.keys()]);
  const values = [...shown.values()];
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(statement, [
    source.type,
    source.ref,
    ids,
    textArray(values.map(({ hash }) => hash)),
    bigintArray(values.map(({ from }) => Math.floor(from))),
    bigintArray(values.map(({ to }) => Math.ceil(to))),
    ids,
    ids,
    shown.size,
    kind,
    ids,
  ]);
  const left = new Set(rows.map(({ id }) => id));
  return polls.filter(({ id }) => left.has(id) || !shown.has(id));
}

/** The same where the rows are locked, and are known to show what these polls show. */
export async function touchRecords(trx: Trx, kind: RecordKind, polls: Observation[]): Promise<void> {
  if (polls.length === 0) return;
  await trx.raw(
    `UPDATE ${recordTables[kind]} AS record SET ${TOUCH}
     FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::text[])
       AS given (id, poll_from, poll_to, poll_by, poll_ref)
     WHERE record.id = given.id AND ${IS_NEWER}`,
    [
      textArray(polls.map(({ id }) => id)),
      bigintArray(polls.map(({ from }) => from)),
      bigintArray(polls.map(({ to }) => to)),
      textArray(polls.map(({ source }) => source.type)),
      textArray(polls.map(({ source }) => source.ref)),
    ],
  );
}

const hashes = new WeakMap<JsonObject, string>();

/** The canonical hash of what a poll showed, computed once while it is in hand. */
export function hashOfFields(fields: JsonObject): string {
  const known = hashes.get(fields);
  if (known !== undefined) return known;
  const hash = canonicalHash(fields);
  hashes.set(fields, hash);
  return hash;
}

/** Without the ids that no row can have. */
function shownById(polls: readonly PollObservation[]): Map<string, Shown> {
  const shown = new Map<string, Shown>();
  for (const { id, from, to, fields } of polls) {
    const hash = hashOfFields(fields);
    const known = shown.get(id);
    if (known === undefined) {
      if (usableId(id) !== null) shown.set(id, { from, to, hash });
      continue;
    }
    const newest = known.from > from || (known.from === from && known.to > to) ? known : { from, to };
    shown.set(id, { from: newest.from, to: newest.to, hash: known.hash === hash ? hash : null });
  }
  return shown;
}

/** Returns the ids of what it did not take in, and of what is requested to be read. */
function statementOf(table: string): string {
  return `WITH given AS MATERIALIZED (
      SELECT id, hash, poll_from, poll_to, ?::text AS poll_by, ?::text AS poll_ref
      FROM unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[]) AS given (id, hash, poll_from, poll_to)
    ), locked AS MATERIALIZED (
      SELECT id, CASE WHEN settled AND NOT masked THEN poll_hash END AS hash FROM ${table}
      WHERE id = ANY (?::text[]) AND (SELECT count(*) FROM ${table} WHERE id = ANY (?::text[])) = ?
      ORDER BY id FOR UPDATE
    ), touched AS (
      UPDATE ${table} AS record SET ${TOUCH}
      FROM given JOIN locked ON locked.id = given.id AND locked.hash = given.hash
      WHERE record.id = given.id AND ${IS_NEWER}
      RETURNING record.id
    )
    SELECT given.id FROM given LEFT JOIN touched ON touched.id = given.id
    WHERE touched.id IS NULL
      OR given.id IN (SELECT id FROM reading_marks WHERE kind = ? AND id = ANY (?::text[]))`;
}
