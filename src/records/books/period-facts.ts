import type { Knex } from 'knex';
import { accounts } from '../../domain/books/chart.js';
import type { BookedLater } from '../../domain/books/closing-difference.js';
import type { DoubtedIncome } from '../../domain/books/income-statement.js';
import { settlementBreakKinds } from '../../domain/breaks/payouts.js';
import { movingKinds } from '../balances/balance-records.js';
import { PAYMENTS_OF_BREAK } from '../breaks/break-money.js';
import { SAID_STATUS } from '../breaks/said-state.js';
import { columnOf, exact, raw, rowOf, rowsOf, sql } from '../database/statements.js';
import { lookedUp, type MonthRow } from './month-query.js';
import { IS_BOOKED } from './openings.js';

/** The oldest month in which something is booked; memos alone book nothing. Null: nothing is posted. */
export async function firstMonth(db: Knex): Promise<string | null> {
  const [month = null] = await columnOf<string>(db)`
    SELECT month FROM entries CROSS JOIN ${raw(lookedUp('entry_lines', 'entry_id', 'entries.id'))}
    WHERE NOT memo ORDER BY month LIMIT 1`;
  return month;
}

export interface StandingBreak {
  id: string;
  kind: string;
  /** In words. */
  status: string;
  entityKind: string;
  entityId: string;
}

/** Of settlements that are late, short or over: breaks that are not closed, of payouts that the month (YYYY-MM) books. */
export async function openSettlements(db: Knex, month: string): Promise<(StandingBreak & { evidence: string })[]> {
  return rowsOf<StandingBreak & { evidence: string }>(db)`
    SELECT id, kind, ${STATUS_TOLD} AS status, entity_kind AS "entityKind", entity_id AS "entityId", evidence::varchar AS evidence FROM breaks
    WHERE ${STANDS} AND kind = ANY (${settlementBreakKinds}::text[])
      AND EXISTS (SELECT FROM entries WHERE record_kind = 'payout' AND record_id = entity_id AND month = ${month})
    ORDER BY id`;
}

/** Orders, invoices and payments that the month books for a value far from what was asked, with why in words. */
export async function farFromAsked(db: Knex, month: string): Promise<{ kind: string; id: string; told: string }[]> {
  return rowsOf<{ kind: string; id: string; told: string }>(db)`
    SELECT kind, id, reason.value ->> 'told' AS told FROM matches
      CROSS JOIN LATERAL jsonb_array_elements(reasons) AS reason (value)
    WHERE state = 'partly_matched' AND reason.value ->> 'code' = 'value_differs'
      AND EXISTS (SELECT FROM match_payments JOIN entries ON record_kind = 'payment_intent' AND record_id = payment_id
        WHERE match_payments.kind = matches.kind AND match_payments.id = matches.id AND month = ${month})
    ORDER BY opened_at, kind, id`;
}

/** SQL of each break that is not closed and each payment that it is about and of which the month has income; `value`: unrounded. */
const doubtedPairs = (month: string, currency: string) => sql`
  WITH about AS MATERIALIZED (
    SELECT DISTINCT breaks.kind, breaks.id, payment
    FROM breaks CROSS JOIN LATERAL unnest(${PAYMENTS_OF_BREAK}) AS payment WHERE status IN ('open', 'acknowledged')
  ), earned AS MATERIALIZED (
    SELECT payment, -sum(amount * rate) AS value, count(*) FILTER (WHERE rate IS NULL) AS unpriced
    FROM (SELECT DISTINCT payment FROM about) AS doubted
      JOIN entries ON record_kind = 'payment_intent' AND record_id = payment
      CROSS JOIN ${raw(lookedUp('entry_lines', 'entry_id', 'entries.id'))} LEFT JOIN LATERAL (
        SELECT CASE WHEN entry_rates.currency = ${currency} THEN rate END AS rate FROM entry_rates
        WHERE entry_rates.entry_id = entries.id AND entry_rates.asset_code = entry_lines.asset_code
        ORDER BY id DESC LIMIT 1
      ) AS valued ON true
    WHERE month = ${month} AND starts_with(account, 'income:') AND NOT memo GROUP BY payment
  )
  SELECT about.kind, about.id, payment, value, unpriced, row_number() OVER (PARTITION BY payment ORDER BY about.id) = 1 AS is_first
  FROM about JOIN earned USING (payment)`;

/**
 * Income of the month (YYYY-MM) that stands in the books for payments with a break that is not closed: by kind of break what is
 * worth most first, and of all together, where each payment counts once. Values in the currency, unrounded.
 */
