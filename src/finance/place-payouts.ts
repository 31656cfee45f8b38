import { placementEntries } from '../domain/books/balance-entries.js';
import { subtractAmounts, sumAmounts } from '../domain/money.js';
import { sumMovements } from '../records/balances/balance-sums.js';
import { inTransitByMonth, unplacedOf } from '../records/books/in-transit.js';
import { openedAssets } from '../records/books/openings.js';
import { lockBooks, readPostingProgress } from '../records/books/posting-progress.js';
import { appendDrafts } from './append-drafts.js';
import { oneMoment, type PostingDeps } from './posting-deps.js';

/**
 * Puts payouts of which no record says whose they are to the operating balance, as far as its proof explains it so. Only where
 * the books are level with the movements: else what is not posted yet would count as placed. Returns how many entries it made.
 */
export async function placePayouts(deps: PostingDeps): Promise<number> {
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
