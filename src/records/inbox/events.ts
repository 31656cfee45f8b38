import type { Knex } from 'knex';
import type { EventDetail, EventView } from '../../domain/views/webhook-shapes.js';
import { definedOnly } from '../database/defined-only.js';
import { type Page, type PageQuery, pageById } from '../database/paging.js';
import { isRowId } from '../database/row-id.js';

export interface EventFilters {
  status?: string | undefined;
  eventType?: string | undefined;
  source?: string | undefined;
  key?: string | undefined;
  /** `key` finds an id of the service, and no content by its hash. */
  onlyById?: boolean;
  secretLabel?: string | undefined;
  /** Only events received at or after this moment. */
  since?: Date | undefined;
}

interface Row {
  id: string;
  event_type: string;
  status: EventView['status'];
  source: EventView['source'];
  key: string;
  key_type: EventView['keyType'];
  event_id: string | null;
  secret_label: string | null;
  mark: string | null;
  arrivals: number;
  attempts: number;
  received_at: Date;
  last_arrival_at: Date;
  applied_at: Date | null;
  error: string | null;
}

const columns = [
  'id',
  'event_type',
  'status',
  'source',
  'key',
  'key_type',
  'event_id',
  'secret_label',
  'mark',
  'arrivals',
  'attempts',
  'received_at',
  'last_arrival_at',
  'applied_at',
  'error',
];

export async function listEvents(db: Knex, page: PageQuery & EventFilters): Promise<Page<EventView>> {
  const query = db('inbox')
    .select(columns)
    .where(
      definedOnly({
        status: page.status,
        event_type: page.eventType,
        source: page.source,
        key: page.key,
        key_type: page.key !== undefined && page.onlyById ? 'id' : undefined,
        secret_label: page.secretLabel,
      }),
    )
    .where('received_at', '>=', page.since ?? new Date(0));
  const { items, nextCursor } = await pageById<Row>(query, page);
  return { items: items.map(toView), nextCursor };
}

export async function getEvent(db: Knex, id: string): Promise<EventDetail | null> {
  if (!isRowId(id)) return null;
  const row = (await db('inbox')
    .select([...columns, 'body', 'content_hash'])
    .where({ id })
    .first()) as (Row & { body: Buffer | null; content_hash: string }) | undefined;
  if (!row) return null;
  const arrivals = await db('inbox_arrivals').where({ inbox_id: id }).orderBy('secret_label');
  const twins = await db('inbox').select('id').where({ content_hash: row.content_hash }).whereNot({ id }).limit(20);
  return {
    ...toView(row),
    arrivalsBySecret: arrivals.map((arrival) => ({
      secretLabel: arrival.secret_label,
      arrivals: arrival.arrivals,
      firstAt: arrival.first_at.toISOString(),
      lastAt: arrival.last_at.toISOString(),
    })),
    sameContentAs: twins.map((twin) => twin.id),
    body: row.body?.toString('utf8') ?? null,
  };
}

function toView(row: Row): EventView {
  return {
    id: row.id,
    eventType: row.event_type,
    status: row.status,
    source: row.source,
    key: row.key,
    keyType: row.key_type,
    eventId: row.event_id,
    secretLabel: row.secret_label,
    mark: row.mark,
    arrivals: row.arrivals,
    attempts: row.attempts,
    receivedAt: row.received_at.toISOString(),
    lastArrivalAt: row.last_arrival_at.toISOString(),
    appliedAt: row.applied_at?.toISOString() ?? null,
    error: row.error,
  };
}