export async function incomeOfBreaks(db: Knex, month: string, currency: string): Promise<DoubtedIncome[]> {
  return rowsOf<DoubtedIncome>(db)`
    WITH pairs AS MATERIALIZED (${doubtedPairs(month, currency)})
    SELECT kind, count(DISTINCT id)::integer AS breaks, count(DISTINCT payment)::integer AS payments,
           ${raw(exact('coalesce(sum(value) FILTER (WHERE is_first), 0)'))} AS value,
           coalesce(sum(unpriced) FILTER (WHERE is_first), 0)::integer AS unpriced
    FROM (
      SELECT kind, id, payment, value, unpriced, row_number() OVER (PARTITION BY kind, payment ORDER BY id) = 1 AS is_first FROM pairs
      UNION ALL SELECT NULL, id, payment, value, unpriced, is_first FROM pairs
    ) AS each
    GROUP BY kind ORDER BY kind IS NOT NULL, sum(value) FILTER (WHERE is_first) DESC NULLS LAST, kind`;
}

/** What that income is made of: each of these breaks beside each of its payments. Where a payment `counts`, it stands first. */
export async function doubtedPayments(db: Knex, month: string, currency: string): Promise<MonthRow[]> {
  return rowsOf<MonthRow>(db)`
    SELECT pairs.id::text AS id, pairs.kind, payment, merchant_reference AS order, ${raw(exact('value'))} AS value,
           unpriced::text AS unpriced, CASE WHEN is_first THEN 'yes' ELSE 'no' END AS counts
    FROM (${doubtedPairs(month, currency)}) AS pairs LEFT JOIN payment_intents ON payment_intents.id = payment
    ORDER BY pairs.id, payment COLLATE "C"`;
}

/** A closed break counts as open where its steps, which are sealed, don’t say that it is closed. */
const STANDS = sql`(status IN ('open', 'acknowledged') OR status IS DISTINCT FROM ${SAID_STATUS})`;
const STATUS_TOLD = sql`CASE WHEN status IN ('open', 'acknowledged') THEN status
  ELSE replace(status, '_', ' ') || ', which its steps don’t say' END`;

/** Breaks that are not closed, or whose steps don't say so: critical ones, and those of a balance. */
export async function standingBreaks(db: Knex): Promise<Record<'critical' | 'ofBalances', StandingBreak[]>> {
  const breaks = await rowsOf<StandingBreak & { severity: string }>(db)`
    SELECT id, kind, severity, entity_kind AS "entityKind", entity_id AS "entityId",
           ${STATUS_TOLD} AS status
    FROM breaks WHERE (severity = 'critical' OR entity_kind = 'balance') AND ${STANDS} ORDER BY id`;
  return {
    critical: breaks.filter(({ severity }) => severity === 'critical'),
    ofBalances: breaks.filter(({ entityKind }) => entityKind === 'balance'),
  };
}

/** How much of what was known at a moment the books do not say yet. */
export async function unposted(
  db: Knex,
  knownAt: Date,
): Promise<{ changes: number; due: number; isRenewing: boolean }> {
  return rowOf<{ changes: number; due: number; isRenewing: boolean }>(db)`
    SELECT (SELECT count(*)::integer FROM changes
            WHERE seq > coalesce((SELECT seq FROM posting_progress), 0) AND changed_at <= ${knownAt}
              AND entity_kind = ANY (${movingKinds}::text[])) AS changes,
           (SELECT count(*) FROM posting_due)::integer + (SELECT count(*) FROM attribution_rebookings JOIN balance_attributions AS said ON said.id = attribution_id
             JOIN opened_assets USING (asset_code) WHERE NOT ${IS_BOOKED})::integer AS due,
           EXISTS (SELECT FROM movements_progress WHERE seq < renewing_to) AS "isRenewing"`;
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
  /** YYYY-MM-DD: the days whose rates they want, the first and the last. */
  from: string;
  to: string;
}

