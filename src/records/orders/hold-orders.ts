import type { Knex } from 'knex';
import { rowsOf, run, tableOf } from '../database/statements.js';
import { lockLinks, membersOf } from '../family/lock.js';
import { relatedOrders } from '../family/shown-records.js';
import type { OrderRules } from './derive-orders.js';
import { rederiveOrders } from './rederive-releases.js';

interface Row {
  operation: string;
  key: string;
  payment_intent_id: string | null;
}

const CAUSE = { source: { type: 'api_response', ref: 'createRefund' }, serviceTime: null } as const;

/**
 * Derives anew the orders of refunds that were begun or settled since they were derived, whoever called. Returns
 * how many calls there were, `limit` at most; somebody else's are left to them.
 *
 * The payments' links are locked first, as by savers: an order that is being made meanwhile is waited for.
 */
export async function holdOrders(
  trx: Knex.Transaction,
  { limit, rules }: { limit: number; rules: OrderRules },
): Promise<number> {
  const rows = await rowsOf<Row>(trx)`
    SELECT operation, key, payment_intent_id FROM service_writes
    WHERE operation = 'createRefund' AND NOT derived ORDER BY begun_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
  if (rows.length === 0) return 0;
  const named = rows.flatMap(({ payment_intent_id: id }) => (id === null ? [] : [id]));
  const intents = [...new Set(named)];
  await lockLinks(trx, membersOf([]), intents);
  const related = await relatedOrders(trx, 'payment_intent', intents);
  const references = [...new Set([...related.values()].flat())];
  const touched = references.map((reference) => ({ reference, since: null }));
  await rederiveOrders(trx, touched, rules, CAUSE);
  await run(trx)`
    UPDATE service_writes AS call SET derived = true
    FROM ${tableOf('done', rows, { operation: 'text', key: 'text' })}
    WHERE call.operation = done.operation AND call.key = done.key`;
  return rows.length;
}
