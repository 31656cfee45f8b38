import type { Knex } from 'knex';
import { conditionNamed, remedyOf } from '../../domain/alerts/alerts.js';
import { type AlertView, alertShape } from '../../domain/views/operation-shapes.js';
import { type Filters, given, type Page, type PageQuery, pageById } from '../database/paging.js';
import { viewOf } from '../database/view-of.js';
import type { AlertRow } from './settle-alerts.js';

/** Newest first, paged by key. Throws `CursorError`. */
export async function listAlerts(
  db: Knex,
  query: PageQuery &
    Filters<'status' | 'name' | 'severity'> & {
      /** Only those that were over since then. */
      resolvedFrom?: Date | undefined;
    },
): Promise<Page<AlertView>> {
  const { status, resolvedFrom } = query;
  const rows = db('alerts').where(given(query, 'name', 'severity'));
  if (resolvedFrom !== undefined) void rows.where('resolved_at', '>=', resolvedFrom);
  if (status !== undefined)
    void rows.whereRaw(
      "CASE WHEN resolved_at IS NOT NULL THEN 'resolved' WHEN fired_at IS NULL THEN 'pending' ELSE 'firing' END = ?",
      [status],
    );
  return pageById(rows, query, alertOf);
}

function alertOf(row: AlertRow): AlertView {
  return viewOf(alertShape, row, {
    status: row.resolved_at !== null ? 'resolved' : row.fired_at === null ? 'pending' : 'firing',
    remedy: remedyOf(row),
    runbook: `docs/runbook.md#${conditionNamed(row.name)?.runbook ?? ''}`,
  });
}
