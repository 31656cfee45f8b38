import type { Knex } from 'knex';
import type { Observation } from '../../domain/observation.js';
import { createdKind, namedFields } from '../../domain/own-calls.js';
import { textArray } from '../database/array-parameter.js';
import type { SaveContext } from '../save-context.js';
import { saveObservations } from './save-observations.js';

interface Row {
  operation: string;
  key: string;
  object_id: string;
  payment_intent_id: string | null;
  merchant_reference: string | null;
  account_id: string | null;
  /** Since the call ended, ms. */
  age: number;
}

/**
 * Takes in what creating calls made of which nobody took in the answer, such as those of a store's own process: what the
 * call itself says of it, as an answer would report it. The record is then polled like any that is reported. Returns how many
 * there were, `limit` at most; somebody else's are left to them.
 *
 * @param serviceNow the service's clock, ms
 */
export async function takeInCalls(
  trx: Knex.Transaction,
  { limit, serviceNow, context }: { limit: number; serviceNow: number; context: SaveContext },
): Promise<number> {
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `SELECT operation, key, object_id, payment_intent_id, merchant_reference, account_id,
       greatest(0, extract(epoch FROM now() - coalesce(ended_at, now())) * 1000)::float8 AS age
     FROM service_writes WHERE taken_in_at IS NULL AND object_id IS NOT NULL AND operation <> 'createTransfer'
     ORDER BY begun_at LIMIT ? FOR UPDATE SKIP LOCKED`,
    [limit],
  );
  if (rows.length === 0) return 0;
  await trx.raw(
    `UPDATE service_writes AS call SET taken_in_at = now()
     FROM unnest(?::text[], ?::text[]) AS done (operation, key)
     WHERE call.operation = done.operation AND call.key = done.key`,
    [textArray(rows.map(({ operation }) => operation)), textArray(rows.map(({ key }) => key))],
  );
  await saveObservations(
    trx,
    rows.flatMap((row) => claimOf(row, serviceNow)),
    context,
  );
  return rows.length;
}

/** That what a call made is known to the records. In the transaction that saves it, before it does. */
export async function noteTakenIn(
  trx: Knex.Transaction,
  { operation, key, objectId }: { operation: string; key: string; objectId: string },
): Promise<void> {
  await trx.raw(
    `UPDATE service_writes SET taken_in_at = coalesce(taken_in_at, now()), object_id = coalesce(object_id, :id)
     WHERE operation = :operation AND key = :key`,
    { operation, key, id: objectId },
  );
}

function claimOf(row: Row, serviceNow: number): Observation[] {
  const kind = createdKind(row.operation);
  if (kind === null) return [];
  const id = row.object_id;
  const links = {
    paymentIntentId: row.payment_intent_id,
    merchantReference: row.merchant_reference,
    accountId: row.account_id,
  };
  const at = serviceNow - row.age;
  const source = { type: 'api_response', ref: row.operation } as const;
  return [{ type: 'statement', kind, id, from: at, to: at, source, fields: { id, ...namedFields(links) } }];
}