/** Lines of a month of which no value in the currency is known. */
export async function unpricedLines(db: Knex, month: string, currency: string): Promise<UnpricedLines[]> {
  return rowsOf<UnpricedLines>(db)`
    SELECT why, count(*)::integer AS lines, min(entry_id)::text AS entry, min(day)::text AS "from", max(day)::text AS "to", asset_code AS "assetCode"
    FROM (
      SELECT entry_id, day, entry_lines.asset_code,
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
}

/**
 * Attributions, and what is dated by our first sight of it: the service shows no time of either. Left out is what came after the
 * month for certain: between the month's end and the moment that we knew of it, a run proved all balances, and this one had
 * nothing unexplained. Of an asset whose books were opened later nothing can be from before.
 */
export async function bookedLater(
  db: Knex,
  { month, end, timeZone }: { month: string; end: Date; timeZone: string },
): Promise<(BookedLater & { isPosted: boolean })[]> {
  return rowsOf<BookedLater & { isPosted: boolean }>(db)`
    WITH later AS MATERIALIZED (${attributionsLater(month, timeZone)} UNION ALL ${firstSeenLater(month)}),
    clean AS MATERIALIZED (
      SELECT asset_code, first.finished_at FROM (SELECT DISTINCT asset_code FROM later) AS assets CROSS JOIN LATERAL (
        SELECT finished_at FROM runs
        WHERE kind = 'balances' AND complete AND started_at >= ${end}
          AND coalesce((${IS_RESOLVED}), true)
        ORDER BY id LIMIT 1
      ) AS first
    )
    SELECT later.asset_code AS "assetCode", record_kind AS "recordKind", record_id AS "recordId",
           trim_scale(amount)::text AS amount, to_char(day, 'YYYY-MM-DD') AS day, is_posted AS "isPosted"
    FROM later JOIN opened_assets USING (asset_code) LEFT JOIN clean USING (asset_code)
    WHERE opened_assets.opened_at < ${end} AND (clean.finished_at IS NULL OR known_at <= clean.finished_at)
    ORDER BY later.asset_code, later.day, record_kind, record_id`;
}

/**
 * Assets whose balance was proven once the month was over, whatever has kept it from being compared since: what the books of the month
 * (YYYY-MM) hold of them is what they held then. What was posted in the month since then is proven by nothing.
 */
export async function provenSinceEnd(db: Knex, { month, end }: { month: string; end: Date }): Promise<Set<string>> {
  const assets = await columnOf<string>(db)`
    WITH proven AS (SELECT asset_code, proven_at FROM balance_proofs WHERE proven_at >= ${end} AND unexplained = 0),
    before AS (
      -- Posted by one after the other, each with the time at which it began to wait for its turn.
      SELECT id FROM entries WHERE posted_at < (SELECT min(proven_at) FROM proven) - interval '10 minutes' ORDER BY id DESC LIMIT 1
    )
    SELECT asset_code FROM proven WHERE NOT EXISTS (
      SELECT FROM entries CROSS JOIN ${raw(lookedUp('entry_lines', 'entry_id', 'entries.id'))}
      WHERE entries.id > coalesce((SELECT id FROM before), 0) AND posted_at > proven_at AND month <= ${month}
        AND entry_lines.asset_code = proven.asset_code AND account = ${accounts.operating} AND NOT memo
        -- What is rebooked is taken from the balance and put back.
        AND (record_kind <> 'attribution' OR version = 1))`;
  return new Set(assets);
}

/** Those that are not posted yet too: what is closed meanwhile is booked later. */
const attributionsLater = (month: string, timeZone: string) => sql`
  SELECT asset_code, 'attribution' AS record_kind, id::text AS record_id, amount,
         coalesce(booked_on, (at AT TIME ZONE ${timeZone})::date) AS day, at AS known_at,
         EXISTS (SELECT FROM entries WHERE record_kind = 'attribution' AND record_id = said.id::text) AS is_posted
  FROM balance_attributions AS said
  WHERE NOT EXISTS (SELECT FROM entries WHERE record_kind = 'attribution' AND record_id = said.id::text
    AND month <= ${month})`;

const firstSeenLater = (month: string) => sql`
  SELECT asset_code, record_kind, record_id, amount, date, at, true
  FROM entries CROSS JOIN ${raw(lookedUp('entry_lines', 'entry_id', 'entries.id'))}
  WHERE dated_by = 'first_seen' AND account = ${accounts.operating} AND NOT memo AND month > ${month}`;

/** Whether the residual that was found last, when the run ended, was gone by then; null: none was ever found. */
const IS_RESOLVED = sql`
  SELECT status = 'auto_resolved' AND status = ${SAID_STATUS} AND resolved_at <= runs.finished_at FROM breaks
  WHERE kind = 'balance_residual' AND entity_kind = 'balance' AND entity_id = assets.asset_code
    AND opened_at <= runs.finished_at
  ORDER BY id DESC LIMIT 1`;
