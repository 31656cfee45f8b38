import type { Knex } from 'knex';

/** How many paid orders wait until a person says whose refund a payout is. */
export async function heldByRefund(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ n: number }] }>(
    `SELECT count(*)::integer AS n FROM orders WHERE release_reason = 'refund_unlinked'`,
  );
  return rows[0].n;
}
