import type { Knex } from 'knex';
import type { MatchKind } from '../../../domain/books/match/match-facts.js';
import { MOST_RECORDS } from '../../../domain/orders/order.js';
import { columnOf, raw, rowsOf } from '../../database/statements.js';

/** Invoices that belong to no order that is one; a reference that too many share makes none. */
const UNORDERED = `NOT EXISTS (
    SELECT FROM (
      SELECT invoice.merchant_reference AS name
      UNION ALL (
        SELECT merchant_reference FROM family_links AS link JOIN payment_intents AS intent ON intent.id = payment_intent_id
        WHERE link.kind = 'invoice' AND link.id = invoice.id LIMIT ${MOST_RECORDS + 1})
    ) AS named CROSS JOIN LATERAL (
      SELECT FROM orders WHERE reference = named.name AND status <> 'shared_reference' LIMIT 1) AS ordered)`;

const FEW = `(SELECT count(*) FROM (
    SELECT FROM payment_intents AS one WHERE one.invoice_id = invoice.id LIMIT ${MOST_RECORDS + 1}) AS naming) <= ${MOST_RECORDS}`;

/**
 * With what each payment is counted, which is one alone: its order; else the order of its invoices, and where they are of
 * several orders itself; else the first of its invoices that belongs to no order; else itself.
 */
export async function ownersOfPayments(trx: Knex, ids: readonly string[]): Promise<Map<string, MatchUnit>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<{ payment: string; kind: MatchKind | null; id: string | null }>(trx)`
    SELECT intent.id AS payment, owner.kind, owner.id
    FROM payment_intents AS intent LEFT JOIN LATERAL (
      SELECT 0 AS place, CASE WHEN count(DISTINCT reference) = 1 THEN 'order' ELSE 'payment_intent' END AS kind,
        CASE WHEN count(DISTINCT reference) = 1 THEN min(reference) ELSE intent.id END AS id
      FROM payment_orders JOIN orders USING (reference)
      WHERE payment_intent_id = intent.id AND orders.status <> 'shared_reference'
      HAVING count(*) > 0
      UNION ALL
      SELECT 1, 'invoice', invoice.id FROM family_links AS link JOIN invoices AS invoice USING (id)
      WHERE link.kind = 'invoice' AND link.payment_intent_id = intent.id AND ${raw(FEW)} AND ${raw(UNORDERED)}
      ORDER BY place, id LIMIT 1
    ) AS owner ON true
    WHERE intent.id = ANY (${ids}::text[])`;
  return new Map(
    rows.map(({ payment, kind, id }) => [
      payment,
      kind === null || id === null ? { kind: 'payment_intent', id: payment } : { kind, id },
    ]),
  );
}

/** Of these invoices those that are matched by themselves. */
export async function invoicesAlone(trx: Knex, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  return columnOf<string>(trx)`
    SELECT id FROM invoices AS invoice WHERE id = ANY (${ids}::text[]) AND ${raw(UNORDERED)}`;
}

/** As matches are kept: with what each payment was counted last. */
export async function heldBy(trx: Knex, payments: readonly string[]): Promise<MatchUnit[]> {
  if (payments.length === 0) return [];
  const rows = await rowsOf<MatchUnit>(trx)`
    SELECT DISTINCT kind, id FROM match_payments WHERE payment_id = ANY (${payments}::text[])`;
  return rows.map(({ kind, id }) => ({ kind, id }));
}

/** What is matched by itself. `id` as it is known outside the database. */
export interface MatchUnit {
  kind: MatchKind;
  id: string;
}

export const unitKey = ({ kind, id }: MatchUnit): string => JSON.stringify([kind, id]);

export function distinctUnits(units: readonly MatchUnit[]): MatchUnit[] {
  return [...new Map(units.map((unit) => [unitKey(unit), unit])).values()];
}
