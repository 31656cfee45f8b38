import type { Knex } from 'knex';
import { fromDatabaseText, fromNullableText } from '../database/database-text.js';

/** What the service says it sent of one of our events. */
export interface EventDelivery {
  id: string;
  eventId: string;
  endpointUrl: string | null;
  status: string | null;
  attempts: number | null;
  createdAt: string | null;
}

interface Row {
  id: string;
  inbox_id: string;
  endpoint_url: string | null;
  status: string | null;
  attempts: number | null;
  created_at: Date | null;
}

const MOST = 100;

/** Deliveries that are paired with the events, oldest first; a hundred at most. Ids that are none of ours are passed over. */
export async function deliveriesOfEvents(db: Knex, eventIds: readonly string[]): Promise<EventDelivery[]> {
  const ids = [...new Set(eventIds.filter((id) => /^\d{1,18}$/.test(id)))];
  if (ids.length === 0) return [];
  const rows: Row[] = await db('deliveries')
    .select('id', 'inbox_id', 'endpoint_url', 'status', 'attempts', 'created_at')
    .whereRaw('inbox_id = ANY (?::bigint[])', [ids])
    .orderBy(['created_at', 'id'])
    .limit(MOST);
  return rows.map((row) => ({
    id: fromDatabaseText(row.id),
    eventId: row.inbox_id,
    endpointUrl: fromNullableText(row.endpoint_url),
    status: fromNullableText(row.status),
    attempts: row.attempts,
    createdAt: row.created_at?.toISOString() ?? null,
  }));
}
