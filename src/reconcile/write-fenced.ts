import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import type { Knex } from 'knex';
import { isPassing } from '../records/database/database-errors.js';
import { holdRun, type RunTally } from '../records/runs/runs.js';

/** In whose name something is written. */
export interface Fence {
  /** Null: of a dry run. */
  runId: string | null;
  dryRun: boolean;
}

export interface WriteDeps {
  db: Knex;
  now: () => Date;
  tally: RunTally;
  fence: Fence | null;
}

export type Written = Pick<RunTally, 'changed' | 'breaksOpened'>;

/** Of a write that touches no record. */
export const NOTHING: Written = { changed: 0, breaksOpened: 0 };

/** Thrown to undo what a dry run wrote. */
class DryRunEnd extends Error {}

const whilePassing = retry(handleWhen(isPassing), {
  maxAttempts: 4,
  backoff: new ExponentialBackoff({ initialDelay: 50, maxDelay: 1_000 }),
});

/**
 * One transaction in the run's name: it begins by holding the run's row, so nothing is written once the run was taken
 * for dead (RunLostError). Deadlocks and short outages of the database are tried again. What `write` reports is added to
 * the tally; what a dry run wrote is undone.
 */
export async function writeFenced(
  { db, now, tally, fence }: WriteDeps,
  write: (trx: Knex.Transaction) => Promise<Written>,
): Promise<void> {
  const written = await whilePassing.execute(async () => {
    let report = NOTHING;
    try {
      await db.transaction(async (trx) => {
        if (fence?.runId) await holdRun(trx, fence.runId, tally, now());
        report = await write(trx);
        if (fence?.dryRun) throw new DryRunEnd();
      });
    } catch (error) {
      if (!(error instanceof DryRunEnd)) throw error;
    }
    return report;
  });
  tally.changed += written.changed;
  tally.breaksOpened += written.breaksOpened;
}
