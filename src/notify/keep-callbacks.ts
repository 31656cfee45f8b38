import { setTimeout as delay } from 'node:timers/promises';
import { pruneCallbacks } from '../records/callbacks/callback-backlog.js';
import { collectCallbacks } from '../records/callbacks/collect-callbacks.js';
import { describeError } from '../records/database/database-errors.js';
import { type CallbackDeps, keepSendingCallbacks } from './send-callbacks.js';

const PAUSE_MS = 1_000;
const PRUNE_EVERY_MS = 3_600_000;

/**
 * Tells the store of every order that changes, until the signal. For the leader of the schedulers; while one follows
 * another both may be at work, and no order is told of twice at once or backwards. Never throws.
 */
export async function keepCallbacks(deps: CallbackDeps, signal: AbortSignal): Promise<void> {
  await Promise.all([keepCollecting(deps, signal), keepSendingCallbacks(deps, signal)]);
}

async function keepCollecting(deps: CallbackDeps, signal: AbortSignal): Promise<void> {
  let prunedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    try {
      while (await collectCallbacks(deps.db, deps)) if (signal.aborted) return;
      if (deps.keepDays !== undefined && performance.now() - prunedAt > PRUNE_EVERY_MS) {
        await pruneCallbacks(deps.db, { days: deps.keepDays });
        prunedAt = performance.now();
      }
    } catch (error) {
      deps.log.warn({ error: describeError(error) }, 'callback scan failed');
    }
    await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
}
