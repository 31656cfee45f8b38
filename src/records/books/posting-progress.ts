import type { Knex } from 'knex';
import { columnOf, raw, run, type Trx, utc, valueOf } from '../database/statements.js';

/** A slice of posting is short: whoever waits longer than this for it has met something else. */
const LOCK_TIMEOUT = '10s';

/**
 * One poster at a time, and no month is closed meanwhile. In a transaction of `repeatable read`, before anything is read: what it
 * sees then is newer than the locks.
 */
export async function lockBooks(trx: Trx): Promise<void> {
  await run(trx)`SET LOCAL lock_timeout = '${raw(LOCK_TIMEOUT)}'`;
  await run(trx)`LOCK TABLE posting_progress IN EXCLUSIVE MODE`;
  await run(trx)`LOCK TABLE periods IN SHARE MODE`;
}

export interface PostingProgress {
  /** Up to here the history of changes is posted. */
  seq: string;
  /** Up to here the movements of records are worked in: what may be posted now. */
  until: string;
}

/**
 * The first time it begins with what stands, since what is older is inside the openings. Null: the movements are not worked in
 * yet, or are being worked in anew by another table of the contract.
 */
export async function readPostingProgress(trx: Trx): Promise<PostingProgress | null> {
  const moved = await trx<{ seq: string; renewing_to: string; contract: string }>('movements_progress').first();
  if (moved === undefined || BigInt(moved.seq) < BigInt(moved.renewing_to)) return null;
  const { seq: until, contract } = moved;
  const known = await trx<{ seq: string; contract: string }>('posting_progress').first();
  if (known === undefined) {
    await trx('posting_progress').insert({ seq: until, contract });
    return { seq: until, until };
  }
  if (known.contract !== contract) {
    await trx('posting_progress').update({ contract });
    await dueByAnotherTable(trx);
  }
  return { seq: known.seq, until };
}

export async function savePostingProgress(trx: Trx, seq: string): Promise<void> {
  await trx('posting_progress').update({ seq });
}

async function dueByAnotherTable(trx: Trx): Promise<void> {
  await run(trx)`
    INSERT INTO posting_due (record_kind, record_id)
    SELECT record_kind, record_id FROM movements WHERE delta IS DISTINCT FROM base
    UNION SELECT record_kind, record_id FROM entries
    WHERE record_kind IN ('payment_intent', 'payin', 'payout', 'transaction')
    ON CONFLICT DO NOTHING`;
}

/** Of the database, whose times changes have. */
export const databaseNow = async (db: Knex): Promise<Date> => valueOf<Date>(db)`SELECT now() AS now`;

/** Months that take no entries. */
export async function closedMonths(trx: Knex): Promise<Set<string>> {
  const months = await trx('periods').where({ status: 'closed' }).pluck('month');
  return new Set(months.map(String));
}

/** When the newest change was known that is posted, ISO 8601 UTC; null: none is. */
export async function postedUntil(db: Knex): Promise<string | null> {
  const [until = null] = await columnOf<string>(db)`
    SELECT ${raw(utc('changed_at'))} AS until FROM changes
    WHERE seq <= (SELECT seq FROM posting_progress) ORDER BY changes.seq DESC LIMIT 1`;
  return until;
}
