import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Logger } from '../log.js';
import { logFailure, repeat, untilClosed } from '../records/database/repeat.js';
import { claimOrphaned } from '../records/inbox/inbox-work.js';
import { type ApplyDeps, applyEvents } from './apply-events.js';
import { Batcher } from './batcher.js';
import { type HearDeps, hearEvents } from './hear-events.js';
import { logSeldom } from './log-seldom.js';
import type { EventJob } from './queue.js';
import { type JobWorker, openWhenReady, openWorker, type Processor, type QueueSettings } from './queue-backend.js';

export interface WorkerSettings extends ApplyDeps, QueueSettings, Pick<HearDeps, 'listenEveryMs'> {
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
 * Applies events as it hears of them, or as the queue names them, and scans the inbox for those that the queue lacks. Survives
 * restarts of Redis and Postgres. `close` lets the batches under way end, for 15 s at most; what is left over is found again.
 */
export function createWorker(settings: WorkerSettings): QueueConsumer {
  const batches = gatherBatches(settings, settings.concurrency ?? 3);
  const inboxScan = scanInbox({ ...settings, isBusy: () => batches.isBusy() }, settings.scanEveryMs ?? 5_000);
  const consumer = startWorkerLoop<EventJob>(
    settings.log,
    (job) => batches.submit(job.data.ids),
    (process) => openWorker('events', process, settings, { concurrency: JOBS_IN_HAND }),
  );
  // What it has no room for, and what fails, is a job's.
  const heard = hearEvents(settings, (ids) => {
    if (ids.length > 0 && batches.hasRoom(MAX_PER_BATCH)) void batches.submit(ids).catch(() => {});
  });
  return {
    isOpen: () => consumer.isOpen(),
    async close() {
      const ended = heard.close().then(() => batches.idle());
      const inboxLeft = Promise.all([ended, inboxScan.close()]);
      await Promise.all([consumer.close(), inTime.execute(() => inboxLeft).catch(() => {})]);
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
    maxWaitingItems: Number.POSITIVE_INFINITY,
    maxWaitingWeight: Number.POSITIVE_INFINITY,
    maxWaitMs: Number.POSITIVE_INFINITY,
    shedAfterMs: Number.POSITIVE_INFINITY,
  });
}

/** An event this young is most likely on its way through the queue. */
const GRACE_SECONDS = 2;
/** While more events are in hand than can be applied at once: claiming them here as well would only be work twice. */
const BUSY_GRACE_SECONDS = 60;

interface InboxScanDeps extends ApplyDeps {
  /** Whether jobs of this process wait for their turn. Left out: they never do. */
  isBusy?: () => boolean;
}

/**
 * Applies the events that no job speaks of: stored while the queue was down, flushed out of it, left by a dead worker,
 * or due for a retry. It takes them from the inbox itself, so that a queue that stays away holds nothing up. Several
 * processes may do this at once. Returns how many it took.
 */
export async function applyOrphaned(deps: InboxScanDeps, signal: AbortSignal): Promise<number> {
  let taken = 0;
  let full = true;
  while (full && !signal.aborted) {
    const graceSeconds = deps.isBusy?.() ? BUSY_GRACE_SECONDS : GRACE_SECONDS;
    const ids = await claimOrphaned(deps.db, { limit: MAX_PER_BATCH, graceSeconds });
    if (ids.length > 0) await applyEvents(deps, ids);
    taken += ids.length;
    full = ids.length === MAX_PER_BATCH;
  }
  return taken;
}

/** Does so at once and every `everyMs`, through whatever happens to the database. `close` waits for the one under way. */
function scanInbox(deps: InboxScanDeps, everyMs: number): { close(): Promise<void> } {
  const failed = logSeldom(deps.log, 'inbox scan failed');
  return untilClosed((signal) => repeat({ signal, everyMs, failed }, () => applyOrphaned(deps, signal)));
}

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
    const failed = logFailure(log, 'queue worker restarted');
    await repeat({ signal: stop.signal, everyMs: RERUN_DELAY_MS, failed }, () => opened.run());
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
