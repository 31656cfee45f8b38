import type { Knex } from 'knex';
import { arrivalsShape, type EventDetail, type EventView, eventShape } from '../../domain/views/webhook-shapes.js';
import { type Filters, given, isRowId, type Page, type PageQuery, pageById, within } from '../database/paging.js';
import { columnsOf, type RowOf, viewOf } from '../database/view-of.js';
import { narrowToRecords, type RecordFilters } from './event-records.js';

export interface EventFilters
  extends Filters<'status' | 'eventType' | 'source' | 'key' | 'secretLabel'>,
    RecordFilters {
  /** `key` finds an id of the service, and no content by its hash. */
  onlyById?: boolean;
  /** Neither applied nor given up, tried before or not. */
  isWaiting?: boolean;
  /** Only these. */
  ids?: readonly string[] | undefined;
  /** Only events received at or after this moment. */
  since?: Date | undefined;
}

type Row = RowOf<EventView>;

const columns = columnsOf(eventShape);

export async function listEvents(db: Knex, page: PageQuery & EventFilters): Promise<Page<EventView>> {
  const query = db('inbox')
    .select(columns)
    .where(given(page, 'status', 'eventType', 'source', 'key', 'secretLabel'))
    .where('received_at', '>=', page.since ?? new Date(0));
  if (page.key !== undefined && page.onlyById) void query.where({ key_type: 'id' });
  if (page.ids !== undefined) void query.whereRaw('id = ANY (?::bigint[])', [[...page.ids]]);
  if (page.isWaiting) void query.whereIn('status', ['received', 'failed']);
  await narrowToRecords(db, query, page);
  return pageById(within(query, page, 'received_at'), page, (row: Row) => viewOf(eventShape, row));
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
    ...viewOf(eventShape, row),
    arrivalsBySecret: arrivals.map((row) => viewOf(arrivalsShape, row)),
    sameContentAs: twins.map((twin) => twin.id),
    body: row.body?.toString('utf8') ?? null,
  };
}
