import type { Knex } from 'knex';
import type { DeliveryFacts } from '../../domain/deliveries/delivery-class.js';
import type { HeldEvent } from '../../domain/deliveries/pair-delivery.js';
import type { RecordKind } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { rowsOf } from '../database/statements.js';
import { recordTables } from '../record-columns.js';
import type { Delivery } from './read-delivery.js';

/** An event of the inbox, with what shows whether it came by itself. */
export interface InboxEvent extends HeldEvent {
  status: string;
  /** Labels of the secrets that it arrived under; none: it was only recovered. */
  labels: string[];
}

/** The events that the deliveries may be paired with. */
export async function eventsOf(db: Knex, deliveries: readonly Delivery[]): Promise<InboxEvent[]> {
  const keys = deliveries.flatMap(({ event }) => event?.key ?? []);
  const hashes = deliveries.flatMap(({ event }) => event?.contentHash ?? []);
  const ids = deliveries.flatMap(({ answeredId }) => answeredId ?? []);
  const rows = await rowsOf<Omit<InboxEvent, 'firstArrivalAt' | 'labels'> & { received_at: Date }>(db)`
    SELECT id, key, content_hash AS "contentHash", event_timestamp AS timestamp, event_type AS "eventType", status, received_at
    FROM inbox WHERE id IN (
      SELECT id FROM inbox WHERE key = ANY (${keys}::text[])
      UNION SELECT id FROM inbox WHERE content_hash = ANY (${hashes}::text[])
      UNION SELECT unnest(${ids}::bigint[]))
    ORDER BY id`;
  const arrivals = await rowsOf<{ id: string; labels: string[] }>(db)`
    SELECT inbox_id AS id, array_agg(secret_label ORDER BY secret_label) AS labels
    FROM inbox_arrivals WHERE inbox_id = ANY (${rows.map(({ id }) => id)}::bigint[]) GROUP BY inbox_id`;
  const labelsOf = new Map(arrivals.map(({ id, labels }) => [id, labels]));
  return rows.map(({ received_at, ...row }) => {
    return { ...row, firstArrivalAt: received_at.getTime(), labels: labelsOf.get(row.id) ?? [] };
  });
}

/** Reasons of our rejections, by the hash of the body: as far as they were sampled. */
export async function rejectionsByBody(db: Knex, hashes: readonly string[]): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await rowsOf<{ body_hash: string; reason: string }>(db)`
    SELECT DISTINCT ON (body_hash) body_hash, reason FROM rejections WHERE body_hash = ANY (${hashes}::text[])
    ORDER BY body_hash, id DESC`;
  return new Map(rows.map(({ body_hash, reason }) => [body_hash, reason]));
}

/** The reason that we gave for refusing something within two seconds of this moment; null: none, or more than one. */
export async function rejectionAt(db: Knex, at: number): Promise<string | null> {
  const rows = await rowsOf<{ reason: string }>(db)`
    SELECT DISTINCT reason FROM rejections
    WHERE rejected_at BETWEEN ${new Date(at)}::timestamptz - interval '2 seconds' AND ${new Date(at)}::timestamptz + interval '2 seconds' LIMIT 2`;
  return rows.length === 1 ? (rows[0]?.reason ?? null) : null;
}

/** Which other delivery has an event already, by endpoint: `<endpoint> <event>` → delivery. */
export async function takenEvents(db: Knex, events: readonly InboxEvent[]): Promise<Map<string, string>> {
  const rows = await rowsOf<{ id: string; endpoint_id: string | null; inbox_id: string }>(db)`
    SELECT id, endpoint_id, inbox_id FROM deliveries WHERE inbox_id = ANY (${events.map(({ id }) => id)}::bigint[])`;
  return new Map(rows.map((row) => [takenKey(row.endpoint_id, row.inbox_id), row.id]));
}

export function takenKey(endpointId: string | null, inboxId: string): string {
  return `${endpointId ?? ''} ${inboxId}`;
}

/** By endpoint, the labels of the secrets that are known to be its own, and whether all of them are retired. */
export type KnownSecrets = ReadonlyMap<string, { labels: string[]; retired: boolean }>;

