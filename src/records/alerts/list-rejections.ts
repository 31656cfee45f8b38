import type { Knex } from 'knex';
import { causeByNow } from '../../domain/deliveries/replaced-endpoint.js';
import { type RejectionView, rejectionShape } from '../../domain/views/webhook-shapes.js';
import { type Filters, given, type Page, type PageQuery, pageById, viewById, within } from '../database/paging.js';
import { rowsOf } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';
import { replacedEndpoints } from '../deliveries/secret-endpoints.js';
import { secretsFrom } from '../process-heartbeats.js';

type RejectionRow = RowOf<Omit<RejectionView, 'firstBytes'>> & { first_bytes: Buffer };

export async function listRejections(
  db: Knex,
  page: PageQuery & Filters<'reason'> & { since?: Date | undefined },
): Promise<Page<RejectionView>> {
  const query = db('rejections').where(given(page, 'reason'));
  if (page.since !== undefined) void query.where('rejected_at', '>=', page.since);
  return pageById(within(query, page, 'rejected_at'), page, await viewsNow(db));
}

export async function getRejection(db: Knex, id: string): Promise<RejectionView | null> {
  return viewById(db('rejections'), id, await viewsNow(db));
}

/** Each with its likely cause as it is known by now. */
async function viewsNow(db: Knex): Promise<(row: RejectionRow) => RejectionView> {
  const known = await causesKnown(db);
  return (row) =>
    viewOf(rejectionShape, row, {
      firstBytes: row.first_bytes.toString('utf8'),
      diagnosis: row.diagnosis === null ? null : causeByNow(row.diagnosis, row.rejected_at, known),
    });
}

export type CausesKnown = Parameters<typeof causeByNow>[2];

async function causesKnown(db: Knex): Promise<CausesKnown> {
  return { replaced: await replacedEndpoints(db), from: await secretsFrom(db) };
}

/** All requests that were rejected for one reason. */
export interface ReasonCount {
  reason: string;
  day: number;
  week: number;
  /** Of the week. */
  firstAt: Date;
  lastAt: Date;
  /** Of the last 24 hours, the oldest first; the last one has begun. */
  hours: number[];
  /** Their likely causes, as the kept samples of the week show them, and how many of these each. */
  causes: { cause: string; samples: number }[];
}

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** By reason, the most frequent of the last seven days first. `read`: what is known of causes; left out: it is read. */
export async function rejectionsByReason(db: Knex, now: Date, read?: CausesKnown): Promise<ReasonCount[]> {
  const rows = await rowsOf<Omit<ReasonCount, 'hours' | 'causes'>>(db)`
    SELECT reason, coalesce(sum(count) FILTER (WHERE hour > ${now}::timestamptz - interval '24 hours'), 0)::float8 AS day,
           sum(count)::float8 AS week, min(coalesce(first_at, hour)) AS "firstAt",
           max(coalesce(last_at, hour)) AS "lastAt"
    FROM rejection_counts WHERE hour > ${now}::timestamptz - interval '7 days' GROUP BY reason ORDER BY week DESC, reason`;
  const first = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
  const hourly = await rowsOf<{ reason: string; hour: number; count: number }>(db)`
    SELECT reason, floor((extract(epoch FROM hour) * 1000 - ${first}::float8) / ${HOUR_MS}::float8)::integer AS hour,
           sum(count)::float8 AS count
    FROM rejection_counts WHERE hour >= ${new Date(first)} GROUP BY 1, 2`;
  const causes = await rowsOf<{ reason: string; cause: string; samples: number; lastAt: Date }>(db)`
    SELECT reason, diagnosis AS cause, count(*)::integer AS samples, max(rejected_at) AS "lastAt" FROM rejections
    WHERE rejected_at > ${now}::timestamptz - interval '7 days' AND diagnosis IS NOT NULL
    GROUP BY 1, 2 ORDER BY samples DESC, cause`;
  const known = read ?? (await causesKnown(db));
  return rows.map((row) => {
    const own = hourly.filter(({ reason }) => reason === row.reason);
    return {
      ...row,
      hours: Array.from({ length: HOURS }, (_, hour) => own.find((one) => one.hour === hour)?.count ?? 0),
      causes: causes
        .filter(({ reason }) => reason === row.reason)
        .map(({ cause, samples, lastAt }) => ({ cause: causeByNow(cause, lastAt, known), samples })),
    };
  });
}
