import type { Knex } from 'knex';
import { isRowId } from '../database/paging.js';
import { columnOf, firstOf, raw, rowsOf, valueOf } from '../database/statements.js';

/** Of a secret, by what the delivery history lacked. */
export interface ReportCounts {
  /** Events that the service did not send, but for those about which a person decided. */
  notSent: number;
  /** Events of which it is not known. */
  unmatched: number;
  /** Those of them that the open break `history_differs` counts. */
  lacking: number;
}

/** Rows that the open break counts: classified since it was opened, or in the day before. */
export const LACKING = `state = 'differs' AND judged_at > (
  SELECT max(opened_at) - interval '1 day' FROM breaks
  WHERE kind = 'history_differs' AND status IN ('open', 'acknowledged'))`;

/** By secret; what came before the secret's own first match came under another one of that label. */
export async function reportCounts(db: Knex): Promise<Map<string, ReportCounts>> {
  const rows = await rowsOf<ReportCounts & { label: string }>(db)`
    WITH closed AS (
      SELECT entity_id AS label, max(resolved_at) AS at FROM breaks
      WHERE kind = 'event_not_sent' AND entity_kind = 'secret' AND status IN ('resolved', 'written_off') GROUP BY 1
    )
    SELECT secret_label AS label,
           (count(*) FILTER (WHERE state = 'not_sent' AND CASE
              WHEN single THEN NOT EXISTS (
                SELECT FROM breaks WHERE kind = 'event_not_sent' AND entity_kind = 'event'
                  AND entity_id = report_checks.inbox_id::text AND breaks.status IN ('resolved', 'written_off'))
              ELSE judged_at > coalesce(closed.at, '-infinity') END))::integer AS "notSent",
           (count(*) FILTER (WHERE state IN ('unmatched', 'differs')))::integer AS unmatched,
           (count(*) FILTER (WHERE ${raw(LACKING)}))::integer AS lacking
    FROM report_checks JOIN secrets ON secrets.label = secret_label LEFT JOIN closed ON closed.label = secret_label
    WHERE state <> 'matched' AND received_at >= coalesce(first_match_at, '-infinity') - interval '1 minute'
    GROUP BY secret_label`;
  return new Map(rows.map(({ label, ...counts }) => [label, counts]));
}

/** A break says that the history lacks what came under one secret alone, and some of that lacks still. */
export async function isSecretInDoubt(db: Knex): Promise<boolean> {
  return valueOf<boolean>(db)`
    SELECT EXISTS (SELECT FROM breaks WHERE kind = 'history_differs' AND severity = 'critical'
                   AND status IN ('open', 'acknowledged'))
       AND EXISTS (SELECT FROM report_checks WHERE ${raw(LACKING)}) AS yes`;
}

/** Why the newest poll of the delivery history was not complete; null: it was, or there was none. */
export async function historyReason(db: Knex): Promise<string | null> {
  const row = await firstOf<{ reason: string | null }>(db)`
    SELECT CASE WHEN NOT complete THEN coalesce(error, proof ->> 'reason') END AS reason
    FROM runs WHERE kind = 'deliveries' AND status <> 'running' ORDER BY id DESC LIMIT 1`;
  return row?.reason ?? null;
}

/** Those of the reports, by their rows of the inbox, that the service did not send. */
export async function notSentAmong(db: Knex, reports: readonly string[]): Promise<Set<string>> {
  const ids = reports.filter(isRowId);
  if (ids.length === 0) return new Set();
  return new Set(
    await columnOf<string>(db)`
    SELECT inbox_id AS id FROM report_checks WHERE inbox_id = ANY (${ids}::bigint[]) AND state = 'not_sent'`,
  );
}
