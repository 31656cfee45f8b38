import type { Knex } from 'knex';
import { rowsOf } from '../database/statements.js';

/** How many requests were rejected for one reason. */
export interface ReasonCount {
  reason: string;
  day: number;
  week: number;
}

/** By reason, the most frequent of the last seven days first; in whole hours. */
export async function countRejections(db: Knex, now: Date): Promise<ReasonCount[]> {
  return rowsOf<ReasonCount>(db)`
    SELECT reason, coalesce(sum(count) FILTER (WHERE hour > ${now}::timestamptz - interval '24 hours'), 0)::float8 AS day,
           sum(count)::float8 AS week
    FROM rejection_counts WHERE hour > ${now}::timestamptz - interval '7 days' GROUP BY reason ORDER BY week DESC, reason`;
}
