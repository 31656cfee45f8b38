import type { Knex } from 'knex';
import { type FamilyKind, familyKinds } from '../../domain/family/links.js';
import { grouped } from '../../domain/grouped.js';
import { textArray } from '../database/array-parameter.js';

/** Kinds of record that can belong to an order. */
export const orderedKinds = familyKinds;
export type OrderedKind = FamilyKind;

/**
 * References of the orders that records belong to, by the record's id; one that is left out is linked with none. Read are
 * the views `family_links` and `payment_orders`, which say in SQL what domain/family/links.ts says.
 */
export async function relatedOrders(
  db: Knex,
  kind: OrderedKind,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const own = kind === 'invoice' ? 'UNION ALL SELECT id, merchant_reference FROM invoices' : '';
  const { rows } = await db.raw<{ rows: { id: string; reference: string }[] }>(
    `SELECT DISTINCT named.id, reference FROM (
       SELECT link.id, related.reference FROM family_links AS link CROSS JOIN LATERAL (
         SELECT reference FROM payment_orders WHERE payment_intent_id = link.payment_intent_id OFFSET 0) AS related
       WHERE kind = '${kind}' ${own}) AS named
     JOIN orders USING (reference) WHERE named.id = ANY (?::text[]) ORDER BY named.id, reference`,
    [textArray(ids)],
  );
  const found = new Map<string, string[]>();
  for (const { id, reference } of rows) found.set(id, [...(found.get(id) ?? []), reference]);
  return found;
}

type Named = Readonly<{ kind: OrderedKind; id: string }>;

/** Ids of the payment intents that each of the records belongs to. */
export async function relatedPayments(db: Knex, records: readonly Named[]): Promise<(record: Named) => string[]> {
  if (records.length === 0) return () => [];
  const asked = [...grouped(records, ({ kind }) => kind)];
  const { rows } = await db.raw<{ rows: { kind: OrderedKind; id: string; intent: string }[] }>(
    asked
      .map(
        ([kind]) => `SELECT kind, id, payment_intent_id AS intent FROM family_links
        WHERE kind = '${kind}' AND id = ANY (?::text[])`,
      )
      .join(' UNION ALL '),
    asked.map(([, some]) => textArray(some.map(({ id }) => id))),
  );
  const keyOf = ({ kind, id }: Named): string => `${kind} ${id}`;
  const found = grouped(rows, ({ kind, id }) => keyOf({ kind, id }));
  return (record) => (found.get(keyOf(record)) ?? []).map(({ intent }) => intent);
}
