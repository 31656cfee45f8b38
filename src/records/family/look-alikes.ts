import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { referenceSkeleton } from '../../domain/reference-skeleton.js';
import { textArray } from '../database/array-parameter.js';
import { keyText } from '../database/key-text.js';
import type { OrderRow } from '../order-row.js';

/** Whoever has a signing secret can make look-alikes without end. */
const MOST = 100;
const SKELETONS_AT_ONCE = 1_000;

/** The skeleton as the indexed column holds it: of one that is too long for an index a digest. */
export function skeletonKey(reference: string): string {
  const skeleton = referenceSkeleton(reference);
  return keyText(skeleton) ?? `sha256 ${createHash('sha256').update(skeleton).digest('hex')}`;
}

/** The other orders that look like each of these references, a hundred at most of each, in the order of references. */
export async function lookAlikes(db: Knex, references: readonly string[]): Promise<Map<string, OrderRow[]>> {
  if (references.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: (OrderRow & { asked: string })[] }>(
    `SELECT asked.reference AS asked, alike.* FROM unnest(?::text[], ?::text[]) AS asked (reference, skeleton)
     CROSS JOIN LATERAL (SELECT * FROM orders
       WHERE reference_skeleton = asked.skeleton AND orders.reference <> asked.reference
       ORDER BY orders.reference LIMIT ${MOST}) AS alike`,
    [textArray(references), textArray(references.map(skeletonKey))],
  );
  const found = new Map<string, OrderRow[]>();
  for (const { asked, ...row } of rows) found.set(asked, [...(found.get(asked) ?? []), row]);
  return found;
}

/**
 * One slice of making the skeletons that are missing: of orders from before there were any, or made beside us by an older
 * program. What looks like another is to be checked. Rows that somebody else holds are left for the next time. True: there
 * is more.
 */
export async function fillSkeletons(trx: Knex.Transaction): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { reference: string }[] }>(
    `SELECT reference FROM orders WHERE reference_skeleton IS NULL ORDER BY reference LIMIT ${SKELETONS_AT_ONCE}
     FOR UPDATE SKIP LOCKED`,
  );
  const references = textArray(rows.map(({ reference }) => reference));
  await trx.raw(
    `UPDATE orders SET reference_skeleton = new.skeleton FROM unnest(?::text[], ?::text[]) AS new (reference, skeleton)
     WHERE orders.reference = new.reference`,
    [references, textArray(rows.map(({ reference }) => skeletonKey(reference)))],
  );
  await trx.raw(
    `INSERT INTO check_agenda (entity_kind, entity_id, due_at)
     SELECT 'order', reference, 'epoch' FROM orders WHERE reference = ANY (?::text[]) AND EXISTS (
       SELECT FROM orders AS alike
       WHERE alike.reference_skeleton = orders.reference_skeleton AND alike.reference <> orders.reference)
     ON CONFLICT DO NOTHING`,
    [references],
  );
  return rows.length === SKELETONS_AT_ONCE;
}
