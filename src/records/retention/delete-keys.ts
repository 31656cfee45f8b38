import type { RetentionDays, RetentionTask } from './retention-task.js';

/**
 * Whole events, with the key that a duplicate is known by, once nothing has arrived under it for so long. Events that are
 * not applied stay, and so does what an open delivery is paired with or an open break is about.
 */
export const deleteKeys: RetentionTask = {
  name: 'keys',
  days: keyDays,
  step: async (trx, { cutoff, place, limit }) => {
    const { rows } = await trx.raw<{ rows: [{ done: number; last: string | null; aged: number }] }>(DELETE, {
      place: place ?? '0',
      cutoff,
      limit,
    });
    const { done, last, aged } = rows[0];
    return { done, next: last !== null && aged > 0 ? last : null };
  },
};

/** A key is never deleted before its body. */
export function keyDays({ body, keys }: RetentionDays): number {
  return Math.max(body, keys);
}

const DELETE = `
WITH scanned AS MATERIALIZED (
  SELECT id, received_at < CAST(:cutoff AS timestamptz) AS aged FROM inbox WHERE id > CAST(:place AS bigint) ORDER BY id LIMIT :limit
), locked AS MATERIALIZED (
  SELECT id FROM inbox
  WHERE id IN (SELECT id FROM scanned WHERE aged)
    AND last_arrival_at < CAST(:cutoff AS timestamptz) AND status IN ('applied', 'unhandled')
    AND NOT EXISTS (SELECT FROM deliveries WHERE deliveries.inbox_id = inbox.id AND open)
    AND NOT EXISTS (SELECT FROM breaks WHERE entity_kind = 'event' AND entity_id = CAST(inbox.id AS text)
                    AND breaks.status IN ('open', 'acknowledged'))
  ORDER BY id FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM inbox USING locked WHERE inbox.id = locked.id RETURNING inbox.id
)
SELECT (SELECT CAST(count(*) AS integer) FROM deleted) AS done, max(id) AS last, CAST(count(*) FILTER (WHERE aged) AS integer) AS aged
FROM scanned`;
