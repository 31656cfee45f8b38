import type { Knex } from 'knex';
import { attributionEntry, openingEntry, subWalletOpeningEntry } from '../domain/books/balance-entries.js';
import { accounts } from '../domain/books/chart.js';
import { entriesOf } from '../domain/books/entries-of.js';
import type { Draft } from '../domain/books/entry.js';
import type { Append } from '../domain/books/plan-posting.js';
import { subtractAmounts, sumAmounts } from '../domain/money.js';
import { verifyBreaks, verifyGiven } from '../records/audit/verify-given.js';
import { findingOf, type ReportFinding } from '../records/audit/verify-head.js';
import { verifyColumns, verifyKept, verifyMovements } from '../records/audit/verify-kept.js';
import { verifyMonths } from '../records/audit/verify-months.js';
import { verifyPaymentRates, verifyRates, verifyShownRates } from '../records/audit/verify-rates.js';
import {
  verifyBalancePolls,
  verifyGone,
  verifyInvoices,
  verifyOrders,
  verifyRecords,
} from '../records/audit/verify-records.js';
import { movingKinds } from '../records/balances/balance-records.js';
import { sumMovements } from '../records/balances/balance-sums.js';
import { keptTotals } from '../records/books/account-totals.js';
import { readBookRecords } from '../records/books/book-records.js';
import {
  openedAssets,
  openings,
  postedAttributions,
  subWalletOpenings,
  unprovenOpenings,
} from '../records/books/openings.js';
import {
  bookedIds,
  detours,
  hasProgress,
  isLevel,
  unfoundedEntries,
  unpostedOf,
} from '../records/books/posted-records.js';
import type { Trx } from '../records/database/statements.js';
import { planDrafts } from './append-drafts.js';
import { placementDrafts } from './post-entries.js';
import type { Books, PostingDeps } from './posting-deps.js';

export interface VerifyBooksOptions {
  reportFinding: ReportFinding;
  /** Lines are read of this month and the newest closed one alone; left out: every line. */
  month?: string;
  /** Of which month the records are derived anew; null: of all; left out: none is. */
  records?: string | null;
}

type BooksDeps = Pick<PostingDeps, 'db' | 'table' | 'timeZone' | 'currency'>;

/** Holds the books against themselves, against what was stored and sealed, and against what they are derived from. Reads only. */
export async function verifyBooks(
  deps: BooksDeps,
  { reportFinding, month, records }: VerifyBooksOptions,
): Promise<void> {
  await oneSnapshot(deps.db, (trx) => verifyMonths(trx, reportFinding, month ?? null));
  await oneSnapshot(deps.db, (trx) => verifyBalances({ ...deps, trx }, reportFinding));
  if (records === undefined) return;
  await oneSnapshot(deps.db, async (trx) => {
    await verifyUnfounded(trx, reportFinding);
    await verifyDetours(trx, reportFinding);
    await verifyGiven(trx, reportFinding);
    await verifyRates(trx, reportFinding, records);
    await verifyShownRates(trx, reportFinding, records);
    // A closing names those of its own among its exceptions.
    if (records === null) await verifyBreaks(trx, reportFinding);
    await verifyKept(trx, reportFinding);
  });
  if (records === null) await verifyOrdered(deps.db, reportFinding);
  for (const kind of movingKinds)
    for await (const ids of bookedIds(deps.db, kind, records))
      await oneSnapshot(deps.db, async (trx) => {
        await verifyColumns(trx, kind, ids, reportFinding);
        await verifyRecords(trx, kind, ids, reportFinding);
        const books = await booksOf({ ...deps, trx });
        // What is to be posted still is no difference: it comes with the next posting.
        const waiting = await unpostedOf(trx, kind, ids);
        const found = await readBookRecords(trx, kind, waiting === null ? [] : ids.filter((id) => !waiting.has(id)));
        const known = found.map(({ id }) => id);
        await verifyMovements(trx, { kind, ids: known, table: deps.table }, reportFinding);
        if (kind === 'payment_intent')
          await verifyPaymentRates(trx, new Map(found.map(({ id, fields }) => [id, fields])), reportFinding);
        const drafts = found.flatMap((record) => entriesOf(record, deps.table.choices));
        reportAppends(await planDrafts(books, { drafts, records: found, isWhole: true }), reportFinding);
      });
}

/** What an order is released by, beside what moves balances. */
async function verifyOrdered(db: Knex, reportFinding: ReportFinding): Promise<void> {
  await oneSnapshot(db, async (trx) => {
    await verifyOrders(trx, reportFinding);
    await verifyInvoices(trx, reportFinding);
    await verifyBalancePolls(trx, reportFinding);
    await verifyGone(trx, reportFinding);
  });
}

