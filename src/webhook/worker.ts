import { TimeoutStrategy, timeout } from 'cockatiel';
import { type ApplyDeps, applyEvents } from './apply-events.js';
import { Batcher } from './batcher.js';
import type { EventJob } from './queue.js';
import { openWorker, type QueueSettings } from './queue-backend.js';
import { scanInbox } from './requeue-orphaned.js';
import { type QueueConsumer, startWorkerLoop } from './worker-loop.js';

export interface WorkerSettings extends ApplyDeps, QueueSettings {
  /** Batches of events that are applied side by side. */
  concurrency?: number;
  /** How often the inbox is scanned for events that no job names. */
  scanEveryMs?: number;
}

const CLOSE_TIMEOUT_MS = 15_000;
/** Jobs in hand at once. A stream makes many of one event each; what comes while batches are applied is the next batch. */
const JOBS_IN_HAND = 50;
const MAX_PER_BATCH = 200;
/** Events that are worth a batch beside the one that runs. Of a trickle each batch takes all that came during the one before. */
const BESIDE = { weight: 25, ms: 250 };

const inTime = timeout(CLOSE_TIMEOUT_MS, TimeoutStrategy.Aggressive);

/**
 * Applies events as the queue names them, and scans the inbox for those that the queue lacks. Survives restarts of
 * Redis and Postgres. `close` lets the batches under way end, for 15 s at most; what is left over is found again.
 */
export function createWorker(settings: WorkerSettings): QueueConsumer {
  const batches = gatherBatches(settings, settings.concurrency ?? 3);
  const inboxScan = scanInbox({ ...settings, isBusy: () => batches.isBusy() }, settings.scanEveryMs ?? 5_000);
  const consumer = startWorkerLoop<EventJob>(
    settings.log,
    (job) => batches.submit(job.data.ids),
    (process) => openWorker('events', process, settings, { concurrency: JOBS_IN_HAND }),
  );
  return {
    isOpen: () => consumer.isOpen(),
    async close() {
      await Promise.all([consumer.close(), inTime.execute(() => inboxScan.close()).catch(() => {})]);
    },
  };
}

/** Each job ends when the batch that holds its events does. */
function gatherBatches(deps: ApplyDeps, concurrency: number): Batcher<string[], void> {
  return new Batcher<string[], void>({
    flush: async (jobs) => {
      await applyEvents(deps, jobs.flat());
      return jobs.map(() => ({ status: 'fulfilled', value: undefined }));
    },
    weightOf: (ids) => ids.length,
    concurrency,
    beside: BESIDE,
    maxItems: JOBS_IN_HAND,
    maxWeight: MAX_PER_BATCH,
    maxWaitingItems: JOBS_IN_HAND,
    maxWaitingWeight: Number.POSITIVE_INFINITY,
    maxWaitMs: Number.POSITIVE_INFINITY,
    shedAfterMs: Number.POSITIVE_INFINITY,
  });
}
