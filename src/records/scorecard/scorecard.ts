import type { Knex } from 'knex';
import { dayAfter, dayIn, firstDayAfter, monthIn, startOfDay } from '../../domain/books/posting-month.js';
import { type CountedDay, type StoredDay, scorecardOf } from '../../domain/scorecard/card.js';
import type { CallOutcome, Scorecard } from '../../domain/scorecard/scorecard-shape.js';
import { addTallies, type EventFacts, type Tally, tallyEvents } from '../../domain/scorecard/tally-events.js';
import { jsonbText } from '../database/database-text.js';
import { columnOf, raw, rowsOf, run, sql, tableOf } from '../database/statements.js';
import { firstIdSince } from '../inbox/minute-counts.js';
import { adoptedAtOf } from '../installation.js';
import { readWatermarks } from '../runs/watermarks.js';

const DAY_MS = 86_400_000;
/** A delivery is settled by then, and events of a day no longer change their class. */
const SETTLED_MS = 4 * DAY_MS;
/** Of a day that is not over the history may be so old. */
const LATE_MS = 3_600_000;

export interface CountSettings {
  timeZone: string;
  /** MISSED_GRACE_SECONDS */
  graceMs: number;
  /** RETENTION_KEY_DAYS: of what is older events may be gone. */
  keyDays: number;
  signal?: AbortSignal;
}

/** Counts the days of a month that are not counted yet, or whose events may have another class by now. Returns how many. */
export async function countMonth(db: Knex, month: string, now: Date, settings: CountSettings): Promise<number> {
  const { timeZone, graceMs, keyDays, signal } = settings;
  const adopted = await adoptedAtOf(db);
  const least = Math.max(now.getTime() - (keyDays - 1) * DAY_MS, adopted.getTime());
  const stored = new Map((await storedDays(db, month, timeZone)).map((one) => [one.day, one]));
  let counted = 0;
  for (const { day, from, to } of daysOf(month, timeZone)) {
    signal?.throwIfAborted();
    const known = stored.get(day);
    const isSettled = known !== undefined && known.countedAt.getTime() > to + SETTLED_MS;
    if (from > now.getTime() || to <= least || isSettled) continue;
    await saveDay(db, { day, timeZone, countedAt: now, counts: await countDay(db, { from, to }, { now, graceMs }) });
    counted += 1;
  }
  return counted;
}

/** This month, and the one before while its last days may change. */
export function monthsToCount(now: Date, timeZone: string): string[] {
  const unsettled = now.getTime() - SETTLED_MS - DAY_MS;
  return [...new Set([unsettled, now.getTime()].map((at) => monthIn(timeZone, at)))];
}

