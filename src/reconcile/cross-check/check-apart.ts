import type { Knex } from 'knex';
import { isPassing } from '../../records/database/database-errors.js';

export interface Apart<Item> {
  /** May be called again with fewer of them; what it wrote when it threw is undone. */
  work: (trx: Knex.Transaction, items: readonly Item[]) => Promise<void>;
  /** One that can't be worked on even alone. */
  fail: (trx: Knex.Transaction, item: Item, error: unknown) => Promise<void>;
}

/**
 * All of them at once; where that throws, in halves, so that one that can't be worked on fails alone. What speaks of the
 * database's condition is thrown: it is nobody's fault.
 */
export async function checkApart<Item>(
  trx: Knex.Transaction,
  items: readonly Item[],
  { work, fail }: Apart<Item>,
): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  try {
    await trx.transaction((part) => work(part, items));
  } catch (error) {
    if (isPassing(error)) throw error;
    if (items.length === 1) return fail(trx, first, error);
    const middle = Math.ceil(items.length / 2);
    await checkApart(trx, items.slice(0, middle), { work, fail });
    await checkApart(trx, items.slice(middle), { work, fail });
  }
}
