import type { Knex } from 'knex';
import type { DeliveryFacts } from '../../domain/deliveries/delivery-class.js';
import type { HeldEvent } from '../../domain/deliveries/pair-delivery.js';
import { grouped } from '../../domain/grouped.js';
import { raw, rowsOf } from '../database/statements.js';
import { recordTables } from '../record-columns.js';
import type { Delivery } from './read-delivery.js';

/** An event of the inbox, with what shows whether it came by itself. */
export interface InboxEvent extends HeldEvent {
  status: string;
  /** Labels of the secrets that it arrived under; none: it was only recovered. */
  labels: string[];
}

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
export async function rejectionsByBody(db: Knex, deliveries: readonly Delivery[]): Promise<Map<string, string>> {
  const hashes = deliveries.flatMap(({ payloadHash }) => payloadHash ?? []);
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

export const takenKey = (endpointId: string | null, inboxId: string): string => `${endpointId ?? ''} ${inboxId}`;

/** By endpoint, the labels of the secrets that are known to be its own, and whether all of them are retired. */
export type KnownSecrets = ReadonlyMap<string, { labels: string[]; retired: boolean }>;

export async function secretsByEndpoint(db: Knex): Promise<KnownSecrets> {
  const rows = await rowsOf<{ endpoint: string; labels: string[]; retired: boolean }>(db)`
    SELECT endpoint_id AS endpoint, array_agg(label) AS labels, bool_and(retired_at IS NOT NULL) AS retired
    FROM secrets WHERE endpoint_id IS NOT NULL GROUP BY endpoint_id`;
  return new Map(rows.map(({ endpoint, ...known }) => [endpoint, known]));
}

/** Two clocks, and the way between. */
const CLOCKS_MS = 3_600_000;

/**
 * By the prefix of an event's type, the polls that together show all that it can report, each by the watermark that
 * says when the newest whole one began. Payins are in no list, so that nothing proves of one that it was read.
 */
const fullScans: Readonly<Record<string, readonly string[]>> = {
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
  const wholes = fullScans[eventType?.split('.')[0] ?? ''] ?? [];
  const isAfter = (at: number | undefined) => reportedAt !== null && at !== undefined && at > reportedAt + CLOCKS_MS;
  const isNamed = mentions.length > 0 && mentions.every(({ kind, id }) => isAfter(read.get(`${kind} ${id}`)));
  if (isNamed || (wholes.length > 0 && wholes.every((name) => isAfter(marks.get(name))))) return 'yes';
  return mentions.length === 0 && wholes.length === 0 ? 'unknown' : 'not yet';
}

async function watermarksOf(db: Knex): Promise<Map<string, number>> {
  const rows = await rowsOf<{ name: string; value: { at?: unknown } }>(db)`
    SELECT kind || ' ' || name AS name, value FROM watermarks
    WHERE kind || ' ' || name = ANY (${Object.values(fullScans).flat()}::text[])`;
  return new Map(rows.flatMap(({ name, value: { at } }) => (typeof at === 'number' ? [[name, at]] : [])));
}

async function readingsOf(db: Knex, deliveries: readonly Delivery[]): Promise<Map<string, number>> {
  const mentions = deliveries.flatMap((delivery) => delivery.mentions);
  const read = new Map<string, number>();
  for (const [kind, named] of grouped(mentions, (one) => one.kind)) {
    const rows = await rowsOf<{ id: string; from: string }>(db)`
      SELECT id, poll_from AS from FROM ${raw(recordTables[kind])}
      WHERE id = ANY (${named.map(({ id }) => id)}::text[]) AND poll_from IS NOT NULL`;
    for (const { id, from } of rows) read.set(`${kind} ${id}`, Number(from));
  }
  return read;
}
