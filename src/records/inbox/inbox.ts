import type { Knex } from 'knex';
import type pg from 'pg';
import type { EventKey } from '../../domain/events/event-key.js';
import { bigintArray, floatArray, textArray } from '../database/array-parameter.js';

const QUERY_TIMEOUT_MS = 5_000;
/** The type is searched by, and an index holds no more than 2,704 bytes of it. The body keeps all of it. */
const LONGEST_TYPE = 200;

/** An authentic event, ready to be stored. */
export interface Arrival extends EventKey {
  eventType: string;
  /** The envelope's, in seconds. */
  timestamp: number;
  source: 'webhook' | 'delivery_history';
  /** The secret it was signed with; null where nothing was signed. */
  secretLabel: string | null;
  /** It is a test by `tallyhook trigger`; left out or null: it is a report. */
  mark?: string | null;
  /** The bytes as received: valid UTF-8, valid JSON. */
  body: Buffer;
}

export interface StoredArrival {
  /** Of the inbox row. */
  id: string;
  /** Whether the key was there before. */
  duplicate: boolean;
  /** Whether the row is still to be applied, so that a worker should hear of it. */
  open: boolean;
}

/**
 * Stores every arrival or throws; each answer belongs to the arrival at its place. Committed when it returns.
 * Storing the same again only counts it. Not for a transaction that locks inbox rows: it commits on its own.
 */
export async function storeArrivals(db: Knex, arrivals: readonly Arrival[]): Promise<StoredArrival[]> {
  if (arrivals.length === 0) return [];
  const stored = await insertNew(db, arrivals);
  const repeats = arrivals.filter((_, i) => stored[i] === null);
  const counted = await storeRepeats(db, repeats);
  let next = 0;
  return stored.map((answer) => answer ?? at(counted, next++));
}

/**
 * Counts arrivals whose key is there already. Under one event id there may stand another content: it is stored as a row
 * of its own, so that it is applied too, under the key `<key>#<contentHash>`; `duplicate` is true all the same.
 */
export async function storeRepeats(db: Knex, arrivals: readonly Arrival[]): Promise<StoredArrival[]> {
  if (arrivals.length === 0) return [];
  const rows = await countRepeats(db, arrivals);
  const others = arrivals.filter(({ key, contentHash }) => rows.get(key)?.content_hash !== contentHash);
  const variants = others.length === 0 ? [] : await storeVariants(db, others, rows);
  let next = 0;
  return arrivals.map(({ key, contentHash }) => {
    const row = rows.get(key);
    if (row?.content_hash !== contentHash) return at(variants, next++);
    return { id: row.id, duplicate: true, open: row.open };
  });
}

/** A variant's key holds its content, so a second round ends. A row that retention took meanwhile is stored afresh. */
async function storeVariants(
  db: Knex,
  arrivals: readonly Arrival[],
  rows: ReadonlyMap<string, unknown>,
): Promise<StoredArrival[]> {
  const apart = arrivals.map((arrival) =>
    rows.has(arrival.key) ? { ...arrival, key: `${arrival.key}#${arrival.contentHash}` } : arrival,
  );
  const stored = await storeArrivals(db, apart);
  return stored.map((answer, i) => ({ ...answer, duplicate: answer.duplicate || rows.has(at(arrivals, i).key) }));
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`nothing at ${index} of ${items.length}`);
  return item;
}

/**
 * Stores the arrivals whose key is new, in one statement that is its own transaction. null: the key was there before,
 * committed, or belongs to an earlier arrival of this list; it is not counted yet.
 *
 * Rows are inserted in the order of their keys, so that two processes with the same events never wait for each other in
 * a circle. Existing rows are not locked: whoever works on them does not delay a new event.
 */
export async function insertNew(db: Knex, arrivals: readonly Arrival[]): Promise<(StoredArrival | null)[]> {
  const firsts = firstOfEachKey(arrivals);
  const announced =
    firsts.length > MOST_ANNOUNCED ? undefined : { ...ANNOUNCE, values: [textArray(firsts.map(({ key }) => key))] };
  const insert = { ...INSERT_NEW, values: insertValues(firsts) };
  const rows = await query<{ id: string; key: string }>(db, insert, announced);
  const ids = new Map(rows.map(({ key, id }) => [key, id]));
  return arrivals.map((arrival) => {
    const id = ids.get(arrival.key);
    ids.delete(arrival.key);
    return id === undefined ? null : { id, duplicate: false, open: true };
  });
}

interface CountedRow {
  id: string;
  key: string;
  content_hash: string;
  open: boolean;
}

/**
 * Counts further arrivals of keys that are there, and wakes the rows that are not applied yet. Locks rows in the order
 * of their ids. Returns the rows by key, as they are; an arrival with another content than its row is not counted.
 */
async function countRepeats(db: Knex, arrivals: readonly Arrival[]): Promise<Map<string, CountedRow>> {
  const values = [
    arrivals.map(({ key }) => key),
    arrivals.map(({ contentHash }) => contentHash),
    arrivals.map(({ secretLabel }) => secretLabel),
  ];
  const rows = await query<CountedRow>(db, { text: COUNT_REPEATS, values });
  return new Map(rows.map((row) => [row.key, row]));
}

