import type { Knex } from 'knex';
import type { DeliveryClass } from '../../domain/deliveries/delivery-class.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { keysGoneBefore } from '../retention/retention-state.js';
import type { Delivery } from './read-delivery.js';

/** Two clocks, and the way between. */
const CLOCKS_MS = 3_600_000;

/**
 * Ids of the deliveries that are from a time of which keys are deleted, and that were not seen while the keys were there:
 * that no event is here proves nothing. What was seen then keeps the class it got.
 */
export async function tooOldDeliveries(db: Knex, deliveries: readonly Delivery[]): Promise<Set<string>> {
  const gone = await keysGoneBefore(db);
  if (gone === null) return new Set();
  const before = gone.getTime() + CLOCKS_MS;
  const old = deliveries.flatMap(({ id, createdAt }) => (createdAt !== null && createdAt < before ? [id] : []));
  if (old.length === 0) return new Set();
  const seen: { id: string; class: DeliveryClass }[] = await db('deliveries')
    .select('id', 'class')
    .whereRaw('id = ANY (?::text[])', [textArray(old.map(toDatabaseText))]);
  const judged = new Set(seen.flatMap((row) => (row.class === 'too_old' ? [] : [fromDatabaseText(row.id)])));
  return new Set(old.filter((id) => !judged.has(id)));
}
