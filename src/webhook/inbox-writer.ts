import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isPassing } from '../records/database/database-errors.js';
import { type Arrival, insertNew, type StoredArrival, storeRepeats } from '../records/inbox/inbox.js';
import { Batcher } from './batcher.js';

export interface InboxWriter {
  /**
   * Resolves when the arrival is committed. Rejects when it was not, or when that is not known: the sender should
   * send it again. Rejects at once with OverloadedError while too many wait.
   */
  store(arrival: Arrival): Promise<StoredArrival>;
  /** Waits for what was handed in before. */
  close(): Promise<void>;
}

const LIMITS = {
  maxItems: 200,
  maxWeight: 4 * 1024 * 1024,
  maxWaitingItems: 10_000,
  maxWaitingWeight: 64 * 1024 * 1024,
  maxWaitMs: 5_000,
  shedAfterMs: 2_000,
};

/**
 * Group commit: the arrivals of many requests go into one statement. New keys are inserted in one lane; repeats of known
 * keys, which have to wait for whoever works on their row, are counted in another, so that they delay nobody else.
 */
export function createInboxWriter({ db, onStored }: { db: Knex; onStored: (ids: string[]) => void }): InboxWriter {
  const weightOf = (arrival: Arrival) => arrival.body.length;
  const announce = (outcomes: PromiseSettledResult<StoredArrival | null>[]) => {
    const ids = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' && outcome.value?.open ? [outcome.value.id] : [],
    );
    if (ids.length > 0) setImmediate(onStored, ids);
    return outcomes;
  };
  const fresh = new Batcher<Arrival, StoredArrival | null>({
    ...LIMITS,
    concurrency: 3,
    weightOf,
    flush: async (arrivals) => announce(await flushSafely(arrivals, (items) => insertNew(db, items))),
  });
  const repeats = new Batcher<Arrival, StoredArrival>({
    ...LIMITS,
    concurrency: 2,
    weightOf,
    flush: async (arrivals) => {
      const outcomes = await flushSafely(arrivals, (items) => storeRepeats(db, items));
      announce(outcomes);
      return outcomes;
    },
  });
  return {
    async store(arrival) {
      return (await fresh.submit(arrival)) ?? repeats.submit(arrival);
    },
    async close() {
      await fresh.idle();
      // Those that turned out to be repeats are handed over in the turn after.
      await new Promise((resolve) => setImmediate(resolve));
      await repeats.idle();
    },
  };
}

const MAX_ATTEMPTS = 4;
const DEADLINE_MS = 6_000;
/** The last is what sessions hear when Postgres is restarted. */
const LOST = new Set(['ECONNRESET', 'EPIPE', '57P01']);

/**
 * Writes a batch so that one bad item does not fail its neighbours: what the database refuses as a whole is tried item by
 * item. Deadlocks are retried; a connection that was lost meanwhile is retried once, on another. Whoever still waits
 * after 6 s gets that error. The write must be idempotent: a lost connection does not show whether it was committed.
 */
async function flushSafely<T, R>(items: T[], write: (items: T[]) => Promise<R[]>): Promise<PromiseSettledResult<R>[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not written within ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  try {
    return await Promise.race([attempt(items, write), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function attempt<T, R>(items: T[], write: (items: T[]) => Promise<R[]>): Promise<PromiseSettledResult<R>[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      const results = await write(items);
      return results.map((value) => ({ status: 'fulfilled', value }));
    } catch (error) {
      const kind = kindOf(error);
      if (tries < (kind === 'conflict' ? MAX_ATTEMPTS : kind === 'lost' ? 2 : 1)) {
        await delay(Math.random() * 20 * tries);
        continue;
      }
      if (kind !== 'refused' || items.length === 1) throw error;
      return oneByOne(items, write);
    }
  }
}

async function oneByOne<T, R>(items: T[], write: (items: T[]) => Promise<R[]>): Promise<PromiseSettledResult<R>[]> {
  const outcomes: PromiseSettledResult<R>[] = [];
  for (const item of items) {
    const [outcome] = await attempt([item], write).catch((reason: unknown) => [
      { status: 'rejected', reason } as const,
    ]);
    if (outcome) outcomes.push(outcome);
  }
  return outcomes;
}

/**
 * `conflict`: deadlock or serialization failure. `lost`: the connection broke. `refused`: the database checked the rows
 * and said no. `unavailable`: anything else, such as a database that is down, full or too slow.
 */
function kindOf(error: unknown): 'conflict' | 'lost' | 'refused' | 'unavailable' {
  if (!(error instanceof Error)) return 'unavailable';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === '40P01' || code === '40001') return 'conflict';
  if (LOST.has(code) || /^Connection terminated|not queryable$/.test(error.message)) return 'lost';
  return /^[0-9A-Z]{5}$/.test(code) && !isPassing(error) ? 'refused' : 'unavailable';
}
