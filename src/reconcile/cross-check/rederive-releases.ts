import type { ReleaseRules } from '../../domain/orders/order-facts.js';
import { rederiveSlice } from '../../records/orders/rederive-releases.js';
import { showSliceAgain } from '../../records/orders/show-again.js';
import type { ReconcileDeps } from '../deps.js';
import { NOTHING, writeFenced } from '../write-fenced.js';

/**
 * Orders keep the release that they were derived with until one of their records changes. So where the rules of the release
 * are others than when they were last derived, all that hang on them are derived anew: slice by slice, going on where a
 * process before stopped.
 */
export async function rederiveReleases(
  { db, now, ...rules }: Pick<ReconcileDeps, 'db' | 'now' | 'adoptedAt' | keyof ReleaseRules>,
  signal?: AbortSignal,
): Promise<void> {
  const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
  for (;;) {
    signal?.throwIfAborted();
    const left: boolean[] = [];
    await writeFenced({ db, now, tally, fence: null }, async (trx) => {
      const context = { ...rules, now: now() };
      left.push((await showSliceAgain(trx, context)) || (await rederiveSlice(trx, context)));
      return NOTHING;
    });
    if (left.at(-1) !== true) return;
  }
}
