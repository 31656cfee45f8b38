import type { Knex } from 'knex';
import { type Arrival, insertNew, type StoredArrival } from '../records/inbox/inbox.js';
import { storeRepeats } from '../records/inbox/store-arrivals.js';
import { Batcher } from './batcher.js';
import { flushSafely } from './flush-safely.js';

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
