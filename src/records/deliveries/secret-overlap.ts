import type { Knex } from 'knex';
import type { Overlap } from '../../domain/deliveries/secret-verdict.js';
import { rowOf, valueOf } from '../database/statements.js';

/** One secret with its endpoint. */
interface Side {
  label: string;
  endpointId: string;
}

/**
 * The events that the old endpoint was given since the new one exists (`since`, ms of the service's clock) and that came
 * under the old secret: under which they came. What came after the history was read last counts once a minute has passed.
 * An event without an id that the service stamps in another second for each endpoint is two in the inbox: one under the
 * old secret alone counts as come under both for each of the same content under the new alone.
 */
export async function overlapOf(
  db: Knex,
  { old, successor, since, readAt }: { old: Side; successor: Side; since: number; readAt: Date },
): Promise<Overlap> {
  return rowOf<Overlap>(db)`
    WITH given AS (
      SELECT DISTINCT inbox_id AS id FROM deliveries
      WHERE endpoint_id = ${old.endpointId} AND created_at >= ${new Date(since)} AND inbox_id IS NOT NULL
    ), late AS (
      SELECT id FROM inbox
      WHERE received_at > ${readAt} AND received_at < now() - interval '1 minute' AND event_timestamp >= ${since / 1_000}
        AND NOT EXISTS (SELECT FROM deliveries WHERE inbox_id = inbox.id)
    ), under AS (
      SELECT inbox_id AS id, array_agg(secret_label) AS labels FROM inbox_arrivals
      WHERE inbox_id IN (SELECT id FROM given UNION SELECT id FROM late) GROUP BY inbox_id
    ), alone AS (
      SELECT id, content_hash, key_type = 'fingerprint' AS nameless,
             row_number() OVER (PARTITION BY content_hash, key_type ORDER BY id) AS place
      FROM under JOIN inbox USING (id) WHERE ${old.label} = ANY (labels) AND NOT ${successor.label} = ANY (labels)
    ), twins AS (
      SELECT content_hash, count(*) AS n FROM inbox
      WHERE key_type = 'fingerprint' AND content_hash IN (SELECT content_hash FROM alone WHERE nameless)
        AND received_at >= ${new Date(since)}::timestamptz - interval '5 minutes'
        AND EXISTS (SELECT FROM inbox_arrivals WHERE inbox_id = inbox.id AND secret_label = ${successor.label})
        AND NOT EXISTS (SELECT FROM inbox_arrivals WHERE inbox_id = inbox.id AND secret_label = ${old.label})
      GROUP BY content_hash
    ), single AS (
      SELECT id FROM alone LEFT JOIN twins USING (content_hash) WHERE NOT nameless OR place > coalesce(n, 0)
    )
    SELECT ((SELECT count(*) FROM under WHERE ${old.label} = ANY (labels)) - count(*))::integer AS both,
           count(*)::integer AS "onlyOldCount",
           coalesce((array_agg('event ' || id ORDER BY id DESC))[1:5], '{}') AS "onlyOld"
    FROM single`;
}

/** How many deliveries to the endpoint the service is still at. */
export async function pendingDeliveries(
  db: Knex,
  endpointId: string,
  { pendingStates, now }: { pendingStates: readonly string[]; now: Date },
): Promise<number> {
  return valueOf<number>(db)`
    SELECT count(*)::integer FROM deliveries
    WHERE endpoint_id = ${endpointId} AND (status = ANY (${pendingStates}::text[]) OR next_retry_at > ${now})`;
}
