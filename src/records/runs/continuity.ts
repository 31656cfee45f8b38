import type { Knex } from 'knex';
import { rowOf } from '../database/statements.js';
import { type Watermark, writeWatermarks } from './watermarks.js';

/** Runs come every few minutes: after so long without one, events may have been missed, or a backup was put back. */
const GAP_MS = 2 * 3_600_000;
const KIND = 'continuity';
const NAME = 'database';

/** Why what was read before can't be built upon. */
export type Break = { reason: 'gap'; lastSignAt: Date } | { reason: 'other_database' };

/**
 * Whether our own history goes on where it stopped: a run gave its last heartbeat not long ago, in this very database.
 * Null: it does, or there is none yet. Where it does not, everything that calls for no poll because it was read lately
 * is forgotten: each list is due to be read whole again, in the slices of its ticks. What is known to be unread stays so.
 * Call it before the run's own row is written.
 */
export async function checkContinuity(db: Knex, now: Date): Promise<Break | null> {
  const found = await findBreak(db, now);
  if (found === null) return null;
  await db.transaction(async (trx) => {
    await trx('watermarks').whereLike('name', 'sweep:%').orWhereLike('name', 'whole:%').delete();
    await trx('unread_intervals').whereLike('list', 'sweep:%').delete();
  });
  return found;
}

export async function noteDatabase(db: Knex, runId: string): Promise<void> {
  const { known, identity } = await readFacts(db);
  if (known === null || !isSame(known, identity))
    await db.transaction((trx) => writeWatermarks(trx, KIND, runId, new Map([[NAME, identity]])));
}

async function findBreak(db: Knex, now: Date): Promise<Break | null> {
  const { lastSignAt, known, identity } = await readFacts(db);
  if (lastSignAt === null) return null;
  if (known !== null && !isSame(known, identity)) return { reason: 'other_database' };
  return now.getTime() - lastSignAt.getTime() > GAP_MS ? { reason: 'gap', lastSignAt } : null;
}

interface Facts {
  lastSignAt: Date | null;
  known: Watermark | null;
  identity: Watermark;
}

/** A dump that is restored makes another database; a restored cluster goes on in another timeline. */
async function readFacts(db: Knex): Promise<Facts> {
  const { lastSignAt, known, ...identity } = await rowOf<Omit<Facts, 'identity'> & Record<string, string>>(db)`
    SELECT (SELECT max(heartbeat_at) FROM runs) AS "lastSignAt",
      (SELECT value FROM watermarks WHERE kind = ${KIND} AND name = ${NAME}) AS known,
      (SELECT oid FROM pg_database WHERE datname = current_database())::text AS oid,
      (SELECT system_identifier FROM pg_control_system())::text AS system,
      (SELECT timeline_id FROM pg_control_checkpoint())::text AS timeline`;
  return { lastSignAt, known, identity };
}

function isSame(a: Watermark, b: Watermark): boolean {
  return ['oid', 'system', 'timeline'].every((name) => a[name] === b[name]);
}
