import type { Knex } from 'knex';
import { columnOf, prepared, rowOf, rowsOf, run, type Trx, tableOf } from '../database/statements.js';

export interface WaitingEvent {
  id: string;
  key: string;
  type: string;
  /** Unix seconds of the service's clock. */
  timestamp: number;
  source: 'webhook' | 'delivery_history';
  /** ms of our clock. */
  receivedAt: number;
  /** Of the secret that signed it; null: it was not signed, or before labels were kept. */
  secretLabel: string | null;
  /** As the receiver knew it: a canary's mark is not the body's to give. */
  mark: string | null;
  /** As text: the driver takes bytes as twice as many digits, and a large body would hold the event loop for as long. */
  body: string;
}

export interface UnhandledEvent {
  id: string;
  /** What in it breaks the specification; null: its type is not kept here. */
  error: string | null;
}

/** How often an event may fail of its own before it is `dead`. */
export const MAX_ATTEMPTS = 8;
const FIRST_RETRY_SECONDS = 5;
const LONGEST_RETRY_SECONDS = 3_600;
/** How long a claimed row is left to its claimer; after a crash another one takes it up. */
const CLAIM_SECONDS = 10;

/** What the bodies that are read at once may be together; one that is larger comes alone. All that they say is saved at once. */
const MAX_BYTES_AT_ONCE = 512 * 1024;

/** A body was valid UTF-8, and JSON, when it was stored. */
const BODY_TEXT = "convert_from(body, 'UTF8') AS body";

/** Of rows that are found by their ids, whatever the planner knows: the index of those that wait would be read whole. */
const WAITS = "status || '' IN ('received', 'failed')";

/**
 * Takes those of the rows that are still to be applied, the first of them up to 512 KiB of bodies: they are `applied` once
 * the transaction ends, unless `markUnhandled` says otherwise. A row that somebody else holds is left out: whoever
 * applies it is done with it soon, and waiting could close a circle with a receiver that counts an arrival. The transaction is
 * one that saves (`SAVING`).
 */
export async function takeWaiting(trx: Trx, ids: string[]): Promise<WaitingEvent[]> {
  const { rows } = await prepared<{ rows: (Omit<WaitingEvent, 'receivedAt'> & { receivedAt: string })[] }>(
    trx,
    'take events',
    `WITH locked AS MATERIALIZED (
      SELECT id, coalesce(octet_length(body), 0) AS size
      FROM inbox WHERE id = ANY (?::bigint[]) AND ${WAITS}
      ORDER BY id FOR UPDATE SKIP LOCKED
    ), sized AS (
      SELECT id, size, sum(size) OVER (ORDER BY id) AS total FROM locked
    ), taken AS (
      UPDATE inbox SET status = 'applied', error = NULL, applied_at = now()
      FROM sized WHERE inbox.id = sized.id AND (total <= ${MAX_BYTES_AT_ONCE} OR total = sized.size)
      RETURNING inbox.id, key, event_type AS type, event_timestamp AS timestamp, source, secret_label AS "secretLabel", mark,
        ${BODY_TEXT}, extract(epoch FROM received_at) * 1000 AS "receivedAt"
    )
    SELECT * FROM taken ORDER BY id`,
    [ids],
  );
  return rows.map((row) => ({ ...row, receivedAt: Number(row.receivedAt) }));
}

/** Which of the rows are still to be applied, whoever holds them. */
export async function stillWaiting(db: Knex, ids: string[]): Promise<string[]> {
  return db('inbox').whereRaw('id = ANY (?::bigint[])', [ids]).whereRaw(WAITS).orderBy('id').pluck('id');
}

/** Of rows that the transaction took. */
export async function markUnhandled(trx: Trx, events: readonly UnhandledEvent[]): Promise<void> {
  if (events.length === 0) return;
  await run(trx)`
    UPDATE inbox SET status = 'unhandled', error = nullif(unhandled.error, '')
    FROM ${tableOf('unhandled', events, { id: 'bigint', error: 'text' })}
    WHERE inbox.id = unhandled.id`;
}

