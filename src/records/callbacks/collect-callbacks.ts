import type { Knex } from 'knex';
import { toJsonText } from '../../domain/json.js';
import { feedHead } from '../changes.js';
import { verbatim } from '../database/database-text.js';
import { rowsOf } from '../database/statements.js';
import { type OrderRow, orderView } from '../order-row.js';
import { lockCallbacks } from './claim-callback.js';

const CHANGES_AT_ONCE = 2_000;

/**
 * One slice of the history of changes: each order that changed in it gets one callback with the state it has now, in the
 * transaction that keeps the place. History before adoption makes none: orders that were begun before it, that the store did
 * not register since, and of which no payment was created or paid since. True: there is more.
 */
export async function collectCallbacks(db: Knex, { adoptedAt }: { adoptedAt: Date }): Promise<boolean> {
  // Asked before the transaction's statements, which so see every row below it (changes.ts).
  const bound = await feedHead(db);
  return db.transaction(async (trx) => {
    const after = await lockCallbacks(trx);
    if (BigInt(bound) <= BigInt(after)) return false;
    const slice = await endOfSlice(trx, after, bound);
    await insertCallbacks(trx, { after, until: slice.until, adoptedAt });
    await trx('callback_progress').update({ seq: slice.until });
    return slice.isFull;
  });
}

async function endOfSlice(
  trx: Knex.Transaction,
  after: string,
  bound: string,
): Promise<{ until: string; isFull: boolean }> {
  const rows = await rowsOf<{ seq: string | null; count: string }>(trx)`
    SELECT max(seq) AS seq, count(*) AS count
    FROM (SELECT seq FROM changes WHERE seq > ${after} AND seq <= ${bound} ORDER BY seq LIMIT ${CHANGES_AT_ONCE}) AS slice`;
  const isFull = Number(rows[0]?.count ?? 0) === CHANGES_AT_ONCE;
  return { until: isFull ? (rows[0]?.seq ?? bound) : bound, isFull };
}

async function insertCallbacks(
  trx: Knex.Transaction,
  { after, until, adoptedAt }: { after: string; until: string; adoptedAt: Date },
): Promise<void> {
  const changed = await rowsOf<{ reference: string; seq: string; at: Date }>(trx)`
    SELECT entity_id AS reference, max(seq) AS seq, max(changed_at) AS at FROM changes
    WHERE seq > ${after} AND seq <= ${until} AND entity_kind = 'order' GROUP BY entity_id ORDER BY max(seq)`;
  if (changed.length === 0) return;
  const orders = await rowsOf<OrderRow>(trx)`
    SELECT * FROM orders WHERE reference = ANY (${changed.map(({ reference }) => reference)}::text[]) AND (
      created_at >= ${adoptedAt} OR registered_at >= ${adoptedAt}
      OR EXISTS (SELECT FROM payment_intents WHERE id = ANY (orders.payment_intents) AND created_at >= ${adoptedAt})
      OR EXISTS (SELECT FROM payins WHERE payment_intent_id = ANY (orders.payment_intents) AND created_at >= ${adoptedAt}))`;
  const known = new Map(orders.map((row) => [row.reference, row]));
  const news = changed.flatMap(({ reference, seq, at }) => {
    const row = known.get(reference);
    if (row === undefined) return [];
    return [{ reference, seq, changed_at: at, data: verbatim(toJsonText(orderView({ ...row, seq }))) }];
  });
  if (news.length > 0) await trx('callbacks').insert(news).onConflict(['reference', 'seq']).ignore();
}
