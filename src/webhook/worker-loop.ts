import { setTimeout as delay } from 'node:timers/promises';
import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Logger } from '../log.js';
import { describeError } from '../records/database/database-errors.js';
import { type JobWorker, openWhenReady, type Processor } from './queue-backend.js';

const JOBS_TIMEOUT_MS = 15_000;
/** How long a worker without a job may take to say goodbye to its queue, which may be gone. */
const GOODBYE_TIMEOUT_MS = 2_000;
const RERUN_DELAY_MS = 1_000;

const jobsInTime = timeout(JOBS_TIMEOUT_MS, TimeoutStrategy.Aggressive);
const goodbyeInTime = timeout(GOODBYE_TIMEOUT_MS, TimeoutStrategy.Aggressive);

export interface QueueConsumer {
  /** Whether its queue was there yet. */
  isOpen(): boolean;
  close(): Promise<void>;
}

/**
 * Runs a queue worker from when its server is there, and starts its loop again should it end. `close` lets the jobs
 * under way end, for 15 s at most, and takes no more.
 */
export function startWorkerLoop<T>(
  log: Logger,
  process: Processor<T>,
  create: (process: Processor<T>) => JobWorker,
): QueueConsumer {
  const stop = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let worker: JobWorker | null = null;

  const tracked: Processor<T> = (job) => {
    const done = process(job).finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  };

  const running = (async () => {
    const opened = await openWhenReady(log, () => create(tracked), stop.signal);
    if (!opened) return;
    worker = opened;
    while (!stop.signal.aborted) {
      await opened.run().catch((error: unknown) => {
        log.warn({ error: describeError(error) }, 'queue worker restarted');
      });
      await delay(RERUN_DELAY_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();

  return {
    isOpen: () => worker !== null,
    async close() {
      stop.abort();
      const open = worker;
      if (!open) return running;
      const closed = open.close().catch(() => {});
      await jobsInTime.execute(() => Promise.allSettled(underWay)).catch(() => {});
      await goodbyeInTime.execute(() => closed).catch(() => void open.disconnect().catch(() => {}));
    },
  };
}
