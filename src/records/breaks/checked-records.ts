import type { Knex } from 'knex';
import type { CheckedRecord } from '../../domain/breaks/check-facts.js';
import type { RecordKind } from '../../domain/records.js';
import { raw, rowsOf, type Sql, sql, valueOf } from '../database/statements.js';
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

/** Records of one kind that fit `where`, a condition on its table, by id; each with what its past says. */
export async function selectChecked(
  trx: Knex,
  kind: RecordKind,
  where: Sql,
  adoptedAt: Date,
  stateFields: readonly string[] = STATE_FIELDS,
): Promise<CheckedRecord[]> {
  const rows = await rowsOf<Row>(
    trx,
  )`SELECT ${raw(COLUMNS)} FROM ${raw(recordTables[kind])} WHERE ${where} ORDER BY id`;
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
  const found = await rowsOf<{ entity_id: string; moved: boolean; changed: Date | null; first: Date | null }>(trx)`
    SELECT entity_id, bool_or(field <> '*' AND from_value IS NOT NULL) AS moved,
      max(coalesce(service_time, changed_at)) FILTER (WHERE field = ANY (${stateFields}::text[])) AS changed,
      max(coalesce(service_time, changed_at)) FILTER (WHERE field = '*') AS first
    FROM changes WHERE entity_kind = ${kind} AND entity_id = ANY (${rows.map(({ id }) => id)}::text[]) GROUP BY entity_id`;
  return new Map(
    found.map(({ entity_id, moved, changed, first }) => [
      entity_id,
      { moved, since: (changed ?? first)?.getTime() ?? null, first: changed === null },
    ]),
  );
}

/** Those with these ids. */
export async function checkedById(
  trx: Knex,
  kind: RecordKind,
  ids: Iterable<string>,
  adoptedAt: Date,
): Promise<CheckedRecord[]> {
  const wanted = [...ids];
  return wanted.length === 0 ? [] : selectChecked(trx, kind, sql`id = ANY (${wanted}::text[])`, adoptedAt);
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

/** About how many there are: as of the last time that the table was analyzed. */
export async function recordsAbout(db: Knex, kind: RecordKind): Promise<number> {
  return valueOf<number>(db)`
    SELECT greatest(reltuples, 0)::float8 FROM pg_class WHERE oid = ${recordTables[kind]}::text::regclass`;
}
