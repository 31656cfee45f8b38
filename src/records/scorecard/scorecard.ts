import type { Knex } from 'knex';
import { dayAfter, dayIn, firstDayAfter, monthIn, startOfDay } from '../../domain/books/posting-month.js';
import type { CallOutcome } from '../../domain/scorecard/call-outcomes.js';
import { type CountedDay, type StoredDay, scorecardOf } from '../../domain/scorecard/card.js';
import type { Scorecard } from '../../domain/scorecard/scorecard-shape.js';
import { jsonbText } from '../database/database-text.js';
import { columnOf, rowsOf, run } from '../database/statements.js';
import { adoptedAtOf } from '../installation.js';
import { readWatermarks } from '../runs/watermarks.js';
import { type Span, tallyDay } from './day-events.js';

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