/** Counts a failure of the event's own: `failed` until a later retry, `dead` after the last. Null: it was not waiting. */
export async function failEvent(
  db: Knex,
  id: string,
  error: string,
): Promise<{ status: 'failed' | 'dead'; attempts: number } | null> {
  const [failed] = await rowsOf<{ status: 'failed' | 'dead'; attempts: number }>(db)`
    UPDATE inbox SET
      attempts = attempts + 1,
      status = CASE WHEN attempts + 1 >= ${MAX_ATTEMPTS}::integer THEN 'dead' ELSE 'failed' END,
      error = ${error},
      next_attempt_at = now() + least(${FIRST_RETRY_SECONDS}::float8 * 2 ^ least(attempts, 20), ${LONGEST_RETRY_SECONDS}::float8) * interval '1 second'
    WHERE id = ${id} AND status IN ('received', 'failed')
    RETURNING status, attempts`;
  return failed ?? null;
}

/**
 * Takes rows whose attempt is due for longer than `graceSeconds` and that nobody works on; another claimer won't get
 * them for 10 s. The longest waiting first.
 */
export async function claimOrphaned(
  db: Knex,
  { limit, graceSeconds }: { limit: number; graceSeconds: number },
): Promise<string[]> {
  return columnOf<string>(db)`
    UPDATE inbox SET next_attempt_at = now() + ${CLAIM_SECONDS}::float8 * interval '1 second'
    FROM (
      SELECT id FROM inbox
      WHERE status IN ('received', 'failed') AND next_attempt_at <= now() - ${graceSeconds}::float8 * interval '1 second'
      ORDER BY next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE inbox.id = due.id RETURNING inbox.id`;
}

/**
 * Makes events, whatever became of them, ready to be applied again. Returns those that exist and have their body still
 * (docs/retention.md).
 */
export async function reviveEvents(db: Knex, ids: string[]): Promise<string[]> {
  return columnOf<string>(db)`
    WITH asked AS (SELECT id FROM inbox WHERE id = ANY (${ids}::bigint[]) AND body IS NOT NULL ORDER BY id FOR UPDATE)
    UPDATE inbox SET status = 'received', attempts = 0, next_attempt_at = now(), applied_at = NULL, error = NULL
    FROM asked WHERE inbox.id = asked.id RETURNING inbox.id`;
}

/** Why an event can't be applied again. */
export const PRUNED_EVENT =
  'The body of this event was deleted by its age (RETENTION_BODY_DAYS): it was dealt with, and there is nothing left to apply again';

/** Of these events those whose body was deleted by its age: there is nothing left to apply. */
export async function prunedEvents(db: Knex, ids: string[]): Promise<Set<string>> {
  const pruned: string[] = await db('inbox').whereRaw('id = ANY (?::bigint[])', [ids]).whereNull('body').pluck('id');
  return new Set(pruned);
}

/** The bodies, but for those deleted by their age, of the events with these keys; up to 512 KiB of them are read at once. */
export async function* bodiesByKey(
  db: Knex,
  keys: readonly string[],
): AsyncGenerator<{ id: string; key: string; body: string }> {
  if (keys.length === 0) return;
  const sized: { id: string; size: number }[] = await db('inbox')
    .select('id', db.raw('octet_length(body) AS size'))
    .whereRaw('key = ANY (?::text[])', [[...keys]])
    .whereRaw('octet_length(body) > 0')
    .orderBy('id');
  for (let at = 0; at < sized.length; ) {
    const part: string[] = [];
    for (let bytes = 0; at < sized.length; at += 1) {
      bytes += sized[at]?.size ?? 0;
      if (part.length > 0 && bytes > MAX_BYTES_AT_ONCE) break;
      part.push(sized[at]?.id ?? '');
    }
    yield* await db('inbox')
      .select('id', 'key', db.raw(BODY_TEXT))
      .whereRaw('id = ANY (?::bigint[])', [part])
      .orderBy('id');
  }
}

export interface Backlog {
  received: number;
  failed: number;
  dead: number;
  /** Age of the oldest event that still waits to be applied; 0 where none does. */
  oldestSeconds: number;
}

/** What is not applied yet. Reads partial indexes only, so it may be asked on every scrape. */
export async function inboxBacklog(db: Knex): Promise<Backlog> {
  return rowOf<Backlog>(db)`
    SELECT (count(*) FILTER (WHERE status = 'received'))::integer AS received,
           (count(*) FILTER (WHERE status = 'failed'))::integer AS failed,
           (SELECT count(*)::integer FROM inbox WHERE status = 'dead') AS dead,
           greatest(coalesce(extract(epoch FROM now() - min(received_at)), 0), 0)::float8 AS "oldestSeconds"
    FROM inbox WHERE status IN ('received', 'failed')`;
}
