import type { Knex } from 'knex';
import { mayRefund, namedIn, type PayoutWords, type ShownRecord } from '../../domain/family/links.js';
import { loadMakers } from '../calls/load-makers.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';

/** A refund call of our own that named a payment. */
interface OwnCall {
  paymentIntentId: string;
  /** In a sentence: that it made the payout, or may have. */
  told: string;
}

/** The call that made a payout, or, of one that nothing links, that is in doubt and may have made it; null: none. */
export async function ownCallOf(
  trx: Knex,
  payout: ShownRecord,
  { isLinked, words }: { isLinked: boolean; words: PayoutWords },
): Promise<OwnCall | null> {
  const { id, fields } = payout;
  const made = await trx<{ operation: string; key: string; payment_intent_id: string; object_id: string }>(
    'service_writes',
  )
    .where({ operation: 'createRefund', object_id: toDatabaseText(id) })
    .whereNotNull('payment_intent_id')
    .first('key', 'payment_intent_id');
  if (made !== undefined) {
    const paymentIntentId = fromDatabaseText(made.payment_intent_id);
    const told = `Our own call ${fromDatabaseText(made.key)} made ${id} to give ${paymentIntentId} back.`;
    return { paymentIntentId, told };
  }
  const [named] = payout.ownCall === 'createRefund' ? namedIn('payout', fields, 'payment_intent') : [];
  if (named !== undefined)
    return { paymentIntentId: named, told: `A call of our own made ${id} to give ${named} back.` };
  if (isLinked || !mayRefund(fields, words)) return null;
  const maker = (await loadMakers(trx, [payout])).get(id);
  if (maker === undefined) return null;
  const { key, paymentIntentId } = maker;
  const told = `Our own call ${key} asked to give ${paymentIntentId} back, nobody knows what came of it, and it may have made ${id}: settle it first (tallyhook calls settle ${key}).`;
  return { paymentIntentId, told };
}
