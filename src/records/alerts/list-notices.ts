import type { Knex } from 'knex';
import { type Filters, given, type Page, type PageQuery, pageById, within } from '../database/paging.js';
import type { RowOf } from '../database/view-of.js';

/** What was sent to a channel, or is to be. Times are ISO 8601 UTC. */
export interface NoticeView {
  id: string;
  channel: string;
  /** `alert.firing`, `alert.resolved`, `alert.digest` or `books.closed`. */
  type: string;
  summary: string;
  subject: string;
  /** `expired`: it could not be sent for a day, and is not sent any more. */
  status: 'pending' | 'sent' | 'expired';
  /** Null for what is about no single alert. */
  alertId: string | null;
  createdAt: string;
  sentAt: string | null;
}

export const noticeStatuses: readonly NoticeView['status'][] = ['pending', 'sent', 'expired'];

type Row = RowOf<Pick<NoticeView, 'id' | 'channel' | 'status' | 'createdAt' | 'sentAt'>> & {
  key: string;
  message: Partial<Pick<NoticeView, 'type' | 'summary' | 'subject'>>;
};

/** Newest first, paged by key. Throws `CursorError`. */
export async function listNotices(
  db: Knex,
  query: PageQuery & Filters<'channel' | 'status'>,
): Promise<Page<NoticeView>> {
  const rows = db('alert_notices').where(given(query, 'channel', 'status'));
  return pageById(within(rows, query, 'created_at'), query, viewOf);
}

/** Of these alerts, oldest first. */
export async function noticesOf(db: Knex, alertIds: readonly string[]): Promise<NoticeView[]> {
  const rows = await db<Row>('alert_notices')
    .whereRaw("split_part(key, ' ', 1) IN ('firing', 'resolved') AND split_part(key, ' ', 2) = ANY (?::text[])", [
      [...alertIds],
    ])
    .orderBy('id');
  return rows.map(viewOf);
}

function viewOf({ id, channel, key, message, status, created_at, sent_at }: Row): NoticeView {
  const { type = '', summary = '', subject = '' } = message;
  return {
    id,
    channel,
    type,
    summary,
    subject,
    status,
    alertId: /^(?:firing|resolved) (\d+)/.exec(key)?.[1] ?? null,
    createdAt: created_at.toISOString(),
    sentAt: sent_at?.toISOString() ?? null,
  };
}
