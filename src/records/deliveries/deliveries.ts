import type { Knex } from 'knex';
import type { DeliveryClass } from '../../domain/deliveries/delivery-class.js';
import { recordKinds } from '../../domain/records.js';
import { columnOf, milliseconds, raw, rowOf, rowsOf, run, type Trx, valueOf } from '../database/statements.js';
import type { Delivery } from './read-delivery.js';

const COLUMNS = raw(`
  id, endpoint_id AS "endpointId", endpoint_url AS "endpointUrl", event_type AS "eventType", status,
  http_status AS "httpStatus", attempts, ${milliseconds('last_attempt_at')} AS "lastAttemptAt",
  ${milliseconds('next_retry_at')} AS "nextRetryAt", ${milliseconds('created_at')} AS "createdAt",
  event_key AS key, content_hash AS "contentHash", event_timestamp AS timestamp, payload, payload_hash AS "payloadHash",
  details, answered_id AS "answeredId", answered_error AS "answeredError",
  payment_intent_id AS "paymentIntentId", mentions,
  ${milliseconds('first_seen_at')} AS "firstSeenAt", poll_from::float8 AS from, poll_ref AS run`);

interface Row extends Omit<Delivery, 'event' | 'mentions' | 'shownIn'> {
  key: string | null;
  contentHash: string | null;
  timestamp: number | null;
  mentions: string[];
  from: number;
  run: string;
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
  return (await rowsOf<Row>(db)`SELECT ${COLUMNS} FROM deliveries WHERE id = ANY (${ids}::text[])`).map(toDelivery);
}

export interface PairedBefore {
  class: DeliveryClass;
  inboxId: string;
}

/** Those that were paired with an event before, with their class: the event may be gone by age, it was here. */
export async function pairedBefore(db: Knex, deliveries: readonly Delivery[]): Promise<Map<string, PairedBefore>> {
  const rows = await rowsOf<PairedBefore & { id: string }>(db)`
    SELECT id, class, inbox_id AS "inboxId" FROM deliveries
    WHERE id = ANY (${deliveries.map(({ id }) => id)}::text[]) AND inbox_id IS NOT NULL`;
  return new Map(rows.map((row) => [row.id, row]));
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
  const rows = await rowsOf<Row>(db)`SELECT ${COLUMNS} FROM deliveries WHERE event_key = ANY (${keys}::text[])`;
  return rows.map(toDelivery).filter(({ id }) => !ids.has(id));
}

/** Of the deliveries that we know, those created from `from` to `to` (ms) that are not among `seen`. */
export async function knownButUnseen(
  db: Knex,
  { from, to }: { from: number; to: number },
  seen: ReadonlySet<string>,
): Promise<string[]> {
  const ids = await columnOf<string>(db)`
    SELECT id FROM deliveries WHERE created_at >= ${new Date(from)} AND created_at <= ${new Date(to)}`;
  return ids.filter((id) => !seen.has(id));
}

/** Whether any is known that was made before; `at` in ms. */
export async function knowsBefore(db: Knex, at: number): Promise<boolean> {
  return valueOf<boolean>(db)`SELECT EXISTS (SELECT FROM deliveries WHERE created_at < ${new Date(at)})`;
}

export async function markRecovered(trx: Trx, ids: readonly string[], now: Date): Promise<void> {
  await run(trx)`UPDATE deliveries SET recovered_at = ${now} WHERE id = ANY (${ids}::text[]) AND recovered_at IS NULL`;
}

function toDelivery({ key, contentHash, timestamp, mentions, from, run, ...row }: Row): Delivery {
  return {
    ...row,
    event: key === null || contentHash === null || timestamp === null ? null : { key, contentHash, timestamp },
    mentions: mentions.flatMap(toMention),
    shownIn: { from, run },
  };
}

/** As `mentionText` has it. */
function toMention(text: string): Delivery['mentions'] {
  const at = text.indexOf(' ');
  const kind = recordKinds.find((known) => known === text.slice(0, at));
  return kind === undefined ? [] : [{ kind, id: text.slice(at + 1) }];
}

export const mentionText = ({ kind, id }: Delivery['mentions'][number]): string => `${kind} ${id}`;
