import type { Knex } from 'knex';
import { findExisting } from './lock-records.js';

const LOCK_CLASS = 0x7449;
const BUCKETS = 64;

/**
 * A deposit may be saved before its payment intent is known, while another transaction is just saving that intent.
 * Neither would see the other, and the order would be derived without the deposit. So who saves a deposit of an unknown
 * intent excludes, by a lock on a bucket of ids, whoever creates that intent; creators do not exclude one another.
 * Returns the intents of the deposits that are there to be locked.
 */
export async function guardUnknownIntents(
  trx: Knex.Transaction,
  saved: string[],
  ofPayins: string[],
): Promise<string[]> {
  const others = ofPayins.filter((id) => !saved.includes(id));
  const existing = await findExisting(trx, 'payment_intent', [...saved, ...others]);
  const unknown = others.filter((id) => !existing.has(id));
  const excluded = new Set(unknown.map(bucketOf));
  const shared = new Set(saved.filter((id) => !existing.has(id)).map(bucketOf));
  const buckets = [...new Set([...excluded, ...shared])].sort((a, b) => a - b);
  if (buckets.length === 0) return others;
  await trx.raw(
    `SELECT CASE WHEN exclusive THEN pg_advisory_xact_lock(?, bucket) ELSE pg_advisory_xact_lock_shared(?, bucket) END
     FROM unnest(?::integer[], ?::boolean[]) AS wanted (bucket, exclusive)`,
    [LOCK_CLASS, LOCK_CLASS, buckets, buckets.map((bucket) => excluded.has(bucket))],
  );
  return others;
}

function bucketOf(id: string): number {
  let hash = 0;
  for (let index = 0; index < id.length; index++) hash = (hash * 31 + id.charCodeAt(index)) | 0;
  return (hash >>> 0) % BUCKETS;
}