export async function secretsByEndpoint(db: Knex): Promise<KnownSecrets> {
  const rows: { endpoint_id: string; label: string; retired_at: Date | null }[] = await db('secrets')
    .whereNotNull('endpoint_id')
    .select('endpoint_id', 'label', 'retired_at');
  const known = new Map<string, { labels: string[]; retired: boolean }>();
  for (const { endpoint_id, label, retired_at } of rows) {
    const before = known.get(endpoint_id) ?? { labels: [], retired: true };
    known.set(endpoint_id, { labels: [...before.labels, label], retired: before.retired && retired_at !== null });
  }
  return known;
}

/** Two clocks, and the way between. */
const CLOCKS_MS = 3_600_000;

/**
 * By the prefix of an event's type, the polls that together show all that it can report, each by the watermark that
 * says when the newest whole one began. Payins are in no list, so that nothing proves of one that it was read.
 */
const readings: Readonly<Record<string, readonly string[]>> = {
  payment_intent: ['payment-intents sweep:all'],
  invoice: ['invoices sweep:all'],
  payout: ['payouts sweep:all'],
  wallet_account: ['accounts head', 'transactions head'],
};

/**
 * Of each delivery, whether what it reported was read from the service after it was made and last tried: the records that it
 * names, or all of the kind that its type is of.
 */
export async function readSince(
  db: Knex,
  deliveries: readonly Delivery[],
): Promise<Map<string, NonNullable<DeliveryFacts['readSince']>>> {
  if (deliveries.length === 0) return new Map();
  const marks = await watermarksOf(db);
  const read = await readingsOf(db, deliveries);
  return new Map(deliveries.map((delivery) => [delivery.id, saidOf(delivery, { marks, read })]));
}

interface Known {
  /** `kind name` → ms. */
  marks: ReadonlyMap<string, number>;
  /** `kind id` → start of the newest poll, ms. */
  read: ReadonlyMap<string, number>;
}

function saidOf(delivery: Delivery, { marks, read }: Known): NonNullable<DeliveryFacts['readSince']> {
  const { createdAt, lastAttemptAt, firstSeenAt, eventType, mentions } = delivery;
  const reportedAt = Math.max(createdAt ?? 0, lastAttemptAt ?? 0) || firstSeenAt;
  const wholes = readings[eventType?.split('.')[0] ?? ''] ?? [];
  const isAfter = (at: number | undefined) => reportedAt !== null && at !== undefined && at > reportedAt + CLOCKS_MS;
  const isNamed = mentions.length > 0 && mentions.every(({ kind, id }) => isAfter(read.get(`${kind} ${id}`)));
  if (isNamed || (wholes.length > 0 && wholes.every((name) => isAfter(marks.get(name))))) return 'yes';
  return mentions.length === 0 && wholes.length === 0 ? 'unknown' : 'not yet';
}

async function watermarksOf(db: Knex): Promise<Map<string, number>> {
  const rows: { kind: string; name: string; value: { at?: unknown } }[] = await db('watermarks')
    .whereRaw(`kind || ' ' || name = ANY (?::text[])`, [textArray(Object.values(readings).flat())])
    .select('kind', 'name', 'value');
  return new Map(
    rows.flatMap(({ kind, name, value }) => (typeof value.at === 'number' ? [[`${kind} ${name}`, value.at]] : [])),
  );
}

async function readingsOf(db: Knex, deliveries: readonly Delivery[]): Promise<Map<string, number>> {
  const byKind = new Map<RecordKind, Set<string>>();
  for (const { kind, id } of deliveries.flatMap(({ mentions }) => mentions)) {
    byKind.set(kind, (byKind.get(kind) ?? new Set()).add(id));
  }
  const read = new Map<string, number>();
  for (const [kind, ids] of byKind) {
    const rows: { id: string; poll_from: string }[] = await db(recordTables[kind])
      .select('id', 'poll_from')
      .whereRaw('id = ANY (?::text[]) AND poll_from IS NOT NULL', [textArray([...ids])]);
    for (const { id, poll_from } of rows) read.set(`${kind} ${id}`, Number(poll_from));
  }
  return read;
}
