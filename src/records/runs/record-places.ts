import type { Knex } from 'knex';
import { states } from '../../domain/family/states.js';
import type { RecordKind } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { recordTables } from '../record-columns.js';

/** Where a record stands in its list of the service. `createdAt` in ms; null: nothing that we hold says it. */
export interface RecordPlace {
  id: string;
  createdAt: number | null;
  /** The service showed it at its last poll. */
  listed: boolean;
}

export interface OpenRecord extends RecordPlace {
  /** It waits for the customer or the chain: minutes to hours, not for a decision that may take weeks. */
  active: boolean;
  /** A dispute that the filter `irregular` does not list, polled since that was last read whole. */
  rests: boolean;
}

interface PlaceRow {
  id: string;
  ms: string | null;
  listed: boolean;
}

/** The service listed it at its last poll. */
const LISTED = "(absent_since IS NULL AND coalesce(poll_hash, '') <> '')";
/** A record that the service never listed was reported before it was made, by more than clocks differ: its time shows no place. */
const REPORTED_TOO_EARLY = "(created_at > observed_at + interval '10 minutes')";
/** Milliseconds, rounded down, as the rows of a page are compared. */
const MS = `CASE WHEN ${LISTED} OR NOT ${REPORTED_TOO_EARLY} THEN floor(extract(epoch from created_at) * 1000)::bigint END AS ms`;

/** The kinds that the service lists newest first, by cursor (specification 4). */
export type ListedKind = Extract<RecordKind, 'payment_intent' | 'invoice' | 'payout'>;

const MOVES = "status NOT IN ('completed', 'expired', 'cancelled')";
const LISTING = "FROM filter_listings WHERE record_kind = 'payment_intent' AND status = 'irregular'";
const RESTS = `NOT ${MOVES} AND poll_from >= (SELECT to_ms ${LISTING}) AND id NOT IN (SELECT unnest(ids) ${LISTING})`;

/** SQL: what may still change by itself, and what of it does so within hours. A state that is not listed is no end. */
const lives: Readonly<Record<ListedKind, { open: string; active: string; rests: string }>> = {
  payment_intent: {
    open: `(${MOVES} OR irregular_status = 'pending_decision')`,
    active: `status IN (${states.payment_intent.active.map((state) => `'${state}'`).join(', ')})`,
    rests: `((${RESTS}) IS TRUE)`,
  },
  invoice: { open: "status NOT IN ('paid', 'expired', 'cancelled')", active: 'false', rests: 'false' },
  payout: { open: "status NOT IN ('confirmed', 'failed')", active: 'true', rests: 'false' },
};

/** Every record that the service listed and that may still change by itself; those that were read longest ago first. */
export async function openRecords(db: Knex, kind: ListedKind): Promise<OpenRecord[]> {
  const { open, active, rests } = lives[kind];
  const { rows } = await db.raw<{ rows: (PlaceRow & Pick<OpenRecord, 'active' | 'rests'>)[] }>(
    `SELECT id, ${MS}, true AS listed, ${active} AS active, ${rests} AS rests
     FROM ${recordTables[kind]} WHERE absent_since IS NULL AND ${open} AND coalesce(poll_hash, '') <> '' ORDER BY poll_from`,
  );
  return rows.map((row) => ({ ...toPlace(row), active: row.active, rests: row.rests }));
}

/** Records that something asked to be read, due or not, the longest waiting first. */
export async function requestedPlaces(db: Knex, kind: ListedKind, limit: number): Promise<RecordPlace[]> {
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT mark.id, ${MS}, coalesce(${LISTED}, false) AS listed FROM reading_marks AS mark LEFT JOIN ${recordTables[kind]} AS record ON record.id = mark.id
     WHERE mark.kind = ? ORDER BY mark.next_at, mark.id LIMIT ?`,
    [kind, limit],
  );
  return rows.map(toPlace);
}

export async function placesOfRecords(
  db: Knex,
  kind: ListedKind,
  ids: readonly string[],
): Promise<Map<string, RecordPlace>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT id, ${MS}, ${LISTED} AS listed FROM ${recordTables[kind]} WHERE id = ANY (?::text[])`,
    [textArray(ids)],
  );
  return new Map(rows.map((row) => [row.id, toPlace(row)]));
}

