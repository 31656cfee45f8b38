import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { lateSeconds } from '../../domain/alerts/condition.js';
import type { Run } from '../../domain/views/proof-shapes.js';
import { valueOf } from '../../records/database/statements.js';
import { processHeartbeats } from '../../records/process-heartbeats.js';
import type { ReconcileDeps } from '../deps.js';
import { runReconcile } from './run.js';

type Options = Parameters<typeof runReconcile>[1];

const LIMIT_MS = 60_000;
/** A worker at work applies some of it in less. */
const IDLE_MS = 5_000;
const PAUSE_MS = 500;

/**
 * Recovers what a person asks for, and classifies it anew as soon as the workers have applied it: else it would count as missed, and its
 * breaks stay open, until the next run. What the workers do not apply at once, and no longer than a minute, is left to that.
 */
export async function recoverNow(deps: ReconcileDeps, options: Options): Promise<Run> {
  const run = await runReconcile(deps, options);
  const { recovered = 0 } = run.proof as { recovered?: number };
  if (recovered === 0 || options.dryRun === true) return run;
  if (await untilApplied(deps.db, options.signal))
    await runReconcile(deps, { kind: 'deliveries', full: false, signal: options.signal });
  return run;
}

/** False: not all of it is, and no worker is at work, or has applied any of it for some seconds. */
async function untilApplied(db: Knex, signal: AbortSignal | undefined): Promise<boolean> {
  const limit = performance.now() + LIMIT_MS;
  let least = Number.POSITIVE_INFINITY;
  for (let until = limit; performance.now() < Math.min(until, limit); ) {
    if (signal?.aborted) return false;
    const parts = await processHeartbeats(db);
    if (!parts.some(({ part, secondsAgo }) => part === 'worker' && secondsAgo <= lateSeconds.heartbeat)) return false;
    const waiting = await valueOf<number>(db)`
      SELECT count(*)::integer FROM deliveries JOIN inbox ON inbox.id = inbox_id
      WHERE (missed OR open) AND inbox.status IN ('received', 'failed')`;
    if (waiting === 0) return true;
    if (waiting < least) [least, until] = [waiting, performance.now() + IDLE_MS];
    await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
  return false;
}
