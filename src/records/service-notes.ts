import type { Knex } from 'knex';
import { AWAY_ATTEMPTS } from '../domain/alerts/outage-words.js';
import { firstOf, raw, rowOf, rowsOf, run } from './database/statements.js';

const FAILING = { kind: 'service', name: 'failing' };
const ANSWERED = { kind: 'service', name: 'answered' };
const RETURNED = { kind: 'service', name: 'returned' };

/** How attempts of calls ended; times are ms since the epoch. */
export interface Answers {
  /** When the last was answered. */
  answeredAt: number | null;
  /** Those that failed after it, because the service is away. */
  failed: readonly { at: number; operation: string; error: string }[];
}

/** What is known of both, in whichever order they came. */
export function mergeAnswers(a: Answers, b: Answers): Answers {
  const answeredAt = Math.max(a.answeredAt ?? 0, b.answeredAt ?? 0);
  const failed = [...a.failed, ...b.failed].filter(({ at }) => at > answeredAt).sort((one, other) => one.at - other.at);
  return { answeredAt: answeredAt === 0 ? null : answeredAt, failed };
}

/** Notes for all processes when a call was answered last, and since when none was. An answer ends what failed before it, whoever asked. */
export async function noteAnswers(db: Knex, { answeredAt, failed }: Answers): Promise<void> {
  if (answeredAt !== null) {
    await run(db)`
      INSERT INTO watermarks (kind, name, value)
      VALUES (${ANSWERED.kind}, ${ANSWERED.name}, jsonb_build_object('last', ${answeredAt}::numeric))
      ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value, updated_at = now()
      WHERE (watermarks.value ->> 'last')::numeric < (excluded.value ->> 'last')::numeric`;
    await run(db)`
      WITH ended AS (DELETE FROM watermarks WHERE kind = ${FAILING.kind} AND name = ${FAILING.name}
        AND (value ->> 'last')::numeric <= ${answeredAt} RETURNING value)
      INSERT INTO watermarks (kind, name, value)
      SELECT ${RETURNED.kind}, ${RETURNED.name}, jsonb_build_object('awaySince', value -> 'since', 'since', ${answeredAt}::numeric)
      FROM ended WHERE (value ->> 'attempts')::numeric >= ${AWAY_ATTEMPTS}
      ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value, updated_at = now()`;
  }
  const [first, last] = [failed[0], failed.at(-1)];
  if (first === undefined || last === undefined) return;
  const operations = Object.fromEntries(failed.map(({ operation }) => [operation, true]));
  const value = JSON.stringify({
    since: first.at,
    last: last.at,
    attempts: failed.length,
    error: last.error,
    operations,
  });
  await run(db)`
    INSERT INTO watermarks (kind, name, value) VALUES (${FAILING.kind}, ${FAILING.name}, ${value}::jsonb)
    ON CONFLICT (kind, name) DO UPDATE SET updated_at = now(), value = excluded.value || jsonb_build_object(
      'since', least((watermarks.value ->> 'since')::numeric, (excluded.value ->> 'since')::numeric),
      'attempts', (watermarks.value ->> 'attempts')::numeric + (excluded.value ->> 'attempts')::numeric,
      'operations', (watermarks.value -> 'operations') || (excluded.value -> 'operations'))`;
}

export interface FailingCalls {
  /** When the first of them failed, ISO 8601. */
  since: string;
  attempts: number;
  /** In the order of the alphabet. */
  operations: string[];
  /** Of the newest, as runs keep it. */
  error: string;
}

/** Attempts since the last that was answered; null: that was the newest, or none was made. */
export async function failingCalls(db: Knex): Promise<FailingCalls | null> {
  const row = await firstOf<{ value: { since: number; attempts: number; error: string; operations: object } }>(db)`
    SELECT value FROM watermarks WHERE kind = ${FAILING.kind} AND name = ${FAILING.name}`;
  if (row === undefined) return null;
  const { since, attempts, error, operations } = row.value;
  return { since: new Date(since).toISOString(), attempts, error, operations: Object.keys(operations).sort() };
}

/** When the service was away last, and since when it answers again, ms since the epoch; null: it never was. */
export async function lastReturn(db: Knex): Promise<{ awaySince: number; since: number } | null> {
  const row = await firstOf<{ value: { awaySince: number; since: number } }>(db)`
    SELECT value FROM watermarks WHERE kind = ${RETURNED.kind} AND name = ${RETURNED.name}`;
  return row?.value ?? null;
}

export interface LastCalls {
  /** When one was answered, and when one was attempted, ms since the epoch; null: none is noted. */
  answeredAt: number | null;
  attemptedAt: number | null;
  /** None was answered since one failed. */
  isFailing: boolean;
}

/** Of the scheduler's calls the last. */
export async function lastCalls(db: Knex): Promise<LastCalls> {
  return rowOf<LastCalls>(db)`
    SELECT max(at) FILTER (WHERE name = ${ANSWERED.name}) AS "answeredAt", max(at) AS "attemptedAt",
           count(*) FILTER (WHERE name = ${FAILING.name}) > 0 AS "isFailing"
    FROM (SELECT name, (value ->> 'last')::float8 AS at FROM watermarks
      WHERE kind = ${FAILING.kind} AND name IN (${FAILING.name}, ${ANSWERED.name})) AS noted`;
}

const CLOCK = { kind: 'service', name: 'clock' };

/** A slow answer, or one of hosts that disagree, says less for a while: that makes nothing younger that was read before. */
const KEPT = "interval '10 minutes'";

/**
 * Notes for all processes how far the service's clock is from the database's. `earliest`: the earliest that it may show now,
 * ms, as polls are dated; where it is only assumed, what is noted stands. The latest of what was measured within ten
 * minutes is kept.
 */
export async function noteServiceClock(
  db: Knex,
  { earliest, isMeasured }: { earliest: number; isMeasured: boolean },
): Promise<void> {
  await run(db)`
    INSERT INTO watermarks (kind, name, value)
    SELECT ${CLOCK.kind}, ${CLOCK.name}, jsonb_build_object(
      'aheadMs', round(${earliest}::numeric - extract(epoch FROM clock_timestamp()) * 1000), 'isMeasured', ${isMeasured}::boolean)
    ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value, updated_at = now()
    WHERE ${isMeasured}::boolean AND (NOT coalesce((watermarks.value ->> 'isMeasured')::boolean, false)
      OR (excluded.value ->> 'aheadMs')::numeric >= (watermarks.value ->> 'aheadMs')::numeric
      OR watermarks.updated_at < now() - ${raw(KEPT)})`;
}

/** The earliest that the service's clock may show now, ms; null while no process has noted it. */
export async function earliestServiceNow(db: Knex): Promise<number | null> {
  const rows = await rowsOf<{ now: string }>(db)`
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000 + (value ->> 'aheadMs')::numeric) AS now
    FROM watermarks WHERE kind = ${CLOCK.kind} AND name = ${CLOCK.name}`;
  return rows[0] === undefined ? null : Number(rows[0].now);
}
