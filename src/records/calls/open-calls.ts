import type { Knex } from 'knex';
import type { OpenCall } from '../../domain/orders/order-facts.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';

/**
 * The service denies what a call of our own made. Of `call`: no absence outranks it, and until the list shows the payout
 * again, or a person decides, nobody knows which of the two is right.
 */
export const DENIED = `call.operation = 'createRefund' AND call.status = 'done'
  AND EXISTS (SELECT FROM payouts WHERE payouts.id = call.object_id AND payouts.absent_since IS NOT NULL)`;

/**
 * Refunds of these payments that were written down before they were sent and of which the records don't know what came:
 * under way, unanswered, lost, answered and not taken in, or denied by the service's list.
 */
export async function openCalls(
  trx: Knex,
  { paymentIntents }: { paymentIntents: readonly string[] },
): Promise<OpenCall[]> {
  if (paymentIntents.length === 0) return [];
  const { rows } = await trx.raw<{ rows: { payment_intent_id: string; begun_at: Date }[] }>(
    `SELECT payment_intent_id, begun_at FROM service_writes AS call
     WHERE operation = 'createRefund' AND payment_intent_id = ANY (?::text[]) AND (withholds OR (${DENIED}))
     ORDER BY begun_at, key`,
    [textArray(paymentIntents.map(toDatabaseText))],
  );
  return rows.map(({ payment_intent_id, begun_at }) => {
    return { operation: 'createRefund', paymentIntentId: fromDatabaseText(payment_intent_id), begunAt: begun_at };
  });
}
