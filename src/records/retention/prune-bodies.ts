import type { RetentionTask } from './retention-task.js';

/**
 * Bodies of events that are applied, or that are nothing to apply. One that waits, failed or is dead is all that is left
 * of what it says: it stays. Rows were numbered as they came, so a pass ends where all are young, and the next begins
 * before the first young one. Whoever works on a row is not waited for.
 */
export const pruneBodies: RetentionTask = {
  name: 'bodies',
  days: ({ body }) => body,
  step: async (trx, { cutoff, place, limit }) => {
    const { rows } = await trx.raw<{ rows: [Looked] }>(PRUNE, { place: place ?? '0', cutoff, limit });
    const { done, last, aged, before_young } = rows[0];
    const more = last !== null && aged > 0;
    return { done, next: more ? last : null, end: before_young ?? last ?? place };
  },
};

interface Looked {
  done: number;
  last: string | null;
  /** How many of those looked at are old enough. */
  aged: number;
  /** The id before the first that is not; null: there is none. */
  before_young: string | null;
}

const PRUNE = `
WITH looked AS MATERIALIZED (
  SELECT id, received_at < CAST(:cutoff AS timestamptz) AS aged FROM inbox WHERE id > CAST(:place AS bigint) ORDER BY id LIMIT :limit
), locked AS MATERIALIZED (
  SELECT id FROM inbox
  WHERE id IN (SELECT id FROM looked WHERE aged) AND body IS NOT NULL AND status IN ('applied', 'unhandled')
  ORDER BY id FOR UPDATE SKIP LOCKED
), pruned AS (
  UPDATE inbox SET body = NULL FROM locked WHERE inbox.id = locked.id RETURNING inbox.id
)
SELECT (SELECT CAST(count(*) AS integer) FROM pruned) AS done,
       max(id) AS last,
       CAST(count(*) FILTER (WHERE aged) AS integer) AS aged,
       min(id) FILTER (WHERE NOT aged) - 1 AS before_young
FROM looked`;
