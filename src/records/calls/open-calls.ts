import type { Knex } from 'knex';
import type { OpenCall } from '../../domain/family/own-refunds.js';
import { textArray } from '../database/array-parameter.js';

/**
 * The service denies what a call of our own made. Of `call`: no absence outranks it, and until the list shows the payout
 * again, or a person decides, nobody knows which of the two is right.
 */
export const DENIED = `call.operation = 'createRefund' AND call.status = 'done'
  AND EXISTS (SELECT FROM payouts WHERE payouts.id = call.object_id AND payouts.absent_since IS NOT NULL)`;

/** Of `call`: its answer is lost, or the service denies what it made. */
export const UNDECIDED = `(call.status = 'lost' OR (${DENIED}))`;

interface Row {
  key: string;
  payment_intent_id: string;
  begun_at: Date;
  object_id: string | null;
  undecided: boolean;
}

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
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `SELECT key, payment_intent_id, begun_at, object_id, ${UNDECIDED} AS undecided FROM service_writes AS call
     WHERE ${paymentIntents === null ? 'payment_intent_id IS NOT NULL' : 'payment_intent_id = ANY (?::text[])'}
       AND ${OPEN}
     ORDER BY begun_at, key`,
    paymentIntents === null ? [] : [textArray(paymentIntents)],
  );
  return rows.map((row) => ({
    operation: 'createRefund',
    key: row.key,
    paymentIntentId: row.payment_intent_id,
    begunAt: row.begun_at,
    objectId: row.object_id,
    undecided: row.undecided,
  }));
}
