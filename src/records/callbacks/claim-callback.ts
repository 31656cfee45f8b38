import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { rowsOf } from '../database/statements.js';
import type { RowOf } from '../database/view-of.js';
import { lockCallbacks } from './lock-callbacks.js';

/** An attempt that one process may make, until the claim is over. */
export interface ClaimedCallback {
  id: string;
  claim: string;
  webhookId: string;
  /** ISO 8601 UTC: when the order changed. */
  changedAt: string;
  /** The order as JSON text. */
  data: string;
  /** This one included. */
  attempts: number;
}

type Row = RowOf<Omit<ClaimedCallback, 'claim'>> & { reference: string };

/**
 * Takes the callback that has been due for the longest, for so many seconds, after which another may take it. Of an order
 * none is taken while one is on its way, and only the newest: the older ones, which were not sent yet, need not be sent
 * any more. Null: nothing is due.
 */
export async function claimCallback(db: Knex, { seconds }: { seconds: number }): Promise<ClaimedCallback | null> {
  return db.transaction(async (trx) => {
    await lockCallbacks(trx);
    const rows = await rowsOf<Row>(trx)`
      SELECT id, reference, webhook_id, changed_at, data, attempts FROM callbacks AS due
      WHERE status = 'pending' AND next_attempt_at <= clock_timestamp()
        AND NOT EXISTS (SELECT FROM callbacks AS other WHERE other.reference = due.reference
          AND (other.claimed_until > clock_timestamp() OR (other.id > due.id AND other.status = 'pending')))
      ORDER BY next_attempt_at, id LIMIT 1`;
    const row = rows[0];
    if (row === undefined) return null;
    const claim = randomUUID();
    await trx('callbacks')
      .where('reference', row.reference)
      .where('id', '<', row.id)
      .whereIn('status', ['pending', 'dead'])
      .update({ status: 'superseded', claim: null, claimed_until: null });
    await trx('callbacks')
      .where('id', row.id)
      .update({
        claim,
        claimed_until: trx.raw(`clock_timestamp() + ?::float8 * interval '1 second'`, [seconds]),
        attempts: row.attempts + 1,
      });
    return {
      id: row.id,
      claim,
      webhookId: row.webhook_id,
      changedAt: row.changed_at.toISOString(),
      data: row.data,
      attempts: row.attempts + 1,
    };
  });
}

/** What became of an attempt; `retryInMs` null: it was the last. */
export type AttemptOutcome =
  | { ok: true; httpStatus: number }
  | { ok: false; httpStatus: number | null; error: string; retryInMs: number | null };

/** False: the claim was over, and another may have made an attempt of its own, whose outcome counts. */
export async function finishAttempt(
  db: Knex,
  { id, claim }: Pick<ClaimedCallback, 'id' | 'claim'>,
  outcome: AttemptOutcome,
): Promise<boolean> {
  const over = { claim: null, claimed_until: null, http_status: outcome.httpStatus };
  const ended = outcome.ok
    ? { status: 'sent', error: null, sent_at: db.fn.now() }
    : {
        status: outcome.retryInMs === null ? 'dead' : 'pending',
        error: outcome.error,
        next_attempt_at: db.raw(`clock_timestamp() + ?::float8 * interval '1 millisecond'`, [outcome.retryInMs ?? 0]),
      };
  return db.transaction(async (trx) => {
    await lockCallbacks(trx);
    const ours = trx('callbacks').where({ id, claim, status: 'pending' });
    const changed: number = await ours.update({ ...over, ...ended });
    return changed > 0;
  });
}
