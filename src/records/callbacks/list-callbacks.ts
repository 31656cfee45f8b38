import type { Knex } from 'knex';
import { fromJsonText } from '../../domain/json.js';
import type { CallbackView } from '../../domain/views/operation-shapes.js';
import { definedOnly } from '../database/defined-only.js';
import { type Page, type PageQuery, pageById } from '../database/paging.js';
import { isRowId } from '../database/row-id.js';

export interface CallbackFilters {
  status?: string | undefined;
  reference?: string | undefined;
}

interface Row {
  id: string;
  webhook_id: string;
  reference: string;
  status: CallbackView['status'];
  attempts: number;
  next_attempt_at: Date;
  http_status: number | null;
  error: string | null;
  seq: string;
  changed_at: Date;
  sent_at: Date | null;
  data: string;
}

/** Newest first, paged by key. Throws `CursorError`. */
export async function listCallbacks(db: Knex, query: PageQuery & CallbackFilters): Promise<Page<CallbackView>> {
  const reference = query.reference;
  const rows = db('callbacks')
    .select('*')
    .where(definedOnly({ status: query.status, reference }));
  const { items, nextCursor } = await pageById<Row>(rows, query);
  return { items: items.map(viewOf), nextCursor };
}

export async function getCallback(db: Knex, id: string): Promise<CallbackView | null> {
  if (!isRowId(id)) return null;
  const row = await db<Row>('callbacks').where({ id }).first();
  return row === undefined ? null : viewOf(row);
}

function viewOf(row: Row): CallbackView {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    reference: row.reference,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.status === 'pending' ? row.next_attempt_at.toISOString() : null,
    httpStatus: row.http_status,
    error: row.error,
    seq: row.seq,
    changedAt: row.changed_at.toISOString(),
    sentAt: row.sent_at?.toISOString() ?? null,
    data: fromJsonText(row.data),
  };
}
