import type { Knex } from 'knex';
import { z } from 'zod';
import type { RecordKind } from '../../domain/records.js';
import type { BreakView } from '../../domain/views/proof-shapes.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { openBreaksOf } from '../breaks/list-breaks.js';
import { changesOf } from '../changes.js';
import { isRowId } from '../database/paging.js';
import { type RowOf, viewOf } from '../database/view-of.js';
import { getRecord } from '../rows.js';
import { type TimelineEntry, timelineOf } from './order-details.js';

/** One record with all that made it what it is. */
export interface RecordDetails {
  record: RecordView;
  /** Its newest changes, oldest first, each with its source. */
  timeline: TimelineEntry[];
  /** There are older changes than those. */
  hasOlder: boolean;
  /** Open or acknowledged. */
  breaks: BreakView[];
  /** What the service says it sent of the events behind the changes. */
  deliveries: EventDelivery[];
}

const LONGEST_TIMELINE = 300;

/** Null when there is no such record. */
export async function recordDetails(db: Knex, kind: RecordKind, id: string): Promise<RecordDetails | null> {
  const record = await getRecord(db, kind, id);
  if (record === null) return null;
  const changes = await changesOf(db, { kind, id }, LONGEST_TIMELINE + 1);
  const hasOlder = changes.length > LONGEST_TIMELINE;
  const shown = hasOlder ? changes.slice(1) : changes;
  const sources = shown.map(({ source }) => source);
  const events = sources.flatMap(({ type, ref }) => (type === 'webhook' || type === 'delivery_history' ? [ref] : []));
  return {
    record,
    timeline: await timelineOf(db, shown),
    hasOlder,
    breaks: await openBreaksOf(db, [{ kind, id }]),
    deliveries: await deliveriesOfEvents(db, events),
  };
}

const deliveryShape = z.object({
  id: z.string(),
  eventId: z.string(),
  endpointUrl: z.string().nullable(),
  status: z.string().nullable(),
  attempts: z.number().nullable(),
  createdAt: z.string().nullable(),
});
/** What the service says it sent of one of our events. */
type EventDelivery = z.infer<typeof deliveryShape>;

const MOST = 100;

/** Deliveries that are paired with the events, oldest first; a hundred at most. Ids that are none of ours are passed over. */
async function deliveriesOfEvents(db: Knex, eventIds: readonly string[]): Promise<EventDelivery[]> {
  const ids = [...new Set(eventIds.filter(isRowId))];
  if (ids.length === 0) return [];
  const rows: RowOf<EventDelivery>[] = await db('deliveries')
    .select('id', 'inbox_id as event_id', 'endpoint_url', 'status', 'attempts', 'created_at')
    .whereRaw('inbox_id = ANY (?::bigint[])', [ids])
    .orderBy(['created_at', 'id'])
    .limit(MOST);
  return rows.map((row) => viewOf(deliveryShape, row));
}
