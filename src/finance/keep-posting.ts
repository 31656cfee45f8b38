import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../records/database/database-errors.js';
import { matchOrders } from './matching/match-orders.js';
import { postEntries } from './post-entries.js';
import type { PostingDeps } from './posting-deps.js';

const PAUSE_MS = 60_000;

export interface Posting {
  /** Until the signal. Never throws. */
  keep(signal: AbortSignal): Promise<void>;
  /** There is something new: it does not wait for the minute to end. */
  wake(): void;
}

/** Posts at once, every minute, and when it is woken. For the leader of the schedulers, though two would do no harm. */
export function createPosting(deps: PostingDeps, pauseMs = PAUSE_MS): Posting {
  let waking = new AbortController();
  const keep = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      waking = new AbortController();
      try {
        const { entries } = await postEntries(deps, { signal });
        if (entries > 0) deps.log.debug({ entries }, 'entries were posted');
        await matchOrders(deps, { signal });
      } catch (error) {
        if (!signal.aborted)
          deps.log.warn({ error: describeError(error) }, 'entries could not be posted; they are tried again');
      }
      await delay(pauseMs, undefined, { signal: AbortSignal.any([signal, waking.signal]) }).catch(() => {});
    }
  };
  return { keep, wake: () => waking.abort() };
}
