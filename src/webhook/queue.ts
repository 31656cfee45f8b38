import { setTimeout as delay } from 'node:timers/promises';
import type { JobsOptions } from 'bullmq';
import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Knex } from 'knex';
import { reviveEvents } from '../records/inbox/inbox-work.js';
import { logSeldom } from './log-seldom.js';
import {
  type JobQueue,
  openQueue,
  openWhenReady,
  type QueueName,
  type QueueSettings,
  type QueueState,
} from './queue-backend.js';

/** What a job of the `events` queue carries: ids of inbox rows, nothing else. */
export interface EventJob {
  ids: string[];
}

export interface EventQueue {
  /**
   * Sends stored events to the workers. Never throws, never waits: what the queue can't take within 2 s (or beyond
   * 20,000 waiting ids) is dropped, and found by the scan of the inbox (worker.ts).
   */
  enqueue(ids: string[]): void;
  /** The same with a job for each id, so that one that fails does not hold up another; a hundred calls may wait. */
  replay(ids: string[]): void;
  isOpen(): boolean;
  /** Rejects where the queue can't be asked. */
  state(): Promise<QueueState>;
  /** Hands over what waits, for 2 s at most, and disconnects. */
  close(): Promise<void>;
}

const MAX_WAITING = 20_000;
const MAX_REPLAYS = 100;
const MAX_PER_JOB = 200;
const MAX_PER_FLUSH = 10 * MAX_PER_JOB;
/** Ids of so long go into one job: calling the queue costs as much as storing dozens of events. A worker hears of them sooner (hear-events.ts). */
const GATHER_MS = 100;
const CLOSING_MS = 5;

const KEEP = { removeOnComplete: true, removeOnFail: { age: 86_400, count: 1_000 } };

/** The producer's end of the `events` queue. The inbox row is the outbox: losing a job costs seconds, never an event. */
export function createEventQueue(settings: QueueSettings): EventQueue {
  const producer = createQueueProducer<EventJob>('events', settings);
  const dropped = logSeldom(settings.log, 'events not queued');
  const replaying = new Set<Promise<void>>();
  const closing = new AbortController();
  let waiting: string[] = [];
  let flushing: Promise<void> | null = null;

  const add = (ids: string[], perJob: number) => {
    const jobs = chunks(ids, perJob).map((some) => ({ name: 'apply', data: { ids: some }, opts: KEEP }));
    return producer.add(jobs).then(() => {}, dropped);
  };
  const canFlush = () => producer.isOpen() && waiting.length > 0;

  async function drain(): Promise<void> {
    while (canFlush()) {
      await delay(GATHER_MS, undefined, { signal: closing.signal }).catch(() => {});
      const ids = waiting.slice(0, MAX_PER_FLUSH);
      waiting = waiting.slice(MAX_PER_FLUSH);
      await add(ids, MAX_PER_JOB);
    }
  }

  function flush(): void {
    flushing ??= drain().finally(() => {
      flushing = null;
      if (canFlush()) flush();
    });
  }

  void producer.opened.then(flush);

  return {
    enqueue(ids) {
      const room = Math.max(0, MAX_WAITING - waiting.length);
      if (ids.length > room) dropped(new Error(`${MAX_WAITING} ids are waiting already`));
      waiting.push(...ids.slice(0, room));
      flush();
    },
    replay(ids) {
      if (replaying.size >= MAX_REPLAYS) return dropped(new Error(`${MAX_REPLAYS} replays are waiting already`));
      const added = producer.opened.then(() => add(ids, 1)).finally(() => replaying.delete(added));
      replaying.add(added);
    },
    isOpen: () => producer.isOpen(),
    state: () => producer.state(),
    async close() {
      closing.abort();
      const deadline = performance.now() + QUEUE_TIMEOUT_MS;
      const isBusy = () => producer.isOpen() && (flushing !== null || replaying.size > 0);
      while (isBusy() && performance.now() < deadline) await delay(CLOSING_MS);
      await producer.close();
    },
  };
}

function chunks<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/**
 * Has events applied once more, whatever became of them: failed, dead, unhandled by an older version, or applied, which
 * changes nothing. Returns the ids of those that exist.
 */
export async function replayEvents(
  deps: { db: Knex; queue: Pick<EventQueue, 'replay'> },
  ids: string[],
): Promise<string[]> {
  const revived = await reviveEvents(deps.db, ids);
  if (revived.length > 0) deps.queue.replay(revived);
  return revived;
}

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
