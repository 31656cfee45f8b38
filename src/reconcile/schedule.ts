import type { Kind, ReconcileDeps } from './deps.js';

export interface SchedulerDeps extends ReconcileDeps {
  /** When each kind runs: a cron expression, or `off`. A kind that is not named has its default. */
  crons?: Partial<Record<Kind, string>>;
}

export interface Scheduler {
  /** Ends the run under way between two pages, gives leadership away, and waits for both. */
  close(): Promise<void>;
}

/** One of many: leads or stands by, and takes over when the leader's connection is gone. */
export function startScheduler(deps: SchedulerDeps): Scheduler {
  throw new Error(`not yet: ${String(deps.crons)}`);
}
