import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import type { Knex } from 'knex';
import type { Observation } from '../domain/observation.js';
import { type ReleaseRules, rulesOf } from '../domain/orders/order-facts.js';
import { isPassing } from '../records/database/database-errors.js';
import type { Trx } from '../records/database/statements.js';
import { holdRun, type RunTally } from '../records/runs/runs.js';
import { saveObservations } from '../records/saving/save-observations.js';

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

const passing = retry(handleWhen(isPassing), {
  maxAttempts: 4,
  backoff: new ExponentialBackoff({ initialDelay: 50, maxDelay: 1_000 }),
});

/** Deadlocks and short outages of the database are tried again. */
export const whilePassing = <T>(work: () => Promise<T>): Promise<T> => passing.execute(work);

/**
 * One transaction in the run's name: it begins by holding the run's row, so nothing is written once the run was taken
 * for dead (RunLostError). What `write` reports is added to the tally; what a dry run wrote is undone.
 */
export async function writeFenced(
  { db, now, tally, fence }: WriteDeps,
  write: (trx: Trx) => Promise<Partial<Written> | void>,
): Promise<void> {
  const written = await whilePassing(async () => {
    let report: Partial<Written> | void = NOTHING;
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
  tally.changed += written?.changed ?? 0;
  tally.breaksOpened += written?.breaksOpened ?? 0;
}

interface SaveDeps extends Pick<WriteDeps, 'db' | 'now'>, ReleaseRules {
  adoptedAt: Date;
}

/** What was observed, in one transaction of its own. */
export async function saveFenced(
  { deps, tally, fence }: { deps: SaveDeps } & Pick<WriteDeps, 'tally' | 'fence'>,
  observations: Observation[],
): Promise<void> {
  if (observations.length === 0) return;
  await writeFenced({ ...deps, tally, fence }, (trx) => saveObservations(trx, observations, saveContext(deps)));
}

export function saveContext({ now, adoptedAt, ...rules }: Omit<SaveDeps, 'db'>) {
  return { ...rulesOf(rules), now: now(), adoptedAt };
}
