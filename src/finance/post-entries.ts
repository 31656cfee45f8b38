import { workInMovements } from '../records/balances/balance-movements.js';
import { placePayouts } from './place-payouts.js';
import { postSlice } from './post-slice.js';
import type { PostingDeps } from './posting-deps.js';

export interface PostedCount {
  /** Records that were looked at. */
  records: number;
  entries: number;
  /** False: it was stopped, or movements are being worked in anew. */
  complete: boolean;
}

/**
 * Brings the books up to date with the records, slice by slice of their history, each in a transaction of its own with the
 * place that it has come to: so it goes on where it was cut off, and what it posts it posts once. Any number may run.
 */
export async function postEntries(deps: PostingDeps, { signal }: { signal?: AbortSignal } = {}): Promise<PostedCount> {
  const posted: PostedCount = { records: 0, entries: 0, complete: false };
  await workInMovements(deps.db, deps.table);
  for (;;) {
    if (signal?.aborted) return posted;
    const slice = await postSlice(deps);
    if (slice.outcome === 'not_ready') return posted;
    posted.records += slice.records;
    posted.entries += slice.entries;
    if (!slice.more) break;
  }
  posted.entries += await placePayouts(deps);
  return { ...posted, complete: true };
}
