import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { TimeoutStrategy, timeout } from 'cockatiel';
import { logSeldom } from './log-seldom.js';
import { type JobQueue, openQueue, openWhenReady, QUEUE_TIMEOUT_MS, type QueueSettings } from './queue-backend.js';

/** What a job of the `events` queue carries: ids of inbox rows, nothing else. */
export interface EventJob {
  ids: string[];
}

export interface EventQueue {
  /**
   * Tells the workers of stored events. Never throws, never waits: what the queue can't take within 2 s (or beyond
   * 20,000 waiting ids) is dropped, and found in the inbox by requeue-stranded.
   */
  enqueue(ids: string[]): void;
  /** The same with a job for each id, so that one that fails does not hold up another. */
  replay(ids: string[]): void;
  /** Hands over what waits, for 2 s at most, and disconnects. */
  close(): Promise<void>;
}

const MAX_WAITING = 20_000;
const MAX_PER_JOB = 200;
const MAX_PER_FLUSH = 10 * MAX_PER_JOB;
/** While events stream in, ids of this long go into one job; the first after a pause goes at once. */
const GATHER_MS = 5;

const KEEP = {
  removeOnComplete: { age: 600, count: 100 },
  removeOnFail: { age: 86_400, count: 1_000 },
};

const inTime = timeout(QUEUE_TIMEOUT_MS, TimeoutStrategy.Aggressive);

/** The producer's end of the `events` queue. The inbox row is the outbox: losing a job costs seconds, never an event. */
export function createEventQueue(settings: QueueSettings): EventQueue {
  const stop = new AbortController();
  const dropped = logSeldom(settings.log, 'events not queued, the sweep of the inbox will find them');
  let waiting: string[] = [];
  let queue: JobQueue<EventJob> | null = null;
  let flushing: Promise<void> | null = null;
  let replaying: Promise<unknown> = Promise.resolve();

  const canFlush = () => queue !== null && waiting.length > 0;
  const opened = openWhenReady(() => openQueue<EventJob>('events', settings), stop.signal).then((ready) => {
    queue = ready;
    flush();
  });

  function add(ids: string[], perJob: number): Promise<unknown> {
    const target = queue;
    if (!target) return Promise.reject(new Error('the queue is not connected'));
    return inTime.execute(() => target.addBulk(chunks(ids, perJob).map(toJob)));
  }

  async function drain(): Promise<void> {
    await nextTurn();
    while (canFlush()) {
      const ids = waiting.slice(0, MAX_PER_FLUSH);
      waiting = waiting.slice(MAX_PER_FLUSH);
      await add(ids, MAX_PER_JOB).catch(dropped);
      await delay(GATHER_MS);
    }
  }

  function flush(): void {
    flushing ??= drain().finally(() => {
      flushing = null;
      if (canFlush()) flush();
    });
  }

  return {
    enqueue(ids) {
      const room = Math.max(0, MAX_WAITING - waiting.length);
      if (ids.length > room) dropped(new Error(`${MAX_WAITING} ids are waiting already`));
      waiting.push(...ids.slice(0, room));
      flush();
    },
    replay(ids) {
      const added = opened.then(() => add(ids, 1)).catch(dropped);
      replaying = Promise.all([replaying, added]);
    },
    async close() {
      const deadline = performance.now() + QUEUE_TIMEOUT_MS;
      while (canFlush() && performance.now() < deadline) await delay(GATHER_MS);
      await inTime.execute(() => replaying).catch(() => {});
      stop.abort();
      await opened;
      const open = queue;
      queue = null;
      if (open) await inTime.execute(() => open.close()).catch(() => void open.disconnect().catch(() => {}));
    },
  };
}

function toJob(ids: string[]) {
  return { name: 'apply', data: { ids }, opts: KEEP };
}

function chunks<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
