import type { Knex } from 'knex';
import { CANARY_MARK } from '../../domain/events/event-key.js';
import { raw, rowsOf } from '../database/statements.js';
import { rejectionsByMinute } from './rejections.js';

/** By the service, as far as is known: our own canaries say nothing of it. */
export const SENT = `source = 'webhook' AND mark IS DISTINCT FROM '${CANARY_MARK}'`;

/** Events received in one minute, canaries apart, by what became of them, and requests rejected in it. */
export interface MinuteCount {
  /** The start of the minute. */
  minute: Date;
  applied: number;
  /** Received, and not applied yet; tried again among them. */
  waiting: number;
  /** Given up, or of a kind that is not kept. */
  notApplied: number;
  rejected: number;
}

/**
 * The newest `minutes` full or begun minutes, oldest first, none left out. Goes by the primary keys, which grow with time:
 * only rows of that hour are read.
 */
export async function minuteCounts(db: Knex, now: Date, minutes: number): Promise<MinuteCount[]> {
  const last = Math.floor(now.getTime() / 60_000) * 60_000;
  const first = new Date(last - (minutes - 1) * 60_000);
  const [events, rejections] = await Promise.all([countEvents(db, first), rejectionsByMinute(db, first)]);
  const byMinute = new Map(events.map((row) => [row.minute.getTime(), row]));
  const rejected = new Map(rejections.map(({ minute, count }) => [minute.getTime(), count]));
  return Array.from({ length: minutes }, (_, index) => {
    const at = first.getTime() + index * 60_000;
    const { applied = 0, waiting = 0, notApplied = 0 } = byMinute.get(at) ?? {};
    return { minute: new Date(at), applied, waiting, notApplied, rejected: rejected.get(at) ?? 0 };
  });
}

/** Ids are given out a moment before rows are stored: so much earlier ones may belong to the first minute. */
const SLACK = "interval '1 minute'";

async function countEvents(db: Knex, first: Date): Promise<Omit<MinuteCount, 'rejected'>[]> {
  const from = await firstIdSince(db, first);
  if (from === null) return [];
  return rowsOf<Omit<MinuteCount, 'rejected'>>(db)`
    SELECT date_trunc('minute', received_at) AS minute,
           (count(*) FILTER (WHERE status = 'applied'))::integer AS applied,
           (count(*) FILTER (WHERE status IN ('received', 'failed')))::integer AS waiting,
           (count(*) FILTER (WHERE status IN ('unhandled', 'dead')))::integer AS "notApplied"
    FROM inbox WHERE id >= ${from} AND received_at >= ${first} AND mark IS DISTINCT FROM ${CANARY_MARK} GROUP BY 1`;
}

/** Halves the range of ids until the first event since then is found: some twenty reads of one row each. */
export async function firstIdSince(db: Knex, since: Date): Promise<string | null> {
  const rows = await rowsOf<{ id: string }>(db)`
    WITH RECURSIVE ends AS (SELECT min(id) AS low, max(id) + 1 AS high FROM inbox),
    search (low, high) AS (
      SELECT low, high FROM ends WHERE low IS NOT NULL
      UNION ALL
      SELECT CASE WHEN at < ${since}::timestamptz - ${raw(SLACK)} THEN middle + 1 ELSE low END,
             CASE WHEN at < ${since}::timestamptz - ${raw(SLACK)} THEN high ELSE middle END
      FROM (SELECT low, high, (low + high) / 2 AS middle,
                   (SELECT received_at FROM inbox WHERE id >= (low + high) / 2 ORDER BY id LIMIT 1) AS at
            FROM search WHERE low < high) AS half
    )
    SELECT low AS id FROM search WHERE low >= high LIMIT 1`;
  return rows[0]?.id ?? null;
}
