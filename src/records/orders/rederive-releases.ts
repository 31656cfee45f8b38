import type { Knex } from 'knex';
import { canonicalHash } from '../../domain/canonical-json.js';
import type { KytWords } from '../../domain/orders/kyt.js';
import { appendChanges, type NewChange } from '../changes.js';
import { textArray } from '../database/array-parameter.js';
import { showsKyt } from '../family/shows-kyt.js';
import { deriveOrders, type OrderRules } from './derive-orders.js';
import type { TouchedOrder } from './lock-orders.js';
import { orderChanges } from './order-follow-up.js';

const MARK = { kind: 'cross-check', name: 'kyt' };
const ORDERS_AT_ONCE = 200;
/** Another law of release than before: orders are derived anew. */
const LAW = 'sources';

interface Mark {
  /** Of the words that orders are derived by. */
  hash: string;
  /** Derived are those with references up to here; null: all. As the database holds it. */
  after: string | null;
}

/**
 * One slice of deriving anew the orders whose release hangs on how compliance results are read, where the contract reads
 * them otherwise than before; it goes on where an earlier one stopped. False: there is nothing left to do.
 */
export async function rederiveSlice(
  trx: Knex.Transaction,
  rules: OrderRules & { kytWords: KytWords },
): Promise<boolean> {
  const { passed, pending, rejected } = rules.kytWords;
  const words = { passed: [...passed], pending: [...pending], rejected: [...rejected] };
  const hash = canonicalHash({ ...words, law: LAW, showsKyt: await showsKyt(trx) });
  await trx.raw(`INSERT INTO watermarks (kind, name, value) VALUES (?, ?, '{}') ON CONFLICT DO NOTHING`, [
    MARK.kind,
    MARK.name,
  ]);
  const row = await trx<{ value: Partial<Mark> }>('watermarks').where(MARK).forUpdate().first('value');
  const isBegun = row?.value.hash === hash;
  if (isBegun && row.value.after === null) return false;
  if (!isBegun) await planScreened(trx, passed);
  const after = isBegun ? (row.value.after ?? '') : '';
  const next = await deriveAfter(trx, after, rules);
  const value: Mark = { hash, after: next };
  await trx('watermarks')
    .where(MARK)
    .update({ value: JSON.stringify(value), updated_at: trx.fn.now() });
  return next !== null;
}

/** Derives orders anew, as their records stand, and tells what is other than before. */
export async function rederiveOrders(
  trx: Knex.Transaction,
  touched: TouchedOrder[],
  rules: OrderRules,
  cause: Pick<NewChange, 'source' | 'serviceTime'>,
): Promise<void> {
  const derived = await deriveOrders(trx, touched, [], rules);
  await appendChanges(
    trx,
    derived.flatMap((order) => (order.changed ? orderChanges(order, cause) : [])),
  );
}

/** Only of orders that are paid does the release hang on their deposits' results. */
async function deriveAfter(trx: Knex.Transaction, after: string, rules: OrderRules): Promise<string | null> {
  const rows: { reference: string }[] = await trx('orders')
    .select('reference')
    .where({ status: 'paid' })
    .where('reference', '>', after)
    .orderBy('reference')
    .limit(ORDERS_AT_ONCE);
  const touched = rows.map(({ reference }) => ({ reference, since: null }));
  await rederiveOrders(trx, touched, rules, { source: { type: 'contract', ref: 'release' }, serviceTime: null });
  return rows.length < ORDERS_AT_ONCE ? null : (rows.at(-1)?.reference ?? null);
}

/** Deposits whose result has another meaning now are to be cross-checked: those that don't pass, and those held so far. */
async function planScreened(trx: Knex.Transaction, passed: readonly string[]): Promise<void> {
  await trx.raw(
    `INSERT INTO check_agenda (entity_kind, entity_id, due_at)
     SELECT 'payin', id, 'epoch' FROM (
       SELECT id FROM payins WHERE kyt_status IS NOT NULL
         AND lower(regexp_replace(btrim(kyt_status), '[\\s-]+', '_', 'g')) <> ALL (?::text[])
       UNION
       SELECT entity_id FROM breaks
       WHERE kind = 'kyt_hold' AND entity_kind = 'payin' AND status IN ('open', 'acknowledged')
     ) AS screened
     ON CONFLICT (entity_kind, entity_id) DO UPDATE SET due_at = excluded.due_at`,
    [textArray(passed)],
  );
}
