import type { Knex } from 'knex';
import { accounts } from '../../domain/books/chart.js';
import { lookedUp } from './month-query.js';

/** What moved an operating balance, is booked after a month, and may have been in the balance when the month ended. */
export interface BookedLater {
  assetCode: string;
  recordKind: string;
  recordId: string;
  amount: string;
  /** YYYY-MM-DD. */
  day: string;
}

/**
 * Attributions, and what is dated by our first sight of it: the service shows no time of either. Left out is what came after the
 * month for certain: between the month's end and the moment that we knew of it, a run proved all balances, and this one had
 * nothing unexplained. Of an asset whose books were opened later nothing can be from before.
 */
export async function bookedLater(
  db: Knex,
  { month, end, timeZone }: { month: string; end: Date; timeZone: string },
): Promise<BookedLater[]> {
  const { rows } = await db.raw<{
    rows: { asset_code: string; record_kind: string; record_id: string; amount: string; day: string }[];
  }>(
    `WITH later AS MATERIALIZED (${attributionsLater} UNION ALL ${firstSeenLater}),
     clean AS MATERIALIZED (
       SELECT asset_code, first.finished_at FROM (SELECT DISTINCT asset_code FROM later) AS assets CROSS JOIN LATERAL (
         SELECT finished_at FROM runs
         WHERE kind = 'balances' AND complete AND started_at >= ?
           AND coalesce((${isResolvedBy}), true)
         ORDER BY id LIMIT 1
       ) AS first
     )
     SELECT later.asset_code, record_kind, record_id, trim_scale(amount)::text AS amount, to_char(day, 'YYYY-MM-DD') AS day
     FROM later JOIN opened_assets USING (asset_code) LEFT JOIN clean USING (asset_code)
     WHERE opened_assets.opened_at < ? AND (clean.finished_at IS NULL OR known_at <= clean.finished_at)
     ORDER BY later.asset_code, day, record_kind, record_id`,
    [timeZone, month, accounts.operating, month, end, end],
  );
  return rows.map(({ asset_code, record_kind, record_id, amount, day }) => ({
    assetCode: asset_code,
    recordKind: record_kind,
    recordId: record_id,
    amount,
    day,
  }));
}

/** Those that are not posted yet too: what is closed meanwhile is booked later. */
const attributionsLater = `
  SELECT asset_code, 'attribution' AS record_kind, id::text AS record_id, amount,
         coalesce(booked_on, (at AT TIME ZONE ?)::date) AS day, at AS known_at
  FROM balance_attributions AS said
  WHERE NOT EXISTS (SELECT FROM entries WHERE record_kind = 'attribution' AND record_id = said.id::text AND month <= ?)`;

const firstSeenLater = `
  SELECT asset_code, record_kind, record_id, amount, date, at
  FROM entries CROSS JOIN ${lookedUp('entry_lines', 'entry_id', 'entries.id')}
  WHERE dated_by = 'first_seen' AND account = ? AND NOT memo AND month > ?`;

/** Whether the residual that was found last, when the run ended, was gone by then; null: none was ever found. */
const isResolvedBy = `
  SELECT status = 'auto_resolved' AND resolved_at <= runs.finished_at FROM breaks
  WHERE kind = 'balance_residual' AND entity_kind = 'balance' AND entity_id = assets.asset_code
    AND opened_at <= runs.finished_at
  ORDER BY id DESC LIMIT 1`;
