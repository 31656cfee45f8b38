import type { Knex } from 'knex';
import { accounts } from '../../domain/books/chart.js';
import { parseJson } from '../../domain/json-table/read-table.js';
import { keptTotals } from '../books/account-totals.js';
import { periodFiles, readPeriodFile } from '../books/period-files.js';
import { closedMonths } from '../books/posting-progress.js';
import { raw, rowsOf, sql } from '../database/statements.js';
import { findingOf, type ReportFinding } from './verify-head.js';

/** Of what is wrong in many places so many are named. */
const NAMED = 100;

/**
 * Holds the months against what people did, the sums that are kept against the lines, and what closed months hold against what was stored
 * when they were closed: that is what the next month opens with. `month`: lines are read of this month and the newest closed one alone, which is
 * what a page has time for; null: every line.
 */
export async function verifyMonths(db: Knex, reportFinding: ReportFinding, month: string | null): Promise<void> {
  await verifyStates(db, reportFinding);
  await verifyLate(db, reportFinding);
  const closed = [...(await closedMonths(db))].sort();
  const near = closed.slice(-1);
  await verifySums(db, reportFinding, month === null ? null : [...near, month]);
  if (month === null) await verifyValues(db, reportFinding);
  for (const one of month === null ? closed : near) await verifyClosing(db, one, reportFinding);
}

/** A month's row says what its actions say, which are sealed. Without either it is open. */
async function verifyStates(db: Knex, reportFinding: ReportFinding): Promise<void> {
  const rows = await rowsOf<{ month: string; is: string; said: string }>(db)`
    WITH said AS (
      SELECT substr(target, 8) AS month, count(*) FILTER (WHERE action = 'close period')::integer AS closings,
             CASE (array_agg(action ORDER BY id DESC))[1] WHEN 'close period' THEN 'closed' ELSE 'open' END AS status,
             (array_agg(reason ORDER BY id DESC))[1] AS reason,
             (array_agg(at ORDER BY id DESC) FILTER (WHERE action = 'close period'))[1] AS closed_at,
             (array_agg(actor ORDER BY id DESC) FILTER (WHERE action = 'close period'))[1] AS closed_by,
             (array_agg(at ORDER BY id DESC) FILTER (WHERE action = 'reopen period'))[1] AS reopened_at,
             (array_agg(actor ORDER BY id DESC) FILTER (WHERE action = 'reopen period'))[1] AS reopened_by
      FROM actions WHERE action IN ('close period', 'reopen period') AND outcome = 'done' GROUP BY target
    )
    SELECT month, coalesce(periods.status, 'not there') AS is, coalesce(said.status, 'open') AS said
    FROM periods FULL JOIN said USING (month)
    WHERE (coalesce(periods.status, 'open'), coalesce(periods.closings, 0), periods.reason, periods.closed_at, periods.closed_by, periods.reopened_at, periods.reopened_by)
      IS DISTINCT FROM (coalesce(said.status, 'open'), coalesce(said.closings, 0), said.reason, said.closed_at, said.closed_by, said.reopened_at, said.reopened_by)
    ORDER BY month LIMIT ${NAMED}`;
  for (const { month, is, said } of rows) {
    const message =
      is === said
        ? `what the month ${month} says of its closing is not what people did, by their sealed actions`
        : `the month ${month} is ${is}, and what people did left it ${said}: it was changed without an action`;
    reportFinding(findingOf('period_changed', message, { log: 'periods', from: month }));
  }
}

/** A closing keeps which entry was the last. */
async function verifyLate(db: Knex, reportFinding: ReportFinding): Promise<void> {
  const rows = await rowsOf<{ id: string; month: string; posted: string; closed: string }>(db)`
    SELECT entries.id::text AS id, periods.month, to_json(posted_at) #>> '{}' AS posted, to_json(closed_at) #>> '{}' AS closed
    FROM periods LEFT JOIN LATERAL (
      SELECT CASE WHEN details ->> 'lastEntry' ~ '^[0-9]{1,18}$' THEN (details ->> 'lastEntry')::bigint END AS last FROM actions
      WHERE action = 'close period' AND outcome = 'done' AND target = 'period ' || periods.month ORDER BY id DESC LIMIT 1
    ) AS closing ON true
    JOIN entries ON entries.month = periods.month AND entries.id > coalesce(last, 0) AND (last IS NOT NULL OR posted_at > closed_at)
    WHERE status = 'closed' ORDER BY entries.id LIMIT ${NAMED}`;
  for (const { id, month, posted, closed } of rows) {
    const message = `entry ${id} was posted at ${posted} into ${month}, which was closed at ${closed}`;
    reportFinding(findingOf('entry_late', message, { log: 'entries', from: id, rows: 1 }));
  }
}

