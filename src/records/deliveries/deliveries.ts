import type { Knex } from 'knex';
import type { DeliveryClass } from '../../domain/deliveries/delivery-class.js';
import { recordKinds } from '../../domain/records.js';
import type { DeliveryView } from '../../domain/views/webhook-shapes.js';
import { textArray } from '../database/array-parameter.js';
import { columnOf, rowOf } from '../database/statements.js';
import type { RowOf } from '../database/view-of.js';
import type { Delivery } from './read-delivery.js';

type Judged = 'eventId' | 'recoverable' | 'verified' | 'verifiedAt' | 'observedAt' | 'observedBy';

export interface DeliveryRow extends RowOf<Omit<DeliveryView, Judged>> {
  event_key: string | null;
  content_hash: string | null;
  event_timestamp: number | null;
  answered_id: string | null;
  answered_error: string | null;
  payload: string | null;
  payload_hash: string | null;
  details: string | null;
  inbox_id: string | null;
  /** When the service showed it like this, ms of its clock, as text. */
  poll_from: string;
  poll_ref: string;
  payment_intent_id: string | null;
  mentions: string[];
  first_seen_at: Date;
}

/**
 * Ids of those that are to be classified again though the service says nothing new, the newest first: it is their time, or
 * their event was applied. `now`: ms of the service's clock.
 */
export async function openDeliveries(db: Knex, now: number): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT id FROM (
      SELECT id, created_at FROM deliveries WHERE open AND judge_at <= ${new Date(now)}
      UNION SELECT id, created_at FROM deliveries WHERE open AND judge_at IS NULL
      UNION SELECT deliveries.id, created_at FROM deliveries JOIN inbox ON inbox.id = inbox_id
      WHERE open AND inbox_id IS NOT NULL AND inbox.status IN ('applied', 'unhandled')) AS due
    ORDER BY created_at DESC, id`;
}

export async function deliveriesById(db: Knex, ids: readonly string[]): Promise<Delivery[]> {
  const rows = await db<DeliveryRow>('deliveries').whereRaw('id = ANY (?::text[])', [textArray(ids)]);
  return rows.map(toDelivery);
}

/** Those that were paired with an event before, with their class: the event may be gone by age, it was here. */
export async function pairedBefore(
  db: Knex,
  ids: readonly string[],
): Promise<Map<string, { class: DeliveryClass; inboxId: string }>> {
  const rows: { id: string; class: DeliveryClass; inbox_id: string }[] = await db('deliveries')
    .select('id', 'class', 'inbox_id')
    .whereRaw('id = ANY (?::text[])', [textArray(ids)])
    .whereNotNull('inbox_id');
  return new Map(rows.map((row) => [row.id, { class: row.class, inboxId: row.inbox_id }]));
}

/** When the oldest delivery to us was made that the service may still try, ms; null: there is none. */
export async function oldestUnsettled(
  db: Knex,
  { pendingStates, now, stuckMs }: { pendingStates: readonly string[]; now: number; stuckMs: number },
): Promise<number | null> {
  const today = new Date(now);
  const { at } = await rowOf<{ at: Date | null }>(db)`
    SELECT min(created_at) AS at FROM (
      SELECT created_at FROM deliveries
      WHERE ours AND next_retry_at > ${today} AND created_at > ${today}::timestamptz - interval '60 days'
      UNION ALL SELECT created_at FROM deliveries
      WHERE ours AND status = ANY (${pendingStates}::text[]) AND created_at > ${today}::timestamptz - interval '60 days'
        AND greatest(created_at, last_attempt_at, next_retry_at) > ${new Date(now - stuckMs)}) AS unsettled`;
  return at?.getTime() ?? null;
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
  return rows.map(({ id }) => id).filter((id) => !seen.has(id));
}

/** Whether any is known that was made before; `at` in ms. */
export async function knowsBefore(db: Knex, at: number): Promise<boolean> {
  const row: unknown = await db('deliveries').where('created_at', '<', new Date(at)).first('id');
  return row !== undefined;
}

export async function markRecovered(trx: Knex.Transaction, ids: readonly string[], now: Date): Promise<void> {
  await trx('deliveries')
    .whereRaw('id = ANY (?::text[])', [textArray(ids)])
    .whereNull('recovered_at')
    .update({ recovered_at: now });
}

function toDelivery(row: DeliveryRow): Delivery {
  const { event_key: key, content_hash: contentHash, event_timestamp: timestamp } = row;
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    endpointUrl: row.endpoint_url,
    eventType: row.event_type,
    status: row.status,
    httpStatus: row.http_status,
    attempts: row.attempts,
    lastAttemptAt: row.last_attempt_at?.getTime() ?? null,
    nextRetryAt: row.next_retry_at?.getTime() ?? null,
    createdAt: row.created_at?.getTime() ?? null,
    event: key === null || contentHash === null || timestamp === null ? null : { key, contentHash, timestamp },
    payload: row.payload,
    payloadHash: row.payload_hash,
    details: row.details,
    answeredId: row.answered_id,
    answeredError: row.answered_error,
    paymentIntentId: row.payment_intent_id,
    mentions: row.mentions.flatMap(toMention),
    firstSeenAt: row.first_seen_at.getTime(),
    shownIn: { from: Number(row.poll_from), run: row.poll_ref },
  };
}

/** As `mentionText` has it. */
function toMention(text: string): Delivery['mentions'] {
  const at = text.indexOf(' ');
  const kind = recordKinds.find((known) => known === text.slice(0, at));
  return kind === undefined ? [] : [{ kind, id: text.slice(at + 1) }];
}

export function mentionText({ kind, id }: Delivery['mentions'][number]): string {
  return `${kind} ${id}`;
}
