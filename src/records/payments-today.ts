import type { Knex } from 'knex';

/** Payments of a day, by what is known of them. */
export interface PaymentCounts {
  /** Completed, as the service's own list shows it. */
  verified: number;
  /** Said to be completed, not verified. */
  claimed: number;
}

/** Payments created since then that are completed. Goes by the index of states. */
export async function countCompletedPayments(db: Knex, since: Date): Promise<PaymentCounts> {
  const { rows } = await db.raw<{ rows: [PaymentCounts] }>(
    `SELECT count(*) FILTER (WHERE verified AND NOT doubted)::integer AS verified,
            count(*) FILTER (WHERE NOT verified OR doubted)::integer AS claimed
     FROM (
       SELECT verified, doubted FROM payment_intents
       WHERE status = 'completed' AND created_at >= ? AND absent_since IS NULL
       UNION ALL
       SELECT verified, doubted FROM payment_intents
       WHERE reported_paid AND status IS DISTINCT FROM 'completed' AND created_at >= ? AND absent_since IS NULL
     ) AS completed`,
    [since, since],
  );
  return rows[0];
}
