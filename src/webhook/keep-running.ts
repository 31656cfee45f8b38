import { setTimeout as delay } from 'node:timers/promises';
import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Logger } from '../log.js';
import { type JobWorker, openWhenReady } from './queue-backend.js';

const CLOSE_TIMEOUT_MS = 15_000;
const RERUN_DELAY_MS = 1_000;

const inTime = timeout(CLOSE_TIMEOUT_MS, TimeoutStrategy.Aggressive);

/**
 * Runs a queue worker from when its server is there, and starts its loop again should it end. `close` lets the jobs
 * under way end, for 15 s at most.
 */
export function keepRunning(log: Logger, create: () => JobWorker): { close(): Promise<void> } {
  const stop = new AbortController();
  let worker: JobWorker | null = null;
  const running = (async () => {
    const opened = await openWhenReady(create, stop.signal);
    if (!opened) return;
    worker = opened;
    while (!stop.signal.aborted) {
      await opened.run().catch((error: unknown) => {
        log.warn({ error: String(error) }, 'the loop of a queue worker ended, it is started again');
      });
      await delay(RERUN_DELAY_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();
  return {
    async close() {
      stop.abort();
      const open = worker;
      if (open) await inTime.execute(() => open.close()).catch(() => void open.disconnect().catch(() => {}));
      else await running;
    },
  };
}
