import type { Knex } from 'knex';
import type { MetRefreshRequest, RefreshKind, RefreshLane } from './refresh-requests.js';

/** A refresh request (a row of reading_marks) whose poll is due. */
export interface DueRequest extends MetRefreshRequest {
  reason: string;
  attempts: number;
  lane: RefreshLane;
  /** The label of the secret that signed the webhook which asked; '' for all others, and where it is not known. */
  secret: string;
}

/**
 * Requests whose poll is due, the longest waiting first, so many at most of each lane, and among those of webhooks of each
 * secret: a flood under one secret does not stand before what another asked for.
 */
export async function dueRequests(db: Knex, kind: RefreshKind, limit: number): Promise<DueRequest[]> {
  const { rows } = await db.raw<{ rows: (Omit<DueRequest, 'askedAt'> & { asked_at: string })[] }>(
    `WITH RECURSIVE secrets AS (
       SELECT lane, (SELECT min(secret) FROM reading_marks WHERE kind = :kind AND lane = reports.lane) AS secret
       FROM unnest(ARRAY['report', 'hold']) AS reports (lane)
       UNION ALL
       SELECT lane, (SELECT min(secret) FROM reading_marks
                     WHERE kind = :kind AND lane = secrets.lane AND secret > secrets.secret)
       FROM secrets WHERE secrets.secret IS NOT NULL
     ), queues AS (
       SELECT lane, '' AS secret FROM unnest(ARRAY['listed', 'poll', 'recheck']) AS lane
       UNION ALL SELECT lane, secret FROM secrets WHERE secret IS NOT NULL
     )
     SELECT due.* FROM queues CROSS JOIN LATERAL (
       SELECT id, reason, attempts, asked_at, lane, secret, next_at FROM reading_marks AS mark
       WHERE mark.kind = :kind AND mark.lane = queues.lane AND mark.secret = queues.secret AND next_at <= now()
       ORDER BY next_at, id LIMIT :limit
     ) AS due ORDER BY due.next_at, due.id`,
    { kind, limit },
  );
  return rows.map(({ id, reason, attempts, asked_at, lane, secret }) => {
    return { id, reason, attempts, askedAt: Number(asked_at), lane, secret };
  });
}
