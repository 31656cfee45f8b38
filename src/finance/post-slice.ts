import type { Knex } from 'knex';
import { attributionEntry, openingEntry, subWalletOpeningEntry } from '../domain/books/balance-entries.js';
import { entriesOf } from '../domain/books/entries-of.js';
import type { Draft } from '../domain/books/entry.js';
import { stoodAtOpening } from '../domain/books/lines.js';
import { type ReadRecord, readBookRecords } from '../records/books/book-records.js';
import { openAssets, openedAssets, subWalletOpenings, unpostedAttributions } from '../records/books/openings.js';
import { lockBooks, readPostingProgress, savePostingProgress } from '../records/books/posting-progress.js';
import { nextTouched, type TouchedIds } from '../records/books/touched-records.js';
import { appendDrafts } from './append-drafts.js';
import { type Books, oneMoment, type PostingDeps } from './posting-deps.js';

export type Slice =
  | { outcome: 'posted'; records: number; entries: number; more: boolean }
  /** No movements were worked in yet, or they are being worked in anew. */
  | { outcome: 'not_ready' };

/** Posts what the next records of the history, and openings and attributions since, come to. */
export async function postSlice(deps: PostingDeps): Promise<Slice> {
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
      ...(await unpostedAttributions(trx)).map(attributionEntry),
    ];
    const entries =
      (await appendDrafts(books, { drafts, records: [], isWhole: false })) +
      (await appendDrafts(books, {
        drafts: records.flatMap((record) => entriesOf(record, deps.table.choices)),
        records,
        isWhole: true,
      }));
    await savePostingProgress(trx, touched.seq);
    return { outcome: 'posted', records: records.length, entries, more: touched.more };
  }, oneMoment);
}

async function readRecords(trx: Knex.Transaction, ids: TouchedIds): Promise<ReadRecord[]> {
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
