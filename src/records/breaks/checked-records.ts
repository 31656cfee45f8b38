import type { Knex } from 'knex';
import type { CheckedRecord } from '../../domain/breaks/check-facts.js';
import type { RecordKind } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { type ShownRow, STANDING, shownRecord } from '../family/shown-records.js';
import { recordTables } from '../record-columns.js';

interface Row extends Omit<ShownRow, 'kind'> {
  created_at: Date | null;
  first_seen_at: Date;
  read_at: string | null;
  observed_by_type: string;
  observed_by_ref: string;
}

/** What the history of changes says of a record. */
interface Past {
  /** A field was changed after it had a value: it is no mere history. */
  moved: boolean;
  since: number | null;
  /** The state is what it was at first sight. */
  first: boolean;
}

const COLUMNS = `${STANDING}, shown, false AS says_paid, created_at, first_seen_at,
  CASE WHEN poll_hash <> '' THEN poll_from END AS read_at, observed_by_type, observed_by_ref`;
/** What a state is made of. */
export const STATE_FIELDS = ['status', 'irregularStatus', 'kytStatus', 'paymentIntentId'];

/** Records of one kind that fit `where`, a condition on its table, each with what its past says. */
export async function selectChecked(
  trx: Knex,
  kind: RecordKind,
  where: { sql: string; bindings: (Buffer | string | number)[] },
  adoptedAt: Date,
  stateFields: readonly string[] = STATE_FIELDS,
): Promise<CheckedRecord[]> {
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `SELECT ${COLUMNS} FROM ${recordTables[kind]} WHERE ${where.sql}`,
    where.bindings,
  );
  const pasts = await loadPasts(trx, kind, rows, stateFields);
  return rows.map((row) => {
    const past = pasts.get(row.id);
    const createdAt = row.created_at?.getTime() ?? null;
    return {
      ...shownRecord(row),
      kind,
      createdAt,
      history: createdAt !== null && createdAt < adoptedAt.getTime() && past?.moved !== true,
      readAt: row.read_at === null ? null : Number(row.read_at),
      firstSeenAt: row.first_seen_at.getTime(),
      since: sinceOf(kind, past, createdAt),
      observedBy: { type: row.observed_by_type, ref: row.observed_by_ref },
    };
  });
}

/** A payin that we met as it is was so since it came, as far as anybody knows. */
function sinceOf(kind: RecordKind, past: Past | undefined, createdAt: number | null): number | null {
  if (past === undefined) return null;
  return kind === 'payin' && past.first ? (createdAt ?? past.since) : past.since;
}

async function loadPasts(
  trx: Knex,
  kind: RecordKind,
  rows: readonly Row[],
  stateFields: readonly string[],
): Promise<Map<string, Past>> {
  if (rows.length === 0) return new Map();
  const found = await trx.raw<{
    rows: { entity_id: string; moved: boolean; changed: Date | null; first: Date | null }[];
  }>(
    `SELECT entity_id, bool_or(field <> '*' AND from_value IS NOT NULL) AS moved,
       max(coalesce(service_time, changed_at)) FILTER (WHERE field = ANY (?::text[])) AS changed,
       max(coalesce(service_time, changed_at)) FILTER (WHERE field = '*') AS first
     FROM changes WHERE entity_kind = ? AND entity_id = ANY (?::text[]) GROUP BY entity_id`,
    [textArray([...stateFields]), kind, textArray(rows.map(({ id }) => id))],
  );
  return new Map(
    found.rows.map(({ entity_id, moved, changed, first }) => [
      entity_id,
      { moved, since: (changed ?? first)?.getTime() ?? null, first: changed === null },
    ]),
  );
}

export function idArray(ids: Iterable<string>): Buffer {
  return textArray([...ids]);
}

export function byId(records: readonly CheckedRecord[]): Map<string, CheckedRecord> {
  return new Map(records.map((record) => [record.id, record]));
}

/** Ids of a kind of record, by id, beyond `after`. */
export async function recordIds(db: Knex, kind: RecordKind, after: string, limit: number): Promise<string[]> {
  const rows: { id: string }[] = await db(recordTables[kind])
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
  return rows.map(({ id }) => id);
}