/** All of it, as what is verified with all seals. */
export function wholeBooks(deps: BooksDeps): (reportFinding: ReportFinding) => Promise<void> {
  return (reportFinding) => verifyBooks(deps, { reportFinding, records: null });
}

/** Within a transaction it is that one's. */
async function oneSnapshot<T>(db: Knex, work: (trx: Trx) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Trx);
  return db.transaction(work, { isolationLevel: 'repeatable read', readOnly: true });
}

type InTransaction = Omit<BooksDeps, 'db'> & { trx: Trx };

async function booksOf({ trx, timeZone, currency }: InTransaction): Promise<Books> {
  return { trx, timeZone, currency, opened: await openedAssets(trx), written: '0' };
}

/**
 * Of each asset the books hold what its balance is proven by, to the last digit; and openings, attributions and placed payouts are what they
 * come to. Only where all that is known is posted: else the next posting makes the difference.
 */
async function verifyBalances(deps: InTransaction, reportFinding: ReportFinding): Promise<void> {
  const { trx, table } = deps;
  for (const { assetCode, opened, proven } of await unprovenOpenings(trx)) {
    const message = `the books of ${assetCode} open with ${opened}, and its balance is proven from ${proven ?? 'nothing'}`;
    reportFinding(findingOf('balance_differs', message, { log: 'opened_assets', from: assetCode }));
  }
  if (!(await isLevel(trx))) return;
  const books = await booksOf(deps);
  const opened = await openings(trx);
  const assets = opened.map(({ assetCode }) => assetCode);
  const sums = await sumMovements(trx, assets, { payoutsListedUntil: Number.POSITIVE_INFINITY, table });
  const placements = await placementDrafts(trx, async () => sums);
  // Payouts are placed after the rest is posted.
  if ((await planDrafts(books, { drafts: placements, records: [], isWhole: true })).length > 0) return;
  const held = new Map(
    (await keptTotals(trx, '9999-12'))
      .filter(({ account }) => account === accounts.operating)
      .map(({ assetCode, closing }) => [assetCode, closing]),
  );
  for (const { assetCode, balance } of opened) {
    const { explained = '0', known = '0', attributed = '0' } = sums.get(assetCode) ?? {};
    const proven = sumAmounts([balance, explained, known, attributed]);
    const booked = held.get(assetCode) ?? '0';
    held.delete(assetCode);
    if (booked !== proven) reportFinding(balanceFinding(assetCode, booked, proven));
  }
  for (const [assetCode, booked] of held) reportFinding(balanceFinding(assetCode, booked, '0'));
  const wallets = (await subWalletOpenings(trx, assets, [])).map((one) => subWalletOpeningEntry(one.account, one));
  const attributions = (await postedAttributions(trx)).map(attributionEntry);
  const drafts: Draft[] = [...opened.map(openingEntry), ...wallets, ...attributions];
  reportAppends(await planDrafts(books, { drafts, records: [], isWhole: true }), reportFinding);
}

function balanceFinding(assetCode: string, booked: string, proven: string) {
  const message = `the books hold ${booked} ${assetCode} on ${accounts.operating}, and the balance is proven by ${proven}: a difference of ${subtractAmounts(booked, proven)}`;
  return findingOf('balance_differs', message, { log: 'accounts', from: assetCode });
}

async function verifyUnfounded(trx: Trx, reportFinding: ReportFinding): Promise<void> {
  if (!(await hasProgress(trx)))
    reportFinding(
      findingOf(
        'entry_differs',
        'no row says how far the entries are posted, or one says further than the history of changes goes',
        { log: 'entries', from: '0' },
      ),
    );
  for (const { id, recordKind, recordId } of await unfoundedEntries(trx)) {
    const message = `entry ${id} is of ${recordKind} ${recordId}, and there is none such`;
    reportFinding(findingOf('entry_differs', message, { log: 'entries', from: id, rows: 1 }));
  }
}

/** The program takes back only what is shown otherwise, and only a state changes by a difference. */
async function verifyDetours(trx: Trx, reportFinding: ReportFinding): Promise<void> {
  for (const { id, recordKind, recordId } of await detours(trx)) {
    const message = `entry ${id} of ${recordKind} ${recordId} takes back or changes what was said already, and says the same`;
    reportFinding(findingOf('entry_differs', message, { log: 'entries', from: id, rows: 1 }));
  }
}

function reportAppends(appends: readonly Append[], reportFinding: ReportFinding): void {
  for (const { recordKind, recordId, key, lines } of appends) {
    const missing = lines.map(({ account, amount, assetCode }) => `${account} ${amount} ${assetCode}`).join('; ');
    const message = `the entries of ${recordKind} ${recordId} (${key}) are not what it comes to: ${missing} would be posted`;
    reportFinding(findingOf('entry_differs', message, { log: 'entries', from: recordId }));
  }
}
