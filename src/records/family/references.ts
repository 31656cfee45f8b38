import type { Knex } from 'knex';
import { hashOfText } from '../../domain/canonical-json.js';
import { MOST_RECORDS } from '../../domain/orders/order.js';
import { referenceSkeleton } from '../../domain/reference-skeleton.js';
import { keyText } from '../database/database-text.js';
import { columnOf, raw, rowOf, rowsOf, run, type Sql, type Trx, tableOf } from '../database/statements.js';
import type { OrderRow, OrderState } from '../order-row.js';

/** Whoever has a signing secret can make look-alikes without end. */
const MOST = 100;
const SKELETONS_AT_ONCE = 1_000;

/** The skeleton as the indexed column holds it: of one that is too long for an index a digest. */
export function skeletonKey(reference: string): string {
  const skeleton = referenceSkeleton(reference);
  return keyText(skeleton) ?? `sha256 ${hashOfText(skeleton)}`;
}

/** The other orders that look like each of these references, a hundred at most of each, in the order of references. */
export async function lookAlikes(db: Knex, references: readonly string[]): Promise<Map<string, OrderRow[]>> {
  if (references.length === 0) return new Map();
  const rows = await rowsOf<OrderRow & { asked: string }>(db)`
    SELECT asked.reference AS asked, alike.* FROM ${withSkeletons('asked', references)}
    CROSS JOIN LATERAL (SELECT * FROM orders
      WHERE reference_skeleton = asked.skeleton AND orders.reference <> asked.reference
      ORDER BY orders.reference LIMIT ${raw(MOST)}) AS alike`;
  const found = new Map<string, OrderRow[]>();
  for (const { asked, ...row } of rows) found.set(asked, [...(found.get(asked) ?? []), row]);
  return found;
}

function withSkeletons(name: string, references: readonly string[]): Sql {
  const rows = references.map((reference) => ({ reference, skeleton: skeletonKey(reference) }));
  return tableOf(name, rows, { reference: 'text', skeleton: 'text' });
}

/**
 * One slice of making the skeletons that are missing: of orders from before there were any, or made beside us by an older
 * program. What looks like another is to be checked. Rows that somebody else holds are left for the next time. True: there
 * is more.
 */
export async function fillSkeletons(trx: Trx): Promise<boolean> {
  const references = await columnOf<string>(trx)`
    SELECT reference FROM orders WHERE reference_skeleton IS NULL ORDER BY reference LIMIT ${raw(SKELETONS_AT_ONCE)}
    FOR UPDATE SKIP LOCKED`;
  await run(trx)`
    UPDATE orders SET reference_skeleton = new.skeleton FROM ${withSkeletons('new', references)}
    WHERE orders.reference = new.reference`;
  await run(trx)`
    INSERT INTO check_agenda (entity_kind, entity_id, due_at)
    SELECT 'order', reference, 'epoch' FROM orders WHERE reference = ANY (${references}::text[]) AND EXISTS (
      SELECT FROM orders AS alike
      WHERE alike.reference_skeleton = orders.reference_skeleton AND alike.reference <> orders.reference)
    ON CONFLICT DO NOTHING`;
  return references.length === SKELETONS_AT_ONCE;
}

/**
 * References that more payments or invoices carry than can be one order's. Counted no further than that, so that what it
 * costs does not grow with them; and only where the order as it stands gives reason to.
 */
export async function sharedReferences(trx: Trx, orders: readonly OrderState[]): Promise<Set<string>> {
  const asked = orders.filter(
    (order) => wasShared(order) || order.payment_intents.length > MOST_RECORDS || order.invoices.length > MOST_RECORDS,
  );
  if (asked.length === 0) return new Set();
  const shared = await columnOf<string>(trx)`
    SELECT reference FROM unnest(${asked.map(({ reference }) => reference)}::text[]) AS asked (reference)
    WHERE ${carriedByMore('payment_intents')} OR ${carriedByMore('invoices')}`;
  return new Set(shared);
}

/** Of a verified payment, by what is shown of it: money came in, wherever it is now. */
const MONEY_CAME = raw(`verified AND absent_since IS NULL AND (status IN ('completed', 'unmatched')
  OR irregular_status IN ('pending_decision', 'encashed', 'refunded')
  OR status IN ('expired', 'cancelled') AND shown ~ '"totalAmountReceived":"[0.]*[1-9]')`);

/** Of these orders the references that are shared and that one payment brought money for. */
export async function sharedWithMoney(
  trx: Knex,
  orders: readonly Pick<OrderState, 'reference' | 'status'>[],
): Promise<Set<string>> {
  const asked = orders.filter(wasShared);
  if (asked.length === 0) return new Set();
  const brought = await columnOf<string>(trx)`
    SELECT reference FROM unnest(${asked.map(({ reference }) => reference)}::text[]) AS asked (reference)
    WHERE EXISTS (SELECT FROM payment_intents WHERE merchant_reference = asked.reference AND ${MONEY_CAME})
      OR EXISTS (SELECT FROM payment_intents WHERE ${MONEY_CAME} AND invoice_id IN (
        SELECT id FROM invoices WHERE merchant_reference = asked.reference))`;
  return new Set(brought);
}

/** How many records carry the reference. */
export async function countCarriers(
  db: Knex,
  reference: string,
): Promise<{ paymentIntents: number; invoices: number }> {
  return rowOf<{ paymentIntents: number; invoices: number }>(db)`
    SELECT (SELECT count(*) FROM payment_intents WHERE merchant_reference = asked.reference)::float8 AS "paymentIntents",
      (SELECT count(*) FROM invoices WHERE merchant_reference = asked.reference)::float8 AS invoices
    FROM (SELECT ${reference}::text AS reference) AS asked`;
}

const wasShared = ({ status }: Pick<OrderState, 'status'>): boolean => status === 'shared_reference';

function carriedByMore(table: 'payment_intents' | 'invoices'): Sql {
  return raw(`(SELECT count(*) FROM (
    SELECT FROM ${table} WHERE merchant_reference = asked.reference LIMIT ${MOST_RECORDS + 1}) AS carriers) > ${MOST_RECORDS}`);
}
