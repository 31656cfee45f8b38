import type { Knex } from 'knex';
import type { AlertFacts, Sent } from '../../domain/alerts/facts.js';
import { type DeliveryDetail, type DeliveryView, deliveryShape } from '../../domain/views/webhook-shapes.js';
import { textArray } from '../database/array-parameter.js';
import { type Filters, given, type Page, type PageQuery, pageByTime } from '../database/paging.js';
import { raw, rowOf, rowsOf } from '../database/statements.js';
import { columnsOf, type RowOf, viewOf } from '../database/view-of.js';
import { PRUNED_DETAILS } from '../retention/delete-rows.js';
import { detailsOf } from './read-delivery.js';

export const deliveryFilters = ['class', 'endpointId', 'eventType', 'paymentIntentId', 'status', 'missed'] as const;

export interface DeliveryFilters extends Filters<(typeof deliveryFilters)[number]> {
  /** Only those that are not made good: missed, or still on their way. */
  awaited?: boolean;
  /** Only those that did not arrive, recovered or not. */
  lost?: boolean;
  /** Both belong to the range. */
  madeFrom?: Date | undefined;
  madeTo?: Date | undefined;
}

/** Payloads are left where they are: a page of them could be half a gigabyte. */
const special = {
  eventId: true,
  recoverable: true,
  verified: true,
  verifiedAt: true,
  observedAt: true,
  observedBy: true,
} as const;
const COLUMNS = [...columnsOf(deliveryShape.omit(special)), 'inbox_id', 'poll_from', 'poll_ref'];

interface Shown extends RowOf<Omit<DeliveryView, keyof typeof special>> {
  inbox_id: string | null;
  /** Ms of the service's clock, as text. */
  poll_from: string;
  poll_ref: string;
  recoverable: boolean;
}

const IN_HISTORY = '(open AND inbox_id IS NULL AND payload IS NOT NULL)';
const RECOVERABLE = `${IN_HISTORY} AS recoverable`;

/** Newest first, paged by key. Throws `CursorError`. */
export async function listDeliveries(db: Knex, query: PageQuery & DeliveryFilters): Promise<Page<DeliveryView>> {
  const rows = db('deliveries')
    .select([...COLUMNS, db.raw(RECOVERABLE)])
    .where(given(query, ...deliveryFilters));
  if (query.awaited) void rows.whereRaw('(missed OR open)');
  if (query.lost) void rows.whereRaw("class IN ('rejected', 'never_reached', 'phantom')");
  if (query.madeFrom) void rows.where('created_at', '>=', query.madeFrom);
  if (query.madeTo) void rows.where('created_at', '<=', query.madeTo);
  return pageByTime(rows, query, toView);
}

export async function getDelivery(db: Knex, id: string): Promise<DeliveryDetail | null> {
  const row: (Shown & Record<'payload' | 'details', string | null>) | undefined = await db('deliveries')
    .where({ id })
    .first(...COLUMNS, 'payload', 'details', db.raw(RECOVERABLE));
  if (row === undefined) return null;
  const { payload, details, inbox_id: inboxId } = row;
  const isEvent = payload === null && details !== null && details !== PRUNED_DETAILS && inboxId !== null;
  const event = isEvent ? await db('inbox').where({ id: inboxId }).first('body') : undefined;
  const body: Buffer | null = event?.body ?? null;
  return { ...toView(row), ...detailsOf(details, payload ?? body?.toString('utf8') ?? null) };
}

/** How many are not made good, by class, without those on their way of which the event is here (it was recovered); how many of them are missed by now, and when they were made. */
export async function countAwaited(db: Knex, now: Date): Promise<AlertFacts['awaited'][number][]> {
  const rows = await rowsOf<Unsent<AlertFacts['awaited'][number]>>(db)`
    SELECT class, count(*)::integer AS awaited, (count(*) FILTER (WHERE missed))::integer AS missed,
           (count(*) FILTER (WHERE inbox_id IS NOT NULL))::integer AS recovered,
           (count(*) FILTER (WHERE ${raw(IN_HISTORY)} AND created_at IS NOT NULL))::integer AS recoverable,
           min(created_at) AS "from", max(created_at) AS "to",
           greatest(extract(epoch FROM ${now}::timestamptz - min(coalesce(created_at, class_since))), 0)::float8 AS "oldestSeconds"
    FROM deliveries WHERE (missed OR open) AND NOT (class = 'pending_retry' AND inbox_id IS NOT NULL) GROUP BY class`;
  return rows.map(sentAt);
}

type Unsent<Row> = Omit<Row, keyof Sent> & Record<keyof Sent, Date | null>;

function sentAt<Row>({ from, to, ...row }: Unsent<Row>) {
  return { ...row, from: from?.toISOString() ?? null, to: to?.toISOString() ?? null };
}

/** Deliveries noted as taken that are not here, since the newest that came: something answers in our place. */
export async function countSwallowed(db: Knex, now: Date): Promise<AlertFacts['swallowed']> {
  const row = await rowOf<Unsent<AlertFacts['swallowed']>>(db)`
    SELECT count(*)::integer AS count, min(created_at) AS "from", max(created_at) AS "to",
           coalesce(greatest(extract(epoch FROM ${now}::timestamptz - min(created_at)), 0), 0)::float8 AS seconds
    FROM deliveries WHERE class = 'phantom' AND inbox_id IS NULL AND (missed OR open)
      AND created_at > coalesce((SELECT created_at FROM deliveries WHERE ours AND class IN ('received', 'received_sibling')
        AND created_at IS NOT NULL ORDER BY created_at DESC LIMIT 1), '-infinity')`;
  return sentAt(row);
}

/** How many deliveries are missed; null while no complete run has measured it. */
export const countMissed = async (db: Knex): Promise<number | null> => count(db, 'missed');

/** How many can't be recovered, while nothing is lost with them; null while no complete run has measured it. */
export async function countUnrecoverable(db: Knex): Promise<number | null> {
  return count(db, `class = 'unrecoverable' AND class NOT IN ('received', 'other_endpoint')`);
}

async function count(db: Knex, condition: string): Promise<number | null> {
  const { measured, n } = await rowOf<{ measured: boolean; n: number }>(db)`
    SELECT EXISTS (SELECT FROM watermarks WHERE kind = 'deliveries') AS measured,
           (SELECT count(*)::integer FROM deliveries WHERE ${raw(condition)}) AS n`;
  return measured ? n : null;
}

function toView(row: Shown): DeliveryView {
  const shownAt = new Date(Number(row.poll_from)).toISOString();
  return viewOf(deliveryShape, row, {
    eventId: row.inbox_id,
    verified: true,
    verifiedAt: shownAt,
    observedAt: shownAt,
    observedBy: { type: 'poll', ref: row.poll_ref },
  });
}

/** Of these ids, and of those made in the range (ms; both ends belong to it). */
export interface Wanted {
  ids: readonly string[];
  range: { from: number; to: number } | null;
}

/** Ids of the deliveries whose event is not here and could enter the inbox from what the service shows, newest first. */
export async function recoverableIds(db: Knex, { ids, range }: Wanted): Promise<string[]> {
  const rows = db('deliveries')
    .whereRaw(IN_HISTORY)
    .andWhere((wanted) => {
      void wanted.whereRaw('id = ANY (?::text[])', [textArray(ids)]);
      if (range !== null) void wanted.orWhereBetween('created_at', [new Date(range.from), new Date(range.to)]);
    })
    .orderByRaw('created_at DESC NULLS FIRST, id DESC');
  return rows.pluck('id');
}
