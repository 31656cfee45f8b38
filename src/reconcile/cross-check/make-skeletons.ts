import { fillSkeletons } from '../../records/orders/look-alikes.js';
import type { ReconcileDeps } from '../deps.js';
import { NOTHING, writeFenced } from '../write-fenced.js';

/** Makes the skeletons of references that are missing, slice by slice. */
export async function makeSkeletons(
  { db, now }: Pick<ReconcileDeps, 'db' | 'now'>,
  signal?: AbortSignal,
): Promise<void> {
  const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
  const left: boolean[] = [];
  do {
    signal?.throwIfAborted();
    await writeFenced({ db, now, tally, fence: null }, async (trx) => {
      left.push(await fillSkeletons(trx));
      return NOTHING;
    });
  } while (left.at(-1) === true);
}