/** Prepared once for each connection: it reads no table, so its plan can't grow old. */
const INSERT_NEW = {
  name: 'tallyhook_insert_new',
  text: `
INSERT INTO inbox (key, key_type, event_id, content_hash, event_type, event_timestamp, source, secret_label, mark, body)
SELECT key, key_type, event_id, content_hash, event_type, event_timestamp, source, secret_label, mark,
       substring($1::bytea FROM start::integer FOR size::integer)
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::text[], $9::text[],
            $10::text[], $11::bigint[], $12::bigint[])
     AS arrived (key, key_type, event_id, content_hash, event_type, event_timestamp, source, secret_label, mark, start, size)
ON CONFLICT (key) DO NOTHING
RETURNING id, key`,
};

/** Where stored events are announced, by their ids: the one worker that listens applies them at once (webhook/hear-events.ts). */
export const ANNOUNCED = 'tallyhook_events';
/** So many that are stored at once are a stream, which jobs share among all workers a moment later. */
const MOST_ANNOUNCED = 16;

/**
 * A transaction of its own behind that of the insert, which must not wait for others that announce. It waits for no disk.
 * The rows are found by their keys: the index of those that wait would be read whole (as in inbox-work.ts).
 */
const ANNOUNCE = {
  name: 'tallyhook_announce',
  text: `SELECT pg_notify('${ANNOUNCED}', string_agg(id::text, ',')) FROM inbox WHERE key = ANY ($1::text[]) AND status || '' = 'received'`,
};

/** Planned each time: a plan made while the table was small would read all of it for ever after. */
const COUNT_REPEATS = `
WITH arrived AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS a(key, content_hash, secret_label)
), locked AS MATERIALIZED (
  SELECT id, key, content_hash, status IN ('received', 'failed') AS open
  FROM inbox WHERE key = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE
), counted AS (
  UPDATE inbox SET
    arrivals = inbox.arrivals + repeats.n,
    last_arrival_at = now(),
    next_attempt_at = CASE WHEN inbox.status IN ('received', 'failed') THEN now() ELSE inbox.next_attempt_at END
  FROM (SELECT id, count(*)::int AS n FROM locked JOIN arrived USING (key, content_hash) GROUP BY id) AS repeats
  WHERE inbox.id = repeats.id
), evidence AS (
  INSERT INTO inbox_repeats AS evidence (inbox_id, secret_label, arrivals, first_at, last_at)
  SELECT id, secret_label, count(*)::int, now(), now()
  FROM locked JOIN arrived USING (key, content_hash)
  WHERE secret_label IS NOT NULL GROUP BY id, secret_label ORDER BY id, secret_label
  ON CONFLICT (inbox_id, secret_label)
  DO UPDATE SET arrivals = evidence.arrivals + excluded.arrivals, last_at = excluded.last_at
)
SELECT id, key, content_hash, open FROM locked`;

/** In the order of their keys, which are ASCII: the same order in every process. */
function firstOfEachKey(arrivals: readonly Arrival[]): Arrival[] {
  const firsts = new Map<string, Arrival>();
  for (const arrival of arrivals) if (!firsts.has(arrival.key)) firsts.set(arrival.key, arrival);
  return [...firsts.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The bodies go as one binary value: an array of them would be twice the bytes and many times the work. */
function insertValues(arrivals: readonly Arrival[]): Buffer[] {
  let end = 0;
  const starts = arrivals.map(({ body }) => {
    end += body.length;
    return end - body.length + 1;
  });
  return [
    Buffer.concat(arrivals.map(({ body }) => body)),
    textArray(arrivals.map(({ key }) => key)),
    textArray(arrivals.map(({ keyType }) => keyType)),
    textArray(arrivals.map(({ eventId }) => eventId)),
    textArray(arrivals.map(({ contentHash }) => contentHash)),
    textArray(arrivals.map(({ eventType }) => eventType.slice(0, LONGEST_TYPE))),
    floatArray(arrivals.map(({ timestamp }) => timestamp)),
    textArray(arrivals.map(({ source }) => source)),
    textArray(arrivals.map(({ secretLabel }) => secretLabel)),
    textArray(arrivals.map(({ mark }) => mark ?? null)),
    bigintArray(starts),
    bigintArray(arrivals.map(({ body }) => body.length)),
  ];
}

/**
 * Straight to the driver: this is the hot path of the receiver. Gives up after 5 s, and gives the connection up too. What goes
 * `behind` is sent with it, and nobody waits for its answer.
 */
async function query<Row extends pg.QueryResultRow>(
  db: Knex,
  config: pg.QueryConfig,
  behind?: pg.QueryConfig,
): Promise<Row[]> {
  const bounded = (one: pg.QueryConfig) => ({ ...one, query_timeout: QUERY_TIMEOUT_MS });
  const connection: pg.Client = await db.client.acquireConnection();
  try {
    const answered = connection.query<Row>(bounded(config));
    if (behind !== undefined) connection.query(bounded(behind)).catch(() => {});
    return (await answered).rows;
  } catch (error) {
    // Unless Postgres answered, its answer may still come: nobody else may use this connection. Knex's pool looks for this mark.
    if (!(error instanceof Error && 'severity' in error)) Object.assign(connection, { __knex__disposed: error });
    throw error;
  } finally {
    await db.client.releaseConnection(connection);
  }
}