/** The sums that are kept by month are those of the lines. */
async function verifySums(db: Knex, reportFinding: ReportFinding, months: string[] | null): Promise<void> {
  const where = months === null ? raw('true') : sql`month = ANY (${months}::text[])`;
  const rows = await rowsOf<{ month: string; what: string; lines: string; kept: string }>(db)`
    WITH totals AS (
      SELECT month, account, asset_code, sum(amount) AS amount FROM entry_lines JOIN entries ON entries.id = entry_id
      WHERE NOT memo AND ${where} GROUP BY month, account, asset_code
    ), counts AS (SELECT month, count(*) AS entries FROM entries WHERE ${where} GROUP BY month)
    SELECT month, account || ' in ' || asset_code AS what, trim_scale(coalesce(totals.amount, 0))::text AS lines,
           trim_scale(coalesce(kept.amount, 0))::text AS kept
    FROM totals FULL JOIN account_months AS kept USING (month, account, asset_code)
    WHERE ${where} AND coalesce(totals.amount, 0) IS DISTINCT FROM coalesce(kept.amount, 0)
    UNION ALL SELECT month, 'the number of entries', coalesce(counts.entries, 0)::text, coalesce(kept.entries, 0)::text
    FROM counts FULL JOIN entry_months AS kept USING (month)
    WHERE ${where} AND counts.entries IS DISTINCT FROM kept.entries
    UNION ALL SELECT month, asset_code || ' in transit on ' || day, trim_scale(coalesce(moved.amount, 0))::text, trim_scale(coalesce(kept.amount, 0))::text
    FROM (
      SELECT asset_code, month, day, sum(amount) AS amount, max(at) AS last_at FROM entry_lines JOIN entries ON entries.id = entry_id
      WHERE account = ${accounts.payoutsInTransit} AND record_kind <> 'placement' AND ${where} GROUP BY asset_code, month, day
    ) AS moved FULL JOIN transit_days AS kept USING (asset_code, month, day)
    WHERE ${where} AND (moved.amount, moved.last_at) IS DISTINCT FROM (kept.amount, kept.last_at)
    ORDER BY month, what LIMIT ${NAMED}`;
  for (const { month, what, lines, kept } of rows) {
    const message = `${month}, ${what}: the lines come to ${lines}, and ${kept} is kept`;
    reportFinding(findingOf('accounts_differ', message, { log: 'accounts', from: month }));
  }
}

/** So are the values that are kept, and how many lines have one. */
async function verifyValues(db: Knex, reportFinding: ReportFinding): Promise<void> {
  const rows = await rowsOf<{ month: string; what: string; lines: string; kept: string }>(db)`
    WITH valued AS (
      SELECT month, account, asset_code, rate, currency, amount * rate AS value FROM entry_lines JOIN entries ON entries.id = entry_id LEFT JOIN (
        SELECT DISTINCT ON (entry_id, asset_code) entry_id, asset_code, rate, currency FROM entry_rates ORDER BY entry_id, asset_code, id DESC
      ) AS newest USING (entry_id, asset_code)
      WHERE NOT memo
    ), totals AS (
      SELECT month, account, asset_code, currency, sum(value) AS value, count(*) AS lines FROM valued WHERE rate IS NOT NULL
      GROUP BY month, account, asset_code, currency
    ), counts AS (SELECT month, account, asset_code, count(*) AS lines FROM valued GROUP BY month, account, asset_code)
    SELECT month, account || ' in ' || asset_code || ', in ' || currency AS what,
           trim_scale(coalesce(totals.value, 0)) || ' of ' || coalesce(totals.lines, 0) AS lines,
           trim_scale(coalesce(kept.value, 0)) || ' of ' || coalesce(kept.lines, 0) AS kept
    FROM totals FULL JOIN account_values AS kept USING (month, account, asset_code, currency)
    WHERE (coalesce(totals.value, 0), coalesce(totals.lines, 0)) <> (coalesce(kept.value, 0), coalesce(kept.lines, 0))
    UNION ALL SELECT month, 'the number of lines of ' || account || ' in ' || asset_code, coalesce(counts.lines, 0)::text, kept.lines::text
    FROM counts JOIN account_months AS kept USING (month, account, asset_code) WHERE counts.lines <> kept.lines
    ORDER BY month, what LIMIT ${NAMED}`;
  for (const { month, what, lines, kept } of rows) {
    const message = `${month}, ${what}: the lines come to ${lines}, and ${kept} is kept`;
    reportFinding(findingOf('accounts_differ', message, { log: 'accounts', from: month }));
  }
}

type Stored = { account: string; assetCode: string } & Record<(typeof SIDES)[number], string>;
const SIDES = ['opening', 'activity', 'closing'] as const;

/** What the accounts of a closed month hold is what was stored when it was closed. */
async function verifyClosing(db: Knex, month: string, reportFinding: ReportFinding): Promise<void> {
  const report = (message: string) =>
    reportFinding(findingOf('accounts_differ', `${month}: ${message}`, { log: 'accounts', from: month }));
  const stored = await storedTotals(db, month);
  if (stored === null) return report('it is closed, and nothing is stored of its accounts');
  let found = 0;
  for (const total of await keptTotals(db, month)) {
    const name = `${total.account} in ${total.assetCode}`;
    const then = stored.get(name);
    stored.delete(name);
    const side = SIDES.find((one) => total[one] !== (then?.[one] ?? '0'));
    if (side === undefined) continue;
    found += 1;
    if (found <= NAMED)
      report(`${name}: the ${side} is ${total[side]}, and ${then?.[side] ?? '0'} was stored at the closing`);
  }
  for (const name of [...stored.keys()].slice(0, NAMED)) report(`${name} was stored at the closing, and has no lines`);
}

async function storedTotals(db: Knex, month: string): Promise<Map<string, Stored> | null> {
  const file = (await periodFiles(db, month)).find(({ name }) => name === `${month}-accounts.ndjson`);
  if (file === undefined) return null;
  const parts: Buffer[] = [];
  for await (const part of readPeriodFile(db, file.id)) parts.push(part);
  const lines = Buffer.concat(parts).toString().split('\n');
  return new Map(lines.flatMap(storedTotal).map((one) => [`${one.account} in ${one.assetCode}`, one]));
}

/** A line that is none is left out: what it stood for differs then, and the hash of its file too. */
function storedTotal(line: string): Stored[] {
  try {
    return line === '' ? [] : [parseJson(line, 2) as unknown as Stored];
  } catch {
    return [];
  }
}
