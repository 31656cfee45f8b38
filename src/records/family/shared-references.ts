import type { Knex } from 'knex';
import { MOST_RECORDS } from '../../domain/orders/order.js';
import { textArray } from '../database/array-parameter.js';
import type { OrderState } from '../order-row.js';

/**
 * References that more payments or invoices carry than can be one order's. Counted no further than that, so that what it
 * costs does not grow with them; and only where the order as it stands gives reason to.
 */
export async function sharedReferences(trx: Knex.Transaction, orders: readonly OrderState[]): Promise<Set<string>> {
  const asked = orders.filter(
    (order) => wasShared(order) || order.payment_intents.length > MOST_RECORDS || order.invoices.length > MOST_RECORDS,
  );
  if (asked.length === 0) return new Set();
  const { rows } = await trx.raw<{ rows: { reference: string }[] }>(
    `SELECT reference FROM unnest(?::text[]) AS asked (reference)
     WHERE ${carriedByMore('payment_intents')} OR ${carriedByMore('invoices')}`,
    [textArray(asked.map(({ reference }) => reference))],
  );
  return new Set(rows.map(({ reference }) => reference));
}

/** Of a verified payment, by what is shown of it: money came in, wherever it is now. */
const MONEY_CAME = `verified AND absent_since IS NULL AND (status IN ('completed', 'unmatched')
  OR irregular_status IN ('pending_decision', 'encashed', 'refunded')
  OR status IN ('expired', 'cancelled') AND shown ~ '"totalAmountReceived":"[0.]*[1-9]')`;

/** Of these orders the references that are shared and that one payment brought money for. */
export async function sharedWithMoney(
  trx: Knex,
  orders: readonly Pick<OrderState, 'reference' | 'status'>[],
): Promise<Set<string>> {
  const asked = orders.filter(wasShared);
  if (asked.length === 0) return new Set();
  const { rows } = await trx.raw<{ rows: { reference: string }[] }>(
    `SELECT reference FROM unnest(?::text[]) AS asked (reference)
     WHERE EXISTS (SELECT FROM payment_intents WHERE merchant_reference = asked.reference AND ${MONEY_CAME})
       OR EXISTS (SELECT FROM payment_intents WHERE ${MONEY_CAME} AND invoice_id IN (
         SELECT id FROM invoices WHERE merchant_reference = asked.reference))`,
    [textArray(asked.map(({ reference }) => reference))],
  );
  return new Set(rows.map(({ reference }) => reference));
}

/** How many records carry the reference. */
export async function countCarriers(
  db: Knex,
  reference: string,
): Promise<{ paymentIntents: number; invoices: number }> {
  const { rows } = await db.raw<{ rows: { intents: string; invoices: string }[] }>(
    `SELECT (SELECT count(*) FROM payment_intents WHERE merchant_reference = asked.reference) AS intents,
       (SELECT count(*) FROM invoices WHERE merchant_reference = asked.reference) AS invoices
     FROM (SELECT ?::text AS reference) AS asked`,
    [reference],
  );
  return { paymentIntents: Number(rows[0]?.intents ?? 0), invoices: Number(rows[0]?.invoices ?? 0) };
}

function wasShared({ status }: Pick<OrderState, 'status'>): boolean {
  return status === 'shared_reference';
}

function carriedByMore(table: 'payment_intents' | 'invoices'): string {
  return `(SELECT count(*) FROM (
    SELECT FROM ${table} WHERE merchant_reference = asked.reference LIMIT ${MOST_RECORDS + 1}) AS carriers) > ${MOST_RECORDS}`;
}
