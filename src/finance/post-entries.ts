import {
  attributionEntry,
  openingEntry,
  placementEntries,
  subWalletOpeningEntry,
} from '../domain/books/balance-entries.js';
import { entriesOf } from '../domain/books/entries-of.js';
import type { BookChoices, Draft } from '../domain/books/entry.js';
import { stoodAtOpening } from '../domain/books/lines.js';
import { passedDisputes } from '../domain/books/passed-disputes.js';
import { subtractAmounts, sumAmounts } from '../domain/money.js';
import { workInMovements } from '../records/balances/balance-movements.js';
import { sumMovements } from '../records/balances/balance-sums.js';
import { type ReadRecord, readBookRecords } from '../records/books/book-records.js';
import {
  inTransit,
  openAssets,
  openedAssets,
  subWalletOpenings,
  unplacedOf,
  unpostedAttributions,
} from '../records/books/openings.js';
import { lockBooks, readPostingProgress, savePostingProgress } from '../records/books/posting-progress.js';
import { nextTouched, type TouchedIds } from '../records/books/touched-records.js';
import { freshStatistics } from '../records/database/fresh-statistics.js';
import type { Trx } from '../records/database/statements.js';
import { appendDrafts } from './append-drafts.js';
import { type Books, oneMoment, type PostingDeps } from './posting-deps.js';

export interface PostedCount {
  records: number;
  entries: number;
  /** False: it was stopped, or movements are being worked in anew. */
  complete: boolean;
}

/** Brings the books up to date, each slice with its place in one transaction: cut off, it goes on there. Any number may run. */
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
    await freshStatistics(deps.db);
  }
  posted.entries += await placePayouts(deps);
  return { ...posted, complete: true };
}

type Slice =
  | { outcome: 'posted'; records: number; entries: number; more: boolean }
  /** No movements were worked in yet, or they are being worked in anew. */
  | { outcome: 'not_ready' };

/** Posts what the next records of the history, and openings and attributions since, come to. */
async function postSlice(deps: PostingDeps): Promise<Slice> {
  return deps.db.transaction(async (trx): Promise<Slice> => {
    await lockBooks(trx);
    const progress = await readPostingProgress(trx);
    if (progress === null) return { outcome: 'not_ready' };
    const openings = await openAssets(trx);
    const books: Books = { ...deps, trx, opened: await openedAssets(trx), written: progress.until };
    const touched = await nextTouched(trx, progress);
    const records = await readRecords(trx, touched.ids);
    const opened = openings.map(({ assetCode }) => assetCode);
    const accounts = await subWalletOpenings(trx, opened, accountsOf(records));
    const drafts: Draft[] = [
      ...openings.map(openingEntry),
      ...accounts.map((one) => subWalletOpeningEntry(one.account, one)),
    ];
    const entries =
      (await appendDrafts(books, { drafts, records: [], isWhole: false })) +
      (await postAttributions(books)) +
      (await postPassed(books, records, deps.table.choices)) +
      (await appendDrafts(books, {
        drafts: records.flatMap((record) => entriesOf(record, deps.table.choices)),
        records,
        isWhole: true,
      }));
    await savePostingProgress(trx, touched.seq);
    return { outcome: 'posted', records: records.length, entries, more: touched.more };
  }, oneMoment);
}

/** What finance attributed, and each of its rebookings upon the one before. */
async function postAttributions(books: Books): Promise<number> {
  let entries = 0;
  for (;;) {
    const drafts = (await unpostedAttributions(books.trx)).map(attributionEntry);
    const appended = await appendDrafts(books, { drafts, records: [], isWhole: false });
    if (appended === 0) return entries;
    entries += appended;
  }
}

/** Disputes that opened and ended since the last posting. */
async function postPassed(books: Books, records: readonly ReadRecord[], choices: BookChoices): Promise<number> {
  const found = records
    .map((record) => ({ record, stages: passedDisputes(record, choices) }))
    .filter(({ stages }) => stages.length > 0);
  let entries = 0;
  for (let n = 0; n < Math.max(0, ...found.map(({ stages }) => stages.length)); n += 1) {
    const drafts = found.flatMap(({ stages }) => stages[n] ?? []);
    entries += await appendDrafts(books, { drafts, records: found.map(({ record }) => record), isWhole: false });
  }
  return entries;
}

async function readRecords(trx: Trx, ids: TouchedIds): Promise<ReadRecord[]> {
  const found: ReadRecord[] = [];
  for (const [kind, list] of ids) found.push(...(await readBookRecords(trx, kind, list)));
  return found;
}

/** Sub-wallets of which something that stood at the opening may be shown otherwise now. */
function accountsOf(records: readonly ReadRecord[]): { account: string; assetCode: string }[] {
  return records
    .flatMap(({ moved }) => moved)
    .flatMap((moved) => {
      const { account, assetCode } = moved;
      return account !== null && assetCode !== null && stoodAtOpening(moved) ? [{ account, assetCode }] : [];
    });
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
    // Until when the list of payouts is known decides what is proven, not what is booked.
    const about = { payoutsListedUntil: Number.POSITIVE_INFINITY, table: deps.table };
    const opened = await openedAssets(trx);
    const drafts = await placementDrafts(trx, (assets) => sumMovements(trx, assets, about));
    const books = { ...deps, trx, opened, written: progress.until };
    return appendDrafts(books, { drafts, records: [], isWhole: true });
  }, oneMoment);
}

/** `sumsOf`: what moved the balances of assets. Payouts of which no record says whose they are, as far as the proof explains them so. */
export async function placementDrafts(
  trx: Trx,
  sumsOf: (assets: string[]) => Promise<ReadonlyMap<string, { explained: string }>>,
): Promise<Draft[]> {
  const waiting = await inTransit(trx);
  if (waiting.size === 0) return [];
  const sums = await sumsOf([...waiting.keys()]);
  const drafts: Draft[] = [];
  for (const [asset, days] of waiting) {
    const { explained, unnamed } = await unplacedOf(trx, asset);
    const byProof = subtractAmounts(sums.get(asset)?.explained ?? '0', explained);
    const correction = subtractAmounts(byProof, sumAmounts(days.map(({ amount }) => amount)));
    drafts.push(...placementEntries(asset, days, { isPlaced: unnamed, correction }));
  }
  return drafts;
}
