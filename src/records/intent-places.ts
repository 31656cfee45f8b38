import type { Knex } from 'knex';
import { fromDatabaseText, toDatabaseText } from './database-text.js';

/** Where a payment intent stands in the service's list. `createdAt` in ms; null: nothing that we hold tells. */
export interface IntentPlace {
  id: string;
  createdAt: number | null;
  /** The service showed it when it was last looked for. */
  listed: boolean;
}

export interface OpenIntent extends IntentPlace {
  /** It waits for the customer or the chain: minutes to hours, not for a decision that may take weeks. */
  active: boolean;
}

interface PlaceRow {
  id: string;
  ms: string | null;
  listed: boolean;
}

/** Milliseconds, rounded down, as the rows of a page are compared. */
const MS = 'floor(extract(epoch from created_at) * 1000)::bigint AS ms';
/** The service listed it when it was last looked for. */
const LISTED = "(absent_since IS NULL AND coalesce(poll_hash, '') <> '')";
const OPEN = `absent_since IS NULL
  AND (status NOT IN ('completed', 'expired', 'cancelled') OR irregular_status = 'pending_decision')`;

/** Every intent that the service listed and that may still change by itself. */
export async function openIntents(db: Knex): Promise<OpenIntent[]> {
  const { rows } = await db.raw<{ rows: (PlaceRow & { active: boolean })[] }>(
    `SELECT id, ${MS}, true AS listed, status IN ('waiting_address_selection', 'pending', 'confirming') AS active
     FROM payment_intents WHERE ${OPEN} AND coalesce(poll_hash, '') <> ''`,
  );
  return rows.map((row) => ({ ...toPlace(row), active: row.active }));
}

/** Intents that something asked to be read, due or not, the longest waiting first. */
export async function markedIntents(db: Knex, limit: number): Promise<IntentPlace[]> {
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT mark.id, ${MS}, coalesce(${LISTED}, false) AS listed FROM reading_marks AS mark LEFT JOIN payment_intents AS intent ON intent.id = mark.id
     WHERE mark.kind = 'payment_intent' ORDER BY mark.next_at, mark.id LIMIT ?`,
    [limit],
  );
  return rows.map(toPlace);
}

export async function placesOfIntents(db: Knex, ids: readonly string[]): Promise<Map<string, IntentPlace>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT id, ${MS}, ${LISTED} AS listed FROM payment_intents WHERE id = ANY (?::text[])`,
    [ids.map(toDatabaseText)],
  );
  return new Map(rows.map((row) => [fromDatabaseText(row.id), toPlace(row)]));
}

/** The nearest listed intents created at or after this millisecond, newest first. */
export async function intentsFrom(db: Knex, createdAt: number, limit: number): Promise<IntentPlace[]> {
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT id, ${MS}, true AS listed FROM payment_intents
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

/** Intents created between two moments that are not among `except`; those that the service never listed by the second pair. */
export async function intentsBetween(
  db: Knex,
  { listed, unlisted }: { listed: Moments; unlisted: Moments },
  except: readonly string[],
  limit: number,
): Promise<IntentPlace[]> {
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT id, ${MS}, ${LISTED} AS listed FROM payment_intents
     WHERE created_at < to_timestamp(?::float8 / 1000) AND created_at >= to_timestamp((?::float8 + 1) / 1000)
       AND (${LISTED} OR (created_at < to_timestamp(?::float8 / 1000) AND created_at >= to_timestamp((?::float8 + 1) / 1000)))
       AND absent_since IS NULL AND id <> ALL (?::text[])
     ORDER BY created_at DESC, id DESC LIMIT ?`,
    [listed.before, listed.after, unlisted.before, unlisted.after, except.map(toDatabaseText), limit],
  );
  return rows.map(toPlace);
}

/** Intents that the service listed and that no reading begun at `since` (ms of the service's clock) or later has shown. */
export async function intentsNotSeenSince(db: Knex, since: number, limit: number): Promise<IntentPlace[]> {
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT id, ${MS}, true AS listed FROM payment_intents
     WHERE created_at IS NOT NULL AND ${LISTED} AND poll_from < ? ORDER BY created_at DESC, id DESC LIMIT ?`,
    [Math.floor(since), limit],
  );
  return rows.map(toPlace);
}

/** Intents that only events spoke of, without saying when they were created. `claimedTo`: ms, the service's clock. */
export async function unplacedIntents(db: Knex, limit: number): Promise<{ id: string; claimedTo: number }[]> {
  const { rows } = await db.raw<{ rows: { id: string; ms: string }[] }>(
    `SELECT id, ceil(extract(epoch from observed_at) * 1000)::bigint AS ms FROM payment_intents
     WHERE created_at IS NULL AND absent_since IS NULL AND coalesce(poll_hash, '') = '' LIMIT ?`,
    [limit],
  );
  return rows.map((row) => ({ id: fromDatabaseText(row.id), claimedTo: Number(row.ms) + 1_000 }));
}

/** The newest that the service listed. */
export async function newestIntents(db: Knex, limit: number): Promise<IntentPlace[]> {
  const { rows } = await db.raw<{ rows: PlaceRow[] }>(
    `SELECT id, ${MS}, true AS listed FROM payment_intents
     WHERE created_at IS NOT NULL AND ${LISTED} ORDER BY created_at DESC, id DESC LIMIT ?`,
    [limit],
  );
  return rows.map(toPlace);
}

export async function holdsListedIntents(db: Knex): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { found: boolean }[] }>(
    `SELECT EXISTS (SELECT 1 FROM payment_intents WHERE ${LISTED}) AS found`,
  );
  return rows[0]?.found ?? false;
}

function toPlace(row: PlaceRow): IntentPlace {
  return { id: fromDatabaseText(row.id), createdAt: row.ms === null ? null : Number(row.ms), listed: row.listed };
}
