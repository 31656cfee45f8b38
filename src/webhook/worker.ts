import { TimeoutStrategy, timeout } from 'cockatiel';
import { type ApplyDeps, applyEvents } from './apply-events.js';
import { keepRunning } from './keep-running.js';
import type { EventJob } from './queue.js';
import { openWorker, type QueueSettings } from './queue-backend.js';
import { sweepInbox } from './requeue-stranded.js';

export interface WorkerSettings extends ApplyDeps, QueueSettings {
  /** Batches of events that are applied side by side. */
  concurrency?: number;
  /** How often the inbox is looked through for events that no job speaks of. */
  sweepEveryMs?: number;
}

const CLOSE_TIMEOUT_MS = 15_000;

const inTime = timeout(CLOSE_TIMEOUT_MS, TimeoutStrategy.Aggressive);

/**
 * Applies events as the queue tells of them, and sweeps the inbox for those it doesn't tell of. Survives restarts of
 * Redis and Postgres. `close` lets the batches under way end, for 15 s at most; what is left over is found again.
 */
export function createWorker(settings: WorkerSettings): { close(): Promise<void> } {
  const sweep = sweepInbox(settings, settings.sweepEveryMs ?? 5_000);
  const consumer = keepRunning<EventJob>(
    settings.log,
    (job) => applyEvents(settings, job.data.ids),
    (process) => openWorker('events', process, settings, { concurrency: settings.concurrency ?? 3 }),
  );
  return {
    async close() {
      await Promise.all([consumer.close(), inTime.execute(() => sweep.close()).catch(() => {})]);
    },
  };
}
