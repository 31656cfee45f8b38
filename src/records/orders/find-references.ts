import type { Knex } from 'knex';
import { columnOf, rowsOf } from '../database/statements.js';
import { relatedOrders } from '../family/shown-records.js';

interface Asked {
  reference?: readonly string[] | undefined;
  paymentIntentId?: string | undefined;
  txid?: string | undefined;
}

/** The references that orders are asked for by: those that fit each of what is given. Null: nothing is given. */
export async function referencesOf(db: Knex, { reference, paymentIntentId, txid }: Asked): Promise<string[] | null> {
  const given = [
    ...(reference === undefined ? [] : [reference]),
    ...(paymentIntentId === undefined ? [] : [await ofRecords(db, 'payment_intent', [paymentIntentId])]),
    ...(txid === undefined ? [] : [await ofTransaction(db, txid)]),
  ];
  const [first, ...others] = given.map((references) => new Set(references));
  if (first === undefined) return null;
  return [...first].filter((one) => others.every((references) => references.has(one)));
}

/**
 * Several are what they are. One alone is the order of this reference, where there is one; else what stands between its commas:
 * so that a reference with a comma never stands for another order.
 */
export async function namedReferences(db: Knex, given: readonly string[]): Promise<readonly string[]> {
  const [one = ''] = given;
  if (given.length > 1 || !one.includes(',')) return given;
  const known: unknown = await db('orders').where({ reference: one }).first('reference');
  return known === undefined ? one.split(',') : given;
}

/** The orders that the records belong to, or could belong to where the service says it of two. */
async function ofRecords(
  db: Knex,
  kind: 'payment_intent' | 'payin' | 'payout',
  ids: readonly string[],
): Promise<string[]> {
  return [...(await relatedOrders(db, kind, ids)).values()].flat();
}

/** The orders of the payins and the refunds of a transaction on a chain; a refund without a link is its reference's. */
async function ofTransaction(db: Knex, txid: string): Promise<string[]> {
  const [payins, payouts] = await Promise.all([
    columnOf<string>(db)`SELECT id FROM payins WHERE txid = ${txid}`,
    rowsOf<{ id: string; reference: string | null }>(
      db,
    )`SELECT id, merchant_reference AS reference FROM payouts WHERE txid = ${txid}`,
  ]);
  const ids = payouts.map(({ id }) => id);
  const unlinked = columnOf<string>(db)`
    SELECT reference FROM orders
    WHERE reference = ANY (${payouts.flatMap(({ reference }) => reference ?? [])}::text[]) AND refunds && ${ids}::text[]`;
  const found = await Promise.all([ofRecords(db, 'payin', payins), ofRecords(db, 'payout', ids), unlinked]);
  return found.flat();
}
