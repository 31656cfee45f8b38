import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { MOST_RECORDS } from '../../domain/orders/order.js';
import { referenceSkeleton } from '../../domain/reference-skeleton.js';
import { textArray } from '../database/array-parameter.js';
import { keyText } from '../database/database-text.js';
import type { OrderRow, OrderState } from '../order-row.js';

/** Whoever has a signing secret can make look-alikes without end. */
const MOST = 100;
const SKELETONS_AT_ONCE = 1_000;

/** The skeleton as the indexed column holds it: of one that is too long for an index a digest. */
export function skeletonKey(reference: string): string {
  const skeleton = referenceSkeleton(reference);
  return keyText(skeleton) ?? `sha256 ${createHash('sha256').update(skeleton).digest('hex')}`;
}

/** The other orders that look like each of these references, a hundred at most of each, in the order of references. */
export async function lookAlikes(db: Knex, references: readonly string[]): Promise<Map<string, OrderRow[]>> {
  if (references.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: (OrderRow & { asked: string })[] }>(
    `SELECT asked.reference AS asked, alike.* FROM unnest(?::text[], ?::text[]) AS asked (reference, skeleton)
     CROSS JOIN LATERAL (SELECT * FROM orders
       WHERE reference_skeleton = asked.skeleton AND orders.reference <> asked.reference
       ORDER BY orders.reference LIMIT ${MOST}) AS alike`,
    [textArray(references), textArray(references.map(skeletonKey))],
  );
  const found = new Map<string, OrderRow[]>();
  for (const { asked, ...row } of rows) found.set(asked, [...(found.get(asked) ?? []), row]);
  return found;
}

/**
 * One slice of making the skeletons that are missing: of orders from before there were any, or made beside us by an older
 * program. What looks like another is to be checked. Rows that somebody else holds are left for the next time. True: there
 * is more.
 */
export async function fillSkeletons(trx: Knex.Transaction): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { reference: string }[] }>(
    `SELECT reference FROM orders WHERE reference_skeleton IS NULL ORDER BY reference LIMIT ${SKELETONS_AT_ONCE}
     FOR UPDATE SKIP LOCKED`,
  );
  const references = textArray(rows.map(({ reference }) => reference));
  await trx.raw(
    `UPDATE orders SET reference_skeleton = new.skeleton FROM unnest(?::text[], ?::text[]) AS new (reference, skeleton)
     WHERE orders.reference = new.reference`,
    [references, textArray(rows.map(({ reference }) => skeletonKey(reference)))],
  );
  await trx.raw(
    `INSERT INTO check_agenda (entity_kind, entity_id, due_at)
     SELECT 'order', reference, 'epoch' FROM orders WHERE reference = ANY (?::text[]) AND EXISTS (
       SELECT FROM orders AS alike
       WHERE alike.reference_skeleton = orders.reference_skeleton AND alike.reference <> orders.reference)
     ON CONFLICT DO NOTHING`,
    [references],
  );
  return rows.length === SKELETONS_AT_ONCE;
}

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
