import type { Knex } from 'knex';
import { pairSecrets, type SecretShare } from '../../domain/deliveries/pair-delivery.js';
import { findReplaced, type ReplacedEndpoint } from '../../domain/deliveries/replaced-endpoint.js';
import { raw, rowOf, rowsOf, type Trx } from '../database/statements.js';
import { storedEndpoint } from './listed-endpoints.js';

/** So many of the newest deliveries of each endpoint are read. */
const SAMPLE = 500;

/**
 * Learns which endpoint signs with which secret, from the events that are paired with their deliveries, and writes it to
 * the secrets. What is known stays known while nothing speaks against it.
 */
export async function learnSecretEndpoints(trx: Trx): Promise<void> {
  const rows = await rowsOf<{ label: string; endpoint: string }>(trx)`
    SELECT label, endpoint_id AS endpoint FROM secrets WHERE endpoint_id IS NOT NULL`;
  const known = new Map(rows.map(({ label, endpoint }) => [label, endpoint]));
  const learned = pairSecrets(await sharesOf(trx), known);
  for (const [label, endpoint] of [...learned].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (endpoint !== known.get(label)) await trx('secrets').where({ label }).update({ endpoint_id: endpoint });
  }
}

/** Arrivals from before the secret's own first match came under another secret of that label. */
async function sharesOf(trx: Knex): Promise<SecretShare[]> {
  return rowsOf<SecretShare>(trx)`
    WITH RECURSIVE known AS (
      (SELECT endpoint_id FROM deliveries WHERE endpoint_id IS NOT NULL ORDER BY endpoint_id LIMIT 1)
      UNION ALL
      SELECT (SELECT endpoint_id FROM deliveries AS d WHERE d.endpoint_id > known.endpoint_id ORDER BY endpoint_id LIMIT 1)
      FROM known WHERE known.endpoint_id IS NOT NULL
    ), endpoints AS (
      SELECT endpoint_id FROM known CROSS JOIN LATERAL (
        SELECT ours, created_at FROM deliveries AS d WHERE d.endpoint_id = known.endpoint_id
        ORDER BY d.created_at DESC NULLS FIRST, d.id DESC LIMIT 1) AS newest
      WHERE newest.ours AND (newest.created_at IS NULL OR newest.created_at > now() - interval '30 days')
    ), sample AS (
      SELECT endpoint_id, inbox_id FROM endpoints CROSS JOIN LATERAL (
        SELECT inbox_id FROM deliveries AS d
        WHERE d.endpoint_id = endpoints.endpoint_id AND d.inbox_id IS NOT NULL AND d.http_status BETWEEN 200 AND 299
          AND d.class IN ('received', 'received_sibling')
        ORDER BY d.created_at DESC NULLS FIRST, d.id DESC LIMIT ${raw(SAMPLE)}) AS newest
    ), arrived AS (
      SELECT inbox.id, inbox.secret_label AS label, inbox.received_at AS at FROM inbox
      WHERE inbox.id IN (SELECT inbox_id FROM sample) AND inbox.secret_label IS NOT NULL
      UNION
      SELECT inbox_id, secret_label, last_at FROM inbox_repeats WHERE inbox_id IN (SELECT inbox_id FROM sample)
    ), totals AS (SELECT endpoint_id, count(DISTINCT inbox_id)::integer AS "all" FROM sample GROUP BY endpoint_id)
    SELECT sample.endpoint_id AS "endpointId", arrived.label, count(DISTINCT sample.inbox_id)::integer AS events,
           totals.all AS "of"
    FROM sample JOIN totals USING (endpoint_id) JOIN arrived ON arrived.id = sample.inbox_id
    JOIN secrets ON secrets.label = arrived.label AND arrived.at >= secrets.first_match_at - interval '1 minute'
    GROUP BY sample.endpoint_id, arrived.label, totals.all`;
}

interface SecretUse {
  label: string;
  endpointId: string;
  retiredAt: Date;
  /** The newest delivery that its endpoint was given since; null: none. */
  delivery: { id: string; createdAt: Date } | null;
}

/** Of each retired secret whose endpoint is known, whether the service still delivers to that. */
export async function retiredSecretUse(db: Knex): Promise<SecretUse[]> {
  const rows = await rowsOf<Omit<SecretUse, 'delivery'> & { id: string | null; createdAt: Date | null }>(db)`
    SELECT label, secrets.endpoint_id AS "endpointId", retired_at AS "retiredAt", newest.id, newest.created_at AS "createdAt"
    FROM secrets LEFT JOIN LATERAL (
      SELECT id, created_at FROM deliveries
      WHERE deliveries.endpoint_id = secrets.endpoint_id AND created_at > retired_at
      ORDER BY created_at DESC, id DESC LIMIT 1) AS newest ON true
    WHERE retired_at IS NOT NULL AND secrets.endpoint_id IS NOT NULL ORDER BY label`;
  return rows.map(({ id, createdAt, ...use }) => {
    return { ...use, delivery: id === null || createdAt === null ? null : { id, createdAt } };
  });
}

interface Stored {
  id: string;
  shown: string;
}

/** Of secrets in use whose endpoint is gone, what took its place. */
export async function replacedEndpoints(db: Knex): Promise<ReplacedEndpoint[]> {
  const gone = await rowsOf<Stored & { label: string }>(db)`
    SELECT label, id, shown FROM secrets JOIN endpoints ON endpoints.id = secrets.endpoint_id
    WHERE retired_at IS NULL AND absent_since IS NOT NULL ORDER BY label`;
  if (gone.length === 0) return [];
  const listed = await rowsOf<Stored>(db)`
    SELECT id, shown FROM endpoints
    WHERE absent_since IS NULL AND NOT EXISTS (SELECT FROM secrets WHERE endpoint_id = endpoints.id)`;
  const { at } = await rowOf<{ at: Date | null }>(db)`
    SELECT max(last_match_at) AS at FROM secrets WHERE retired_at IS NULL AND endpoint_id IS NULL`;
  return findReplaced({
    gone: gone.map(({ label, id, shown }) => ({ label, endpoint: storedEndpoint(id, shown) })),
    listed: listed.map(({ id, shown }) => storedEndpoint(id, shown)),
    matchedAt: at?.getTime() ?? null,
  });
}
