import type { Knex } from 'knex';
import { textArray } from '../database/array-parameter.js';
import { raw, run } from '../database/statements.js';
import { DENIED } from './open-calls.js';

/** Who says so, and why. */
export interface Decision {
  actor: string;
  note: string;
}

export type Settled = { outcome: 'settled' } | { outcome: 'decided' } | { outcome: 'of_another'; key: string };

/**
 * A person's word on a call that nobody else can settle: it made this record, or nothing. The orders that it held are derived
 * anew, and the record is taken in, by the scheduler. A call that made nothing frees its key, as one that was refused does.
 *
 * `decided`: what came of the call is known, or still searched for. `of_another`: that call made the record.
 */
export async function settleCall(
  trx: Knex.Transaction,
  { operation, key, objectId, by }: { operation: string; key: string; objectId: string | null; by: Decision },
): Promise<Settled> {
  const other = await trx('service_writes')
    .where({ operation, object_id: objectId ?? '' })
    .whereNot({ key })
    .first('key');
  if (other !== undefined) return { outcome: 'of_another', key: other.key };
  const before: { object_id: string | null; payment_intent_id: string | null } | undefined = await trx('service_writes')
    .where({ operation, key })
    .first('object_id', 'payment_intent_id');
  const rowCount = await run(trx)`
    UPDATE service_writes AS call SET
      status = CASE WHEN CAST(${objectId} AS text) IS NULL THEN 'unsent' ELSE 'done' END,
      object_id = ${objectId}, request = NULL, taken_in_at = NULL, ended_at = now()
    WHERE operation = ${operation} AND key = ${key} AND (status = 'lost' OR (${raw(DENIED)}))`;
  if (rowCount === 0) return { outcome: 'decided' };
  // What it was said to have made gives nothing back: a person's word goes before what our own call was answered.
  if (objectId === null && before?.object_id != null) {
    await trx('refund_assignments').insert({
      payout_id: before.object_id,
      payment_intent_id: null,
      named: trx.raw('?::text[]', [textArray(before.payment_intent_id === null ? [] : [before.payment_intent_id])]),
      note: by.note,
      actor: by.actor,
    });
  }
  return { outcome: 'settled' };
}
