import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { claimOrphaned, reviveEvents } from '../records/inbox/inbox-work.js';
import { type ApplyDeps, applyEvents } from './apply-events.js';
import { logSeldom } from './log-seldom.js';
import type { EventQueue } from './queue.js';

const BATCH = 200;
/** An event this young is most likely on its way through the queue. */
const GRACE_SECONDS = 2;
/** While more events are in hand than can be applied at once: claiming them here as well would only be work twice. */
const BUSY_GRACE_SECONDS = 60;

export interface InboxScanDeps extends ApplyDeps {
  /** Whether jobs of this process wait for their turn. Left out: they never do. */
  isBusy?: () => boolean;
}

/**
 * Applies the events that no job speaks of: stored while the queue was down, flushed out of it, left by a dead worker,
 * or due for a retry. It takes them from the inbox itself, so that a queue that stays away holds nothing up. Several
 * processes may do this at once. Returns how many it took.
 */
export async function requeueOrphaned(deps: InboxScanDeps, signal: AbortSignal): Promise<number> {
  let taken = 0;
  let full = true;
  while (full && !signal.aborted) {
    const graceSeconds = deps.isBusy?.() ? BUSY_GRACE_SECONDS : GRACE_SECONDS;
    const ids = await claimOrphaned(deps.db, { limit: BATCH, graceSeconds });
    if (ids.length > 0) await applyEvents(deps, ids);
    taken += ids.length;
    full = ids.length === BATCH;
  }
  return taken;
}

/** Does so at once and every `everyMs`, through whatever happens to the database. `close` waits for the one under way. */
export function scanInbox(deps: InboxScanDeps, everyMs: number): { close(): Promise<void> } {
  const stop = new AbortController();
  const onError = logSeldom(deps.log, 'inbox scan failed');
  const ended = (async () => {
    while (!stop.signal.aborted) {
      await requeueOrphaned(deps, stop.signal).catch(onError);
      await delay(everyMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();
  return {
    close: () => {
      stop.abort();
      return ended;
    },
  };
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
