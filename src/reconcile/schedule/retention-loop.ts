import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../../log.js';
import { describeError } from '../../records/database/database-errors.js';
import { applyRetention } from '../../records/retention/apply-retention.js';
import type { RetentionDays } from '../../records/retention/retention-task.js';

export interface RetentionLoopDeps {
  db: Knex;
  log: Logger;
  now: () => Date;
  /** Left out: everything is kept. */
  retention?: RetentionDays;
}

const DAY_MS = 86_400_000;
/** After a failure, such as a database that was away. */
const RETRY_MS = 15 * 60_000;

/**
 * Lets go of what was kept long enough (docs/retention.md), at once and then every day, until the signal. For the leader of
 * the schedulers: one at a time is enough, though two would do no harm. Never throws.
 */
export async function retentionLoop(deps: RetentionLoopDeps, signal: AbortSignal): Promise<void> {
  const { retention: days, log } = deps;
  if (days === undefined) return;
  while (!signal.aborted) {
    let pause = DAY_MS;
    try {
      await applyRetention({ ...deps, days }, { signal });
    } catch (error) {
      pause = RETRY_MS;
      log.warn({ error: describeError(error) }, 'retention failed');
    }
    await delay(pause, undefined, { signal }).catch(() => {});
  }
}
