import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { raw, rowsOf, run } from '../database/statements.js';

const AT_ONCE = 1_000;

/** What stands beside the `:names` of a query. */
export type Named = Readonly<Record<string, Knex.RawBinding>>;

/** Rows of a query, a thousand at a time, by a cursor of this transaction: memory does not grow with their number. */
export async function* rowsInParts<T>(trx: Knex.Transaction, sql: string, named: Named): AsyncGenerator<T[]> {
  const cursor = `rows_${randomBytes(6).toString('hex')}`;
  // All rows are wanted, not the first of them soon.
  await run(trx)`SET LOCAL cursor_tuple_fraction = 1`;
  await trx.raw(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`, named);
  for (;;) {
    const rows = await rowsOf<T>(trx)`FETCH ${raw(AT_ONCE)} FROM ${raw(cursor)}`;
    if (rows.length > 0) yield rows;
    if (rows.length < AT_ONCE) break;
  }
  await run(trx)`CLOSE ${raw(cursor)}`;
}
