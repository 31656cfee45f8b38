import type { Knex } from 'knex';
import { conditionNamed, remedyOf } from '../../domain/alerts/alerts.js';
import type { AlertView } from '../../domain/views/operation-shapes.js';
import { definedOnly } from '../database/defined-only.js';
import { type Page, type PageQuery, pageById } from '../database/paging.js';
import type { AlertRow } from './settle-alerts.js';

/** Newest first, paged by key. Throws `CursorError`. */
export async function listAlerts(
  db: Knex,
  query: PageQuery & {
    status?: string | undefined;
    name?: string | undefined;
    severity?: string | undefined;
    /** Only those that were over since then. */
    resolvedFrom?: Date | undefined;
  },
): Promise<Page<AlertView>> {
  const { status, name, severity, resolvedFrom } = query;
  const rows = db('alerts').select('*').where(definedOnly({ name, severity }));
  if (resolvedFrom !== undefined) void rows.where('resolved_at', '>=', resolvedFrom);
  if (status !== undefined)
    void rows.whereRaw(
      "CASE WHEN resolved_at IS NOT NULL THEN 'resolved' WHEN fired_at IS NULL THEN 'pending' ELSE 'firing' END = ?",
      [status],
    );
  const { items, nextCursor } = await pageById<AlertRow>(rows, query);
  return { items: items.map(viewOf), nextCursor };
}

function viewOf({ id, name, subject, severity, summary, detail, since, fired_at, resolved_at }: AlertRow): AlertView {
  return {
    id,
    name,
    subject,
    severity,
    status: resolved_at !== null ? 'resolved' : fired_at === null ? 'pending' : 'firing',
    summary,
    detail,
    remedy: remedyOf({ name, subject }),
    runbook: `docs/runbook.md#${conditionNamed(name)?.runbook ?? ''}`,
    since: since.toISOString(),
    firedAt: fired_at?.toISOString() ?? null,
    resolvedAt: resolved_at?.toISOString() ?? null,
  };
}
