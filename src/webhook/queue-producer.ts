import type { JobsOptions } from 'bullmq';
import { TimeoutStrategy, timeout } from 'cockatiel';
import {
  type JobQueue,
  openQueue,
  openWhenReady,
  type QueueName,
  type QueueSettings,
  type QueueState,
} from './queue-backend.js';

/** The sender's end of a queue that may be away at any time. */
export interface QueueProducer<T> {
  /** Once it was connected for the first time, or closed before. */
  opened: Promise<void>;
  isOpen(): boolean;
  /** Rejects where the queue is not connected, refuses, or does not answer within 2 s; then it may have taken them. */
  add(jobs: { name: string; data: T; opts?: JobsOptions }[]): Promise<{ id?: string | undefined }[]>;
  /** Rejects as `add` does. */
  state(): Promise<QueueState>;
  close(): Promise<void>;
}

/** Redis that is down leaves `queue.add` hanging for long. */
export const QUEUE_TIMEOUT_MS = 2_000;

const inTime = timeout(QUEUE_TIMEOUT_MS, TimeoutStrategy.Aggressive);

export function createQueueProducer<T>(name: QueueName, settings: QueueSettings): QueueProducer<T> {
  const stop = new AbortController();
  let queue: JobQueue<T> | null = null;
  const opened = openWhenReady(settings.log, () => openQueue<T>(name, settings), stop.signal).then((ready) => {
    queue = ready;
  });
  async function ask<R>(question: (open: JobQueue<T>) => Promise<R>): Promise<R> {
    const open = queue;
    if (!open) throw new Error('the queue is not connected');
    return inTime.execute(() => question(open));
  }
  return {
    opened,
    isOpen: () => queue !== null,
    add: (jobs) => ask((open) => open.addBulk(jobs)),
    state: () => ask((open) => open.state()),
    async close() {
      stop.abort();
      await opened;
      const open = queue;
      queue = null;
      if (open) await inTime.execute(() => open.close()).catch(() => void open.disconnect().catch(() => {}));
    },
  };
}
