import type { Knex } from 'knex';
import type { DeliveryClass } from '../domain/delivery-class.js';
import { booleanArray, floatArray, textArray } from './array-parameter.js';
import { fromDatabaseText, toDatabaseText } from './database-text.js';
import type { JudgedDelivery } from './judge-deliveries.js';
import type { Delivery } from './read-delivery.js';

/** When the deliveries were read, ms of the service's clock, and in which run. */
export interface ReadIn {
  from: number;
  ref: string;
}

export interface DeliveryRow {
  id: string;
  endpoint_id: string | null;
  endpoint_url: string | null;
  event_type: string | null;
  status: string | null;
  http_status: number | null;
  attempts: number | null;
  last_attempt_at: Date | null;
  next_retry_at: Date | null;
  created_at: Date | null;
  event_key: string | null;
  content_hash: string | null;
  event_timestamp: number | null;
  answered_id: string | null;
  answered_error: string | null;
  payload: string | null;
  payload_hash: string | null;
  class: DeliveryClass;
  class_since: Date;
  reason: string | null;
  missed: boolean;
  inbox_id: string | null;
  recovered_at: Date | null;
  poll_ref: string;
}

const TEXTS = [
  'id',
  'endpoint_id',
  'endpoint_url',
  'event_type',
  'status',
  'event_key',
  'content_hash',
  'answered_id',
  'answered_error',
  'payload',
  'payload_hash',
  'class',
  'reason',
  'inbox_id',
] as const;
const NUMBERS = [
  'http_status',
  'attempts',
  'last_attempt_at',
  'next_retry_at',
  'created_at',
  'event_timestamp',
  'poll_from',
] as const;
const FLAGS = ['ours', 'missed', 'open'] as const;
const CASTS: Readonly<Record<string, string>> = {
  inbox_id: 'inbox_id::bigint',
  http_status: 'http_status::integer',
  attempts: 'attempts::integer',
  last_attempt_at: 'to_timestamp(last_attempt_at / 1000)',
  next_retry_at: 'to_timestamp(next_retry_at / 1000)',
  created_at: 'to_timestamp(created_at / 1000)',
  poll_from: 'poll_from::bigint',
};
const COLUMNS = [...TEXTS, ...NUMBERS, ...FLAGS];

const SAVE = `
INSERT INTO deliveries AS known (${COLUMNS.join(', ')}, poll_ref)
SELECT ${COLUMNS.map((name) => CASTS[name] ?? name).join(', ')}, ?
FROM unnest(${[...TEXTS.map(() => '?::text[]'), ...NUMBERS.map(() => '?::float8[]'), ...FLAGS.map(() => '?::boolean[]')].join(', ')})
  AS new (${COLUMNS.join(', ')})
ORDER BY id
ON CONFLICT (id) DO UPDATE SET
  ${COLUMNS.filter((name) => name !== 'id')
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')},
  poll_ref = excluded.poll_ref,
  class_since = CASE WHEN known.class = excluded.class THEN known.class_since ELSE now() END
RETURNING xmax = 0 OR class_since = now() AS changed`;

/** Writes what was judged; returns how many deliveries are new or of another class than before. */
export async function saveDeliveries(
  trx: Knex.Transaction,
  judged: readonly JudgedDelivery[],
  read: ReadIn,
): Promise<number> {
  if (judged.length === 0) return 0;
  const rows = [...new Map(judged.map((one) => [one.delivery.id, one])).values()].map((one) => valuesOf(one, read));
  const parameters = [
    ...TEXTS.map((name) => textArray(rows.map((row) => text(row[name])))),
    ...NUMBERS.map((name) => floatArray(rows.map((row) => row[name]))),
    ...FLAGS.map((name) => booleanArray(rows.map((row) => row[name]))),
  ];
  const saved = await trx.raw<{ rows: { changed: boolean }[] }>(SAVE, [read.ref, ...parameters]);
  return saved.rows.filter(({ changed }) => changed).length;
}

function valuesOf({ delivery, verdict, ours, inboxId, reason }: JudgedDelivery, { from }: ReadIn) {
  return {
    id: delivery.id,
    endpoint_id: delivery.endpointId,
    endpoint_url: delivery.endpointUrl,
    event_type: delivery.eventType,
    status: delivery.status,
    event_key: delivery.event?.key ?? null,
    content_hash: delivery.event?.contentHash ?? null,
    answered_id: delivery.answeredId,
    answered_error: delivery.answeredError,
    payload: verdict.open && inboxId === null ? delivery.payload : null,
    payload_hash: delivery.payloadHash,
    class: verdict.class,
    reason,
    inbox_id: inboxId,
    http_status: delivery.httpStatus,
    attempts: delivery.attempts,
    last_attempt_at: delivery.lastAttemptAt,
    next_retry_at: delivery.nextRetryAt,
    created_at: delivery.createdAt,
    event_timestamp: delivery.event?.timestamp ?? null,
    poll_from: Math.floor(from),
    ours,
    missed: verdict.missed,
    open: verdict.open,
  };
}

