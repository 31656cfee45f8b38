import type { Knex } from 'knex';
import { OTHERS_TO_COUNT, type UnderOneSecret } from '../../domain/deliveries/report-standing.js';
import { columnOf, raw, rowOf } from '../database/statements.js';

/** So many deliveries are read, the newest first; where that is too few, less is known of the others. */
const MOST = 50_000;

/**
 * What the history has beside what it lacks under a secret since then, by the newest deliveries of that time and of the week
 * before. A history that lacked events in that week too says nothing of the secret.
 */
export async function besideLacking(
  db: Knex,
  { label, since }: { label: string; since: Date },
): Promise<Omit<UnderOneSecret, 'lacking'>> {
  const { matched, others, differed } = await rowOf<{ matched: number; others: number; differed: boolean }>(db)`
    WITH first AS (
      SELECT min(received_at) AS at FROM report_checks
      WHERE state IN ('not_sent', 'differs') AND secret_label = ${label} AND received_at >= ${since}
    ), shown AS (
      SELECT DISTINCT inbox_id AS id FROM (
        SELECT inbox_id FROM deliveries
        WHERE created_at >= ${since}::timestamptz - interval '7 days' AND inbox_id IS NOT NULL
        ORDER BY created_at DESC NULLS FIRST, id DESC LIMIT ${raw(MOST)}) AS newest
    )
    SELECT (count(*) FILTER (WHERE is_own))::integer AS matched,
           least(count(*) FILTER (WHERE NOT is_own), ${raw(OTHERS_TO_COUNT)})::integer AS others,
           EXISTS (SELECT FROM report_checks WHERE state = 'differs' AND received_at < ${since}
                   AND received_at >= ${since}::timestamptz - interval '7 days') AS differed
    FROM (SELECT secret_label = ${label} AND received_at >= first.at AS is_own
          FROM shown JOIN inbox USING (id) CROSS JOIN first WHERE secret_label IS NOT NULL) AS judged`;
  return { matched, others: differed ? 0 : others };
}

/** A few of those that lack, the newest first. */
export async function someLacking(db: Knex, since: Date, limit: number): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT inbox_id AS id FROM report_checks WHERE state = 'differs' AND received_at >= ${since} ORDER BY inbox_id DESC LIMIT ${limit}`;
}