/** The nearest listed records created at or after this millisecond, newest first. */
export async function recordsFrom(
  db: Knex,
  kind: ListedKind,
  createdAt: number,
  limit: number,
): Promise<RecordPlace[]> {
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT id, ${MS}, true AS listed FROM ${recordTables[kind]}
     WHERE created_at >= to_timestamp(?::float8 / 1000) AND ${LISTED} ORDER BY created_at, id LIMIT ?`,
    [createdAt, limit],
  );
  return rows.map(toPlace).reverse();
}

export interface Moments {
  /** Milliseconds, neither included. Infinite: no limit. */
  after: number;
  before: number;
}

/** Records created between two moments that are not among `except`; those that the service never listed by the second pair. */
export async function recordsBetween(
  db: Knex,
  kind: ListedKind,
  { listed, unlisted }: { listed: Moments; unlisted: Moments },
  except: readonly string[],
  limit: number,
): Promise<RecordPlace[]> {
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT id, ${MS}, ${LISTED} AS listed FROM ${recordTables[kind]}
     WHERE created_at < to_timestamp(?::float8 / 1000) AND created_at >= to_timestamp((?::float8 + 1) / 1000)
       AND (${LISTED} OR (NOT ${REPORTED_TOO_EARLY} AND created_at < to_timestamp(?::float8 / 1000) AND created_at >= to_timestamp((?::float8 + 1) / 1000)))
       AND absent_since IS NULL AND id <> ALL (?::text[])
     ORDER BY created_at DESC, id DESC LIMIT ?`,
    [listed.before, listed.after, unlisted.before, unlisted.after, textArray(except), limit],
  );
  return rows.map(toPlace);
}

/** Records that the service listed and that no poll begun at `since` (ms of the service's clock) or later has shown. */
export async function recordsNotSeenSince(
  db: Knex,
  kind: ListedKind,
  since: number,
  limit: number,
): Promise<RecordPlace[]> {
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT id, ${MS}, true AS listed FROM ${recordTables[kind]}
     WHERE created_at IS NOT NULL AND ${LISTED} AND poll_from < ? ORDER BY created_at DESC, id DESC LIMIT ?`,
    [Math.floor(since), limit],
  );
  return rows.map(toPlace);
}

/**
 * Records that only events spoke of, without saying when they were created, or with a time that can't be. `reportedTo`: ms,
 * the service's clock.
 */
export async function unplacedRecords(
  db: Knex,
  kind: ListedKind,
  limit: number,
): Promise<{ id: string; reportedTo: number }[]> {
  const { rows } = await db.raw<{ rows: { id: string; ms: string }[] }>(
    `SELECT id, ceil(extract(epoch from observed_at) * 1000)::bigint AS ms FROM (
       SELECT id, observed_at FROM ${recordTables[kind]}
       WHERE created_at IS NULL AND absent_since IS NULL AND coalesce(poll_hash, '') = ''
       UNION ALL
       SELECT record.id, observed_at FROM reading_marks AS mark JOIN ${recordTables[kind]} AS record ON record.id = mark.id
       WHERE mark.kind = ? AND ${REPORTED_TOO_EARLY} AND absent_since IS NULL AND coalesce(poll_hash, '') = ''
     ) AS unplaced LIMIT ?`,
    [kind, limit],
  );
  return rows.map((row) => ({ id: row.id, reportedTo: Number(row.ms) + 1_000 }));
}

/** The newest that the service listed. */
export async function newestRecords(db: Knex, kind: ListedKind, limit: number): Promise<RecordPlace[]> {
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT id, ${MS}, true AS listed FROM ${recordTables[kind]}
     WHERE created_at IS NOT NULL AND ${LISTED} ORDER BY created_at DESC, id DESC LIMIT ?`,
    [limit],
  );
  return rows.map(toPlace);
}

export async function holdsListed(db: Knex, kind: ListedKind): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { found: boolean }[] }>(
    `SELECT EXISTS (SELECT 1 FROM ${recordTables[kind]} WHERE ${LISTED}) AS found`,
  );
  return rows[0]?.found ?? false;
}

export async function countListed(db: Knex, kind: ListedKind): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: string }[] }>(
    `SELECT count(*) FROM ${recordTables[kind]} WHERE ${LISTED}`,
  );
  return Number(rows[0]?.count ?? 0);
}

function toPlace(row: PlaceRow): RecordPlace {
  return { id: row.id, createdAt: row.ms === null ? null : Number(row.ms), listed: row.listed };
}
