import type { Knex } from 'knex';
import { isRowId } from '../database/row-id.js';
import { rowOf } from '../database/statements.js';
import { lockCallbacks } from './lock-callbacks.js';

export type ReplayResult =
  | { outcome: 'replayed'; reference: string }
  | { outcome: 'not_found' }
  /** It is on its way now. */
  | { outcome: 'under_way' }
  /** The order has a newer one, which alone may be sent again. */
  | { outcome: 'outdated'; newestId: string };

/** Has a callback sent again at once, under the same webhook-id, with all its attempts before it. */
export async function replayCallback(trx: Knex.Transaction, id: string): Promise<ReplayResult> {
  if (!isRowId(id)) return { outcome: 'not_found' };
  await lockCallbacks(trx);
  const row = await trx('callbacks')
    .where({ id })
    .first('reference', trx.raw('coalesce(claimed_until > clock_timestamp(), false) AS under_way'));
  if (row === undefined) return { outcome: 'not_found' };
  if (row.under_way) return { outcome: 'under_way' };
  const newest: { id: string } | undefined = await trx('callbacks')
    .where({ reference: row.reference })
    .orderBy('id', 'desc')
    .first('id');
  if (newest !== undefined && newest.id !== id) return { outcome: 'outdated', newestId: newest.id };
  await revive(trx('callbacks').where({ id }), trx);
  return { outcome: 'replayed', reference: String(row.reference) };
}

/** The same for all that were given up. Returns how many. */
export async function replayDeadCallbacks(trx: Knex.Transaction): Promise<number> {
  await lockCallbacks(trx);
  return revive(trx('callbacks').where({ status: 'dead' }), trx);
}

/** Those that `replayDeadCallbacks` would send now: how many, and the newest hundred. */
export async function deadCallbacks(db: Knex): Promise<{ count: number; ids: string[] }> {
  return rowOf<{ count: number; ids: string[] }>(db)`
    SELECT count(*)::integer AS count, coalesce((array_agg(id::text ORDER BY id DESC))[1:100], '{}') AS ids
    FROM callbacks WHERE status = 'dead'`;
}

async function revive(rows: Knex.QueryBuilder, trx: Knex.Transaction): Promise<number> {
  return rows.update({
    status: 'pending',
    attempts: 0,
    next_attempt_at: trx.fn.now(),
    claim: null,
    claimed_until: null,
    error: null,
  });
}
