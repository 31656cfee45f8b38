import type { Knex } from 'knex';
import type { AlertFacts } from '../../domain/alerts/facts.js';
import { raw, rowsOf, run, type Trx, tableOf, valueOf } from '../database/statements.js';
import { asColumns } from '../database/view-of.js';

/** A rejected request, as far as it is kept. */
export interface Rejection {
  reason: string;
  /** What was found. */
  detail: string;
  /** The likely cause and its remedy, where one is known. */
  diagnosis: string | null;
  bodySize: number;
  bodyHash: string;
  firstBytes: Buffer;
  rejectedAt: Date;
  /** Rejected for its signature, under headers as the service sends them. */
  likeService: boolean;
}

export interface RejectionCount {
  /** The start of the minute; before 0.1.0 that of the hour. */
  minute: Date;
  /** Left out: within the minute. */
  firstAt?: Date;
  lastAt?: Date;
  reason: string;
  count: number;
  /** How many of them had the headers that the service sends. */
  likeService: number;
}

/** Of each reason this many are kept; a flood of one reason does not wash away the others. */
const KEPT_PER_REASON = 2_000;

/** Adds to the full counts and to the bounded sample, in one transaction. */
export async function saveRejections(db: Knex, samples: Rejection[], counts: RejectionCount[]): Promise<void> {
  await db.transaction(async (trx) => {
    if (counts.length > 0) await addCounts(trx, counts);
    if (samples.length === 0) return;
    await trx('rejections').insert(samples.map(asColumns));
    for (const reason of new Set(samples.map((sample) => sample.reason))) await prune(trx, reason);
  });
}

/** So many of the newest are read. */
const SAMPLED = 500;

const LIKE_SERVICE = 'AND like_service';

/** How many of the newest samples were rejected for this since then: whether there are some, never how many there are. */
export async function countRejections(
  db: Knex,
  reason: string,
  since: Date,
  only: typeof LIKE_SERVICE | '' = '',
): Promise<number> {
  return valueOf<number>(db)`
    SELECT count(*)::integer AS n FROM (SELECT rejected_at FROM rejections
      WHERE reason = ${reason} ${raw(only)} ORDER BY id DESC LIMIT ${raw(SAMPLED)}) AS newest WHERE rejected_at > ${since}`;
}

/** The same of what had the service's headers and no signature of a configured secret. */
export function countForgedSince(db: Knex, since: Date): Promise<number> {
  return countRejections(db, 'invalid_signature', since, LIKE_SERVICE);
}

/** In the order of their keys: two receivers must not wait for each other in a circle. */
async function addCounts(trx: Trx, counts: RejectionCount[]): Promise<void> {
  const added = tableOf('added', counts, {
    hour: ['timestamptz', ({ minute }) => minute.toISOString()],
    reason: 'text',
    n: ['bigint', ({ count }) => count],
    alike: ['bigint', ({ likeService }) => likeService],
    first: ['timestamptz', ({ firstAt }) => firstAt?.toISOString() ?? null],
    last: ['timestamptz', ({ lastAt }) => lastAt?.toISOString() ?? null],
  });
  await run(trx)`
    INSERT INTO rejection_counts AS counts (hour, reason, count, like_service, first_at, last_at)
    SELECT hour, reason, n, alike, first, last FROM ${added} ORDER BY hour, reason
    ON CONFLICT (hour, reason) DO UPDATE SET count = counts.count + excluded.count,
      like_service = counts.like_service + excluded.like_service,
      first_at = least(counts.first_at, excluded.first_at), last_at = greatest(counts.last_at, excluded.last_at)`;
}

async function prune(trx: Trx, reason: string): Promise<void> {
  const oldest = trx('rejections')
    .where({ reason })
    .orderBy('id', 'desc')
    .offset(KEPT_PER_REASON)
    .limit(1)
    .select('id');
  await trx('rejections').where({ reason }).where('id', '<=', oldest).delete();
}

/** How many requests were rejected in each minute since then, all of them. */
export async function rejectionsByMinute(db: Knex, since: Date): Promise<{ minute: Date; count: number }[]> {
  return rowsOf<{ minute: Date; count: number }>(db)`
    SELECT date_trunc('minute', hour) AS minute, sum(count)::float8 AS count
    FROM rejection_counts WHERE hour >= ${since} GROUP BY 1`;
}

/**
 * All that were rejected since then, by reason, the most frequent first: the one count that is shown, since samples are only
 * for looking at. `oldestSeconds`: since the first of those between which no hour was without one, a day at most.
 */
export async function rejectedSince(db: Knex, since: Date, now: Date): Promise<AlertFacts['rejected'][number][]> {
  return rowsOf<AlertFacts['rejected'][number]>(db)`
    WITH minutes AS (
      SELECT *, hour - lag(hour) OVER (PARTITION BY reason ORDER BY hour) > interval '1 hour' AS late
      FROM rejection_counts WHERE hour > ${since}::timestamptz - interval '1 day'
    )
    SELECT reason, sum(count) FILTER (WHERE hour > ${since})::float8 AS count,
           sum(like_service) FILTER (WHERE hour > ${since})::float8 AS "likeService",
           greatest(extract(epoch FROM ${now}::timestamptz - max(coalesce(first_at, hour)) FILTER (WHERE late IS NOT false)), 0)::float8 AS "oldestSeconds"
    FROM minutes GROUP BY reason HAVING bool_or(hour > ${since}) ORDER BY count DESC, reason`;
}

/** Those that had the service's headers and no signature of a configured secret, all of them. */
export async function forgedSince(db: Knex, since: Date): Promise<number> {
  const found = (await rejectedSince(db, since, since)).find(({ reason }) => reason === 'invalid_signature');
  return found?.likeService ?? 0;
}
