import type { Observation } from '../../domain/observation.js';
import { type CallLinks, createdKind, namedFields } from '../../domain/own-calls.js';
import { rowsOf, run, type Trx, tableOf } from '../database/statements.js';
import type { SaveContext } from '../stored-record.js';
import { saveObservations } from './save-observations.js';

interface Row extends CallLinks {
  operation: string;
  key: string;
  /** Of what it made. */
  id: string;
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
  trx: Trx,
  { limit, serviceNow, context }: { limit: number; serviceNow: number; context: SaveContext },
): Promise<number> {
  const rows = await rowsOf<Row>(trx)`
    SELECT operation, key, object_id AS id, payment_intent_id AS "paymentIntentId",
      merchant_reference AS "merchantReference", account_id AS "accountId",
      greatest(0, extract(epoch FROM now() - coalesce(ended_at, now())) * 1000)::float8 AS age
    FROM service_writes WHERE taken_in_at IS NULL AND object_id IS NOT NULL AND operation <> 'createTransfer'
    ORDER BY begun_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
  if (rows.length === 0) return 0;
  await run(trx)`
    UPDATE service_writes AS call SET taken_in_at = now()
    FROM ${tableOf('done', rows, { operation: 'text', key: 'text' })}
    WHERE call.operation = done.operation AND call.key = done.key`;
  await saveObservations(
    trx,
    rows.flatMap((row) => claimOf(row, serviceNow)),
    context,
  );
  return rows.length;
}

/** That what a call made is known to the records. In the transaction that saves it, before it does. */
export async function noteTakenIn(
  trx: Trx,
  { operation, key, objectId }: { operation: string; key: string; objectId: string },
): Promise<void> {
  await run(trx)`
    UPDATE service_writes SET taken_in_at = coalesce(taken_in_at, now()), object_id = coalesce(object_id, ${objectId})
    WHERE operation = ${operation} AND key = ${key}`;
}

function claimOf({ operation, id, age, ...row }: Row, serviceNow: number): Observation[] {
  const kind = createdKind(operation);
  if (kind === null) return [];
  const { paymentIntentId, merchantReference, accountId } = row;
  const named = namedFields({ paymentIntentId, merchantReference, accountId });
  const at = serviceNow - age;
  const source = { type: 'api_response', ref: operation } as const;
  return [{ type: 'statement', kind, id, from: at, to: at, source, fields: { id, ...named } }];
}
