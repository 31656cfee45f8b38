import type { Knex } from 'knex';
import { rowOf } from './database/statements.js';

/** Payments of a day, by what is known of them. */
export interface PaymentCounts {
  /** Completed, as the service's own list shows it. */
  verified: number;
  /** Said to be completed, not verified. */
  claimed: number;
}

/** Payments created since then that are completed. Goes by the index of states. */
export async function countCompletedPayments(db: Knex, since: Date): Promise<PaymentCounts> {
  return rowOf<PaymentCounts>(db)`
    SELECT count(*) FILTER (WHERE verified AND NOT doubted)::integer AS verified,
           count(*) FILTER (WHERE NOT verified OR doubted)::integer AS claimed
    FROM (
      SELECT verified, doubted FROM payment_intents
      WHERE status = 'completed' AND created_at >= ${since} AND absent_since IS NULL
      UNION ALL
      SELECT verified, doubted FROM payment_intents
      WHERE reported_paid AND status IS DISTINCT FROM 'completed' AND created_at >= ${since} AND absent_since IS NULL
    ) AS completed`;
}
