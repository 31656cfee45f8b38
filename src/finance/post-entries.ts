import { placementEntries } from '../domain/books/balance-entries.js';
import { subtractAmounts, sumAmounts } from '../domain/money.js';
import { workInMovements } from '../records/balances/balance-movements.js';
import { sumMovements } from '../records/balances/balance-sums.js';
import { inTransitByMonth, openedAssets, unplacedOf } from '../records/books/openings.js';
import { lockBooks, readPostingProgress } from '../records/books/posting-progress.js';
import { appendDrafts } from './append-drafts.js';
import { postSlice } from './post-slice.js';
import { oneMoment, type PostingDeps } from './posting-deps.js';

export interface PostedCount {
  /** Records that were read. */
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

/**
 * Puts payouts of which no record says whose they are to the operating balance, as far as its proof explains it so. Only where
 * the books are level with the movements: else what is not posted yet would count as placed. Returns how many entries it made.
 */
async function placePayouts(deps: PostingDeps): Promise<number> {
  return deps.db.transaction(async (trx) => {
    await lockBooks(trx);
    const progress = await readPostingProgress(trx);
    if (progress === null || progress.seq !== progress.until) return 0;
    const inTransit = await inTransitByMonth(trx);
    const assets = [...inTransit.keys()];
    if (assets.length === 0) return 0;
    // Until when the list of payouts is known decides what is proven, not what is booked.
    const about = { payoutsListedUntil: Number.POSITIVE_INFINITY, table: deps.table };
    const sums = await sumMovements(trx, assets, about);
    const books = { ...deps, trx, opened: await openedAssets(trx), written: progress.until };
    let entries = 0;
    for (const [asset, months] of inTransit) {
      const { explained, unnamed } = await unplacedOf(trx, asset);
      const byProof = subtractAmounts(sums.get(asset)?.explained ?? '0', explained);
      const correction = subtractAmounts(byProof, sumAmounts(months.map(({ amount }) => amount)));
      const drafts = placementEntries(asset, months, { isPlaced: unnamed, correction });
      entries += await appendDrafts(books, { drafts, records: [], isWhole: false });
    }
    return entries;
  }, oneMoment);
}
