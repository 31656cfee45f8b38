import { setTimeout as delay } from 'node:timers/promises';
import { followSettlements } from '../records/books/settlements.js';
import { describeError } from '../records/database/database-errors.js';
import { matchOrders } from './match-orders.js';
import { postEntries } from './post-entries.js';
import type { PostingDeps } from './posting-deps.js';

const PAUSE_MS = 60_000;
/** After an upgrade all of the history is matched anew: what is new is posted meanwhile. */
const SLICES_AT_ONCE = 20;

interface LoopDeps extends PostingDeps {
  /** SETTLEMENT_DAYS */
  settlementDays: number;
}

/** Posts at once, every minute, and when it is woken. For the leader of the schedulers, though two would do no harm. */
export function createPosting(deps: LoopDeps, pauseMs = PAUSE_MS) {
  let waking = new AbortController();
  /** Until the signal. Never throws. */
  const loop = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      waking = new AbortController();
      const isPosted = await post(deps, signal);
      if (isPosted) await follow(deps, signal);
      const isMore = await match(deps, signal);
      if (isPosted && isMore) continue;
      await delay(pauseMs, undefined, { signal: AbortSignal.any([signal, waking.signal]) }).catch(() => {});
    }
  };
  /** There is something new: it does not wait for the minute to end. */
  const wake = (): void => waking.abort();
  return { loop, wake };
}

async function post(deps: LoopDeps, signal: AbortSignal): Promise<boolean> {
  try {
    const { entries } = await postEntries(deps, { signal });
    if (entries > 0) deps.log.debug({ entries }, 'entries posted');
    return true;
  } catch (error) {
    if (!signal.aborted) deps.log.warn({ error: describeError(error) }, 'posting failed');
    return false;
  }
}

async function follow(deps: LoopDeps, signal: AbortSignal): Promise<void> {
  try {
    await followSettlements(deps.db, deps, new Date());
  } catch (error) {
    if (!signal.aborted) deps.log.warn({ error: describeError(error) }, 'settlements not followed');
  }
}

async function match(deps: PostingDeps, signal: AbortSignal): Promise<boolean> {
  try {
    const payoutWords = deps.table.words.payoutType;
    return (await matchOrders({ ...deps, payoutWords }, { signal, slices: SLICES_AT_ONCE })).more;
  } catch (error) {
    if (!signal.aborted) deps.log.warn({ error: describeError(error) }, 'matching failed');
    return false;
  }
}
