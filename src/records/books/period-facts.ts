import type { Knex } from 'knex';
import { movingKinds } from '../balances/balance-records.js';
import { columnOf, raw, rowsOf } from '../database/statements.js';
import { lookedUp } from './month-query.js';

/** The oldest month in which something is booked; memos alone book nothing. Null: nothing is posted. */
export async function firstMonth(db: Knex): Promise<string | null> {
  const rows = await rowsOf<{ month: string }>(db)`
    SELECT month FROM entries CROSS JOIN ${raw(lookedUp('entry_lines', 'entry_id', 'entries.id'))}
    WHERE NOT memo ORDER BY month LIMIT 1`;
  return rows[0]?.month ?? null;
}

export async function criticalBreaks(db: Knex): Promise<{ id: string; kind: string; entity: string }[]> {
  const rows = await db('breaks')
    .where({ severity: 'critical' })
    .whereIn('status', ['open', 'acknowledged'])
    .orderBy('id')
    .select('id', 'kind', 'entity_kind', 'entity_id');
  return rows.map(({ id, kind, entity_kind, entity_id }) => ({
    id: String(id),
    kind,
    entity: `${entity_kind} ${entity_id}`,
  }));
}

/** How much of what was known at a moment the books do not say yet. */
export async function unposted(
  db: Knex,
  knownAt: Date,
): Promise<{ changes: number; due: number; isRenewing: boolean }> {
  const rows = await rowsOf<{ changes: number; due: number; renewing: boolean }>(db)`
    SELECT (SELECT count(*)::integer FROM changes
            WHERE seq > coalesce((SELECT seq FROM posting_progress), 0) AND changed_at <= ${knownAt}
              AND entity_kind = ANY (${movingKinds}::text[])) AS changes,
           (SELECT count(*)::integer FROM posting_due) AS due,
           EXISTS (SELECT FROM movements_progress WHERE seq < renewing_to) AS renewing`;
  return { changes: rows[0]?.changes ?? 0, due: rows[0]?.due ?? 0, isRenewing: rows[0]?.renewing ?? false };
}

/** Assets that moved and whose books were never opened: nothing of them is posted. */
export async function unopenedAssets(db: Knex): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT DISTINCT asset_code FROM movements
    WHERE delta IS DISTINCT FROM base AND asset_code NOT IN (SELECT asset_code FROM opened_assets) ORDER BY asset_code`;
}

export interface UnpricedLines {
  assetCode: string;
  why: string;
  lines: number;
  /** One of their entries. */
  entry: string;
}

/** Lines of a month of which no value in the currency is known. */
export async function unpricedLines(db: Knex, month: string, currency: string): Promise<UnpricedLines[]> {
  const rows = await rowsOf<{ asset_code: string; why: string; lines: number; entry: string }>(db)`
    SELECT asset_code, why, count(*)::integer AS lines, min(entry_id)::text AS entry
    FROM (
      SELECT entry_id, entry_lines.asset_code,
             CASE WHEN valued.reason IS NOT NULL THEN valued.reason
                  WHEN valued.currency IS NULL THEN 'it was never valued'
                  WHEN valued.currency <> ${currency} THEN 'it was valued in ' || valued.currency END AS why
      FROM entries CROSS JOIN ${raw(lookedUp('entry_lines', 'entry_id', 'entries.id'))} LEFT JOIN LATERAL (
        SELECT currency, reason FROM entry_rates
        WHERE entry_rates.entry_id = entry_lines.entry_id AND entry_rates.asset_code = entry_lines.asset_code
        ORDER BY id DESC LIMIT 1
      ) AS valued ON true
      WHERE month = ${month} AND NOT memo
    ) AS lines WHERE why IS NOT NULL GROUP BY asset_code, why ORDER BY asset_code, why`;
  return rows.map(({ asset_code, ...row }) => ({ ...row, assetCode: asset_code }));
}
