import type { Knex } from 'knex';

/** Whoever changes callbacks does it one after another: so an order has one on its way, whoever sends. Returns the place. */
export async function lockCallbacks(trx: Knex.Transaction): Promise<string> {
  const row = await trx<{ seq: string }>('callback_progress').forUpdate().first('seq');
  if (row === undefined) throw new Error('The row of callback_progress is gone');
  return row.seq;
}
