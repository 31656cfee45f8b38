import type { Knex } from 'knex';
import type { OpenCall } from '../../domain/family/own-refunds.js';
import { raw, rowsOf, sql } from '../database/statements.js';

/**
 * The service denies what a call of our own made. Of `call`: no absence outranks it, and until the list shows the payout
 * again, or a person decides, nobody knows which of the two is right.
 */
export const DENIED = `call.operation = 'createRefund' AND call.status = 'done'
  AND EXISTS (SELECT FROM payouts WHERE payouts.id = call.object_id AND payouts.absent_since IS NOT NULL OFFSET 0)`;

/** Of `call`: its answer is lost, or the service denies what it made. */
export const UNDECIDED = `(call.status = 'lost' OR (${DENIED}))`;

/**
 * A refund that was written down before it was sent and of which the records don't know what came: under way, unanswered,
 * lost, answered and not taken in, or denied by the service's list. Of `call`.
 */
export const OPEN = `call.operation = 'createRefund' AND (call.withholds OR (${DENIED}))`;

/** Such refunds of these payments; null: of any. */
export async function openCalls(
  trx: Knex,
  { paymentIntents }: { paymentIntents: readonly string[] | null },
): Promise<OpenCall[]> {
  if (paymentIntents?.length === 0) return [];
  const ofWhich =
    paymentIntents === null
      ? raw('payment_intent_id IS NOT NULL')
      : sql`payment_intent_id = ANY (${paymentIntents}::text[])`;
  return rowsOf<OpenCall>(trx)`
    SELECT 'createRefund' AS operation, key, payment_intent_id AS "paymentIntentId", begun_at AS "begunAt",
           object_id AS "objectId", ${raw(UNDECIDED)} AS undecided
    FROM service_writes AS call WHERE ${ofWhich} AND ${raw(OPEN)} ORDER BY begun_at, key`;
}
