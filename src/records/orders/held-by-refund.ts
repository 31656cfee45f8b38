import type { Knex } from 'knex';
import { valueOf } from '../database/statements.js';

/** How many paid orders wait until a person says whose refund a payout is. */
export async function heldByRefund(db: Knex): Promise<number> {
  return valueOf<number>(db)`
    SELECT count(*)::integer AS n FROM orders WHERE release_reason = 'refund_unlinked'`;
}