/** Months of which a day was counted, the newest first. */
export async function countedMonths(db: Knex, timeZone: string): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT DISTINCT to_char(day, 'YYYY-MM') AS month FROM scorecard_days WHERE time_zone = ${timeZone} ORDER BY month DESC`;
}

/** As it was counted last. */
export async function readScorecard(db: Knex, month: string, now: Date, timeZone: string): Promise<Scorecard> {
  const days = daysOf(month, timeZone);
  const about = {
    month,
    timeZone,
    from: days[0]?.from ?? 0,
    to: days.at(-1)?.to ?? 0,
    begun: days.filter(({ from }) => from <= now.getTime()).length,
    adoptedAt: (await adoptedAtOf(db)).getTime(),
  };
  return scorecardOf(await storedDays(db, month, timeZone), about);
}

function daysOf(month: string, timeZone: string): ({ day: string } & Span)[] {
  const days: ({ day: string } & Span)[] = [];
  const end = startOfDay(timeZone, firstDayAfter(month));
  for (let from = startOfDay(timeZone, `${month}-01`); from < end; ) {
    const day = dayIn(timeZone, from);
    const to = startOfDay(timeZone, dayAfter(day));
    days.push({ day, from, to });
    from = to;
  }
  return days;
}

async function storedDays(db: Knex, month: string, timeZone: string): Promise<StoredDay[]> {
  return rowsOf<StoredDay>(db)`
    SELECT day::text, counted_at AS "countedAt", counts FROM scorecard_days
    WHERE time_zone = ${timeZone} AND day >= ${`${month}-01`}::date AND day < ${firstDayAfter(month)}::date ORDER BY day`;
}

async function saveDay(
  db: Knex,
  { day, timeZone, countedAt, counts }: StoredDay & { timeZone: string },
): Promise<void> {
  await run(db)`
    INSERT INTO scorecard_days AS known (day, time_zone, counted_at, counts)
    VALUES (${day}::date, ${timeZone}, ${countedAt}, ${jsonbText(counts)}::jsonb)
    ON CONFLICT (day, time_zone) DO UPDATE SET counted_at = excluded.counted_at, counts = excluded.counts
    WHERE known.counted_at <= excluded.counted_at`;
}

async function countDay(db: Knex, span: Span, { now, graceMs }: { now: Date; graceMs: number }): Promise<CountedDay> {
  const [from, to] = [new Date(span.from), new Date(span.to)];
  const rejected = await rowsOf<{ reason: string; n: number }>(db)`
    SELECT reason, sum(count)::float8 AS n FROM rejection_counts WHERE hour >= ${from} AND hour < ${to} GROUP BY reason`;
  const calls = await rowsOf<{ operation: string; outcome: CallOutcome; n: number }>(db)`
    SELECT operation, outcome, sum(count)::float8 AS n FROM service_call_counts
    WHERE hour >= ${from} AND hour < ${to} GROUP BY operation, outcome`;
  const operations = [...new Set(calls.map(({ operation }) => operation))];
  const outcomes = (name: string) => calls.filter(({ operation }) => operation === name);
  return {
    tally: await tallyDay(db, span, graceMs),
    rejected: Object.fromEntries(rejected.map(({ reason, n }) => [reason, n])),
    calls: Object.fromEntries(
      operations.map((name) => [name, Object.fromEntries(outcomes(name).map(({ outcome, n }) => [outcome, n]))]),
    ),
    withHistory: await isHistoryRead(db, span, Math.min(span.to + graceMs, now.getTime() - LATE_MS)),
  };
}

/** Down to the day's begin, and up to there. */
async function isHistoryRead(db: Knex, { from }: Span, upTo: number): Promise<boolean> {
  const { from: since, readAt } = (await readWatermarks(db, 'deliveries')).get('mark') ?? {};
  return typeof since === 'number' && typeof readAt === 'number' && since <= from && readAt >= upTo;
}

/** Two moments, ms. */
interface Span {
  from: number;
  to: number;
}

const HOUR_MS = 3_600_000;

/**
 * The events of a day by what became of each. One that came counts on the day on which it came, whenever it was made, one that
 * did not on the day of its delivery, one that nobody made on the day on which that was found. Read by the hour.
 */
async function tallyDay(db: Knex, { from, to }: Span, graceMs: number): Promise<Tally> {
  const tallies: Tally[] = [];
  let newestBefore = newestOf(await eventsThatCame(db, { from: from - HOUR_MS, to: from }), null);
  for (let hour = from; hour < to; hour += HOUR_MS) {
    const came = await eventsThatCame(db, { from: hour, to: Math.min(hour + HOUR_MS, to) });
    tallies.push(tallyEvents(came, { graceMs, newestBefore }));
    newestBefore = newestOf(came, newestBefore);
  }
  const lost = [...(await eventsThatDidNot(db, { from, to })), ...(await eventsNeverMade(db, { from, to }))];
  return addTallies([...tallies, tallyEvents(lost, { graceMs, newestBefore: null })]);
}

function newestOf(events: readonly EventFacts[], before: number | null): number | null {
  let newest = before;
  for (const { madeAt, isForged } of events)
    if (!isForged && madeAt !== null) newest = Math.max(madeAt, newest ?? madeAt);
  return newest;
}

interface CameRow {
  key: string;
  eventType: string;
  receivedAt: Date;
  madeAt: Date | null;
  stampedAt: number;
  isRepeated: boolean;
  isForged: boolean;
}

/** Webhooks, but for test events of our own. Its delivery says when it was made, or else its own time does, to the second. */
async function eventsThatCame(db: Knex, { from, to }: Span): Promise<EventFacts[]> {
  const first = await firstIdSince(db, new Date(from));
  if (first === null) return [];
  const end = await firstIdSince(db, new Date(to + 120_000));
  const rows = await rowsOf<CameRow>(db)`
    SELECT id AS key, event_type AS "eventType", received_at AS "receivedAt", event_timestamp AS "stampedAt",
      (SELECT min(at) FROM (SELECT created_at AS at FROM deliveries WHERE inbox_id = inbox.id OFFSET 0) AS own) AS "madeAt",
      arrivals > 1 AND EXISTS (SELECT FROM inbox_arrivals WHERE inbox_id = inbox.id AND arrivals > 1) AS "isRepeated",
      EXISTS (SELECT FROM report_checks WHERE inbox_id = inbox.id AND state = 'not_sent') AS "isForged"
    FROM inbox WHERE id >= ${first}::bigint AND ${end === null ? raw('true') : sql`id < ${end}::bigint`}
      AND received_at >= ${new Date(from)} AND received_at < ${new Date(to)} AND source = 'webhook' AND mark IS NULL`;
  return rows.map(({ key, eventType, receivedAt, madeAt, stampedAt, isRepeated, isForged }) => ({
    key,
    eventType,
    receivedAt: receivedAt.getTime(),
    madeAt: madeAt?.getTime() ?? Math.floor(stampedAt * 1_000),
    isRepeated,
    isForged,
    why: 'missed',
  }));
}

const WHY = `CASE class WHEN 'pending_retry' THEN 'under_way' WHEN 'rejected' THEN 'rejected' ELSE 'missed' END`;
const LACKING = `class IN ('pending_retry', 'rejected', 'never_reached', 'phantom', 'unrecoverable')`;
const EVENT = `coalesce(event_key, content_hash, id)`;

type LostRow = Pick<EventFacts, 'key' | 'eventType' | 'why'>;

/** Deliveries to us whose event no webhook brought, also where it was recovered; those of one event have one key. */
async function eventsThatDidNot(db: Knex, { from, to }: Span): Promise<EventFacts[]> {
  const rows = await rowsOf<LostRow>(db)`
    SELECT ${raw(EVENT)} AS key, coalesce(event_type, '') AS "eventType", ${raw(WHY)} AS why FROM deliveries
    WHERE ours AND ${raw(LACKING)} AND created_at >= ${new Date(from)} AND created_at < ${new Date(to)}
      AND NOT EXISTS (SELECT FROM inbox WHERE inbox.id = inbox_id AND source = 'webhook')
      AND NOT EXISTS (
        SELECT FROM deliveries AS older WHERE older.event_key = deliveries.event_key AND older.created_at < ${new Date(from)}
          AND older.ours AND older.${raw(LACKING)})`;
  return rows.map(asLost);
}

/** Once a person decided about one it still counts; one that came to be known after all does not. */
async function eventsNeverMade(db: Knex, { from, to }: Span): Promise<EventFacts[]> {
  const rows = await rowsOf<Omit<LostRow, 'why'>>(db)`
    SELECT 'never ' || entity_id AS key, coalesce(split_part(cause, ' ', 1), '') AS "eventType" FROM breaks
    WHERE kind = 'event_never_generated' AND status <> 'auto_resolved'
      AND opened_at >= ${new Date(from)} AND opened_at < ${new Date(to)}`;
  return rows.map((row) => asLost({ ...row, why: 'never_generated' }));
}

function asLost({ key, eventType, why }: LostRow): EventFacts {
  return { key, eventType, why, madeAt: null, receivedAt: null, isRepeated: false, isForged: false };
}

export interface CallCount {
  hour: Date;
  operation: string;
  outcome: CallOutcome;
  count: number;
}

/** In the order of their keys: two processes must not wait for each other in a circle. */
export async function addCallCounts(db: Knex, counts: readonly CallCount[]): Promise<void> {
  const added = tableOf('added', counts, {
    hour: ['timestamptz', ({ hour }) => hour.toISOString()],
    operation: 'text',
    outcome: 'text',
    n: ['bigint', ({ count }) => count],
  });
  await run(db)`
    INSERT INTO service_call_counts AS counts (hour, operation, outcome, count)
    SELECT hour, operation, outcome, n FROM ${added} ORDER BY hour, operation, outcome
    ON CONFLICT (hour, operation, outcome) DO UPDATE SET count = counts.count + excluded.count`;
}
