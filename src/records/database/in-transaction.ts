import type { Knex } from 'knex';

/** With `dryRun` what would be done is done, and not kept. */
export async function inTransaction<T>(
  db: Knex,
  dryRun: boolean,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const trx = await db.transaction();
  try {
    const result = await work(trx);
    await (dryRun ? trx.rollback() : trx.commit());
    return result;
  } finally {
    if (!trx.isCompleted()) await trx.rollback();
  }
}
