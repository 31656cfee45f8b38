import type { Knex } from 'knex';
import { rowsOf } from '../database/statements.js';
import { undecidedRefunds } from '../family/reported-refunds.js';
import { relatedOrders } from '../family/shown-records.js';

/**
 * References of the orders that payouts concern, by the payout's id: those of the payments that own or name them, or that
 * reports say they are of as long as nothing has decided on that, and those whose reference they carry.
 */
export async function ordersOfPayouts(db: Knex, ids: readonly string[]): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const said = await undecidedRefunds(db, { payouts: ids });
  const named = (wanted: 'order' | 'payment') => said.flatMap(({ of, name }) => (of === wanted ? [name] : []));
  const carried = await rowsOf<{ id: string; reference: string }>(db)`
    SELECT payouts.id, reference FROM payouts JOIN orders ON reference = merchant_reference
    WHERE payouts.id = ANY (${ids}::text[])`;
  const orders = new Set(await db('orders').whereIn('reference', named('order')).pluck('reference'));
  const related = await relatedOrders(db, 'payout', ids);
  const saidOf = await relatedOrders(db, 'payment_intent', named('payment'));
  const found = new Map(ids.map((id) => [id, new Set(related.get(id))]));
  for (const { id, reference } of carried) found.get(id)?.add(reference);
  for (const { payout, of, name } of said) {
    const references = of === 'payment' ? (saidOf.get(name) ?? []) : orders.has(name) ? [name] : [];
    for (const reference of references) found.get(payout)?.add(reference);
  }
  return new Map([...found].map(([id, references]) => [id, [...references].sort()]));
}