/** Ids of those that are to be judged again though the service says nothing new, the newest first. */
export async function openDeliveries(db: Knex): Promise<string[]> {
  const ids: string[] = await db('deliveries').where({ open: true }).orderBy('created_at', 'desc').pluck('id');
  return ids.map(fromDatabaseText);
}

export async function deliveriesById(db: Knex, ids: readonly string[]): Promise<Delivery[]> {
  const rows = await db<DeliveryRow>('deliveries').whereRaw('id = ANY (?::text[])', [
    textArray(ids.map(toDatabaseText)),
  ]);
  return rows.map(toDelivery);
}

/** Those that were paired with an event before, with their class: the event may be gone by age, it was here. */
export async function pairedBefore(
  db: Knex,
  ids: readonly string[],
): Promise<Map<string, { class: DeliveryClass; inboxId: string }>> {
  const rows: { id: string; class: DeliveryClass; inbox_id: string }[] = await db('deliveries')
    .select('id', 'class', 'inbox_id')
    .whereRaw('id = ANY (?::text[])', [textArray(ids.map(toDatabaseText))])
    .whereNotNull('inbox_id');
  return new Map(rows.map((row) => [fromDatabaseText(row.id), { class: row.class, inboxId: row.inbox_id }]));
}

/** When the oldest delivery to us was made that the service may still try, ms; null: there is none. */
export async function oldestUnsettled(
  db: Knex,
  { pendingStates, now, stuckMs }: { pendingStates: readonly string[]; now: number; stuckMs: number },
): Promise<number | null> {
  const { rows } = await db.raw<{ rows: [{ at: Date | null }] }>(
    `SELECT min(created_at) AS at FROM deliveries
     WHERE ours AND created_at > ?::timestamptz - interval '60 days'
       AND (next_retry_at > ? OR (status = ANY (?::text[]) AND greatest(created_at, last_attempt_at, next_retry_at) > ?))`,
    [new Date(now), new Date(now), textArray(pendingStates), new Date(now - stuckMs)],
  );
  return rows[0].at?.getTime() ?? null;
}

/** Deliveries of the same events as these, which are left out. */
export async function siblingsOf(db: Knex, deliveries: readonly Delivery[]): Promise<Delivery[]> {
  const keys = deliveries.flatMap(({ event }) => event?.key ?? []);
  const ids = new Set(deliveries.map(({ id }) => id));
  if (keys.length === 0) return [];
  const rows = await db<DeliveryRow>('deliveries').whereRaw('event_key = ANY (?::text[])', [textArray(keys)]);
  return rows.map(toDelivery).filter(({ id }) => !ids.has(id));
}

/** Of the deliveries that we know, those created from `from` to `to` (ms) that are not among `seen`. */
export async function knownButUnseen(
  db: Knex,
  { from, to }: { from: number; to: number },
  seen: ReadonlySet<string>,
): Promise<string[]> {
  const rows = await db<DeliveryRow>('deliveries')
    .select('id')
    .where('created_at', '>=', new Date(from))
    .andWhere('created_at', '<=', new Date(to));
  return rows.map(({ id }) => fromDatabaseText(id)).filter((id) => !seen.has(id));
}

export async function markRecovered(trx: Knex.Transaction, ids: readonly string[], now: Date): Promise<void> {
  await trx('deliveries')
    .whereRaw('id = ANY (?::text[])', [textArray(ids.map(toDatabaseText))])
    .whereNull('recovered_at')
    .update({ recovered_at: now });
}

export function toDelivery(row: DeliveryRow): Delivery {
  const { event_key: key, content_hash: contentHash, event_timestamp: timestamp } = row;
  return {
    id: fromDatabaseText(row.id),
    endpointId: plain(row.endpoint_id),
    endpointUrl: plain(row.endpoint_url),
    eventType: plain(row.event_type),
    status: plain(row.status),
    httpStatus: row.http_status,
    attempts: row.attempts,
    lastAttemptAt: row.last_attempt_at?.getTime() ?? null,
    nextRetryAt: row.next_retry_at?.getTime() ?? null,
    createdAt: row.created_at?.getTime() ?? null,
    event: key === null || contentHash === null || timestamp === null ? null : { key, contentHash, timestamp },
    payload: row.payload,
    payloadHash: row.payload_hash,
    answeredId: row.answered_id,
    answeredError: plain(row.answered_error),
    mentions: [],
  };
}

function text(value: string | null): string | null {
  return value === null ? null : toDatabaseText(value);
}

function plain(value: string | null): string | null {
  return value === null ? null : fromDatabaseText(value);
}
