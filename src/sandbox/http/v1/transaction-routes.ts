import { Router } from 'express';
import { isIsoTime, timeOf } from '../../base/iso-time.js';
import { invalid } from '../../base/refusal.js';
import { churnTransactions } from '../../churn.js';
import type { Faults } from '../../faults.js';
import { type Bounds, createFeedStretch } from '../../wallets/feed-stretch.js';
import { findWallet } from '../../wallets/find-wallet.js';
import { type Transaction, transactionRecord } from '../../wallets/transaction.js';
import type { V1Deps } from '../authenticate.js';
import { type QueryReader, readPage, readQuery } from '../read-page.js';

/** Specification 4.11, 4.12. */
export function transactionRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();
  const stretch = createFeedStretch();

  router.get('/accounts/transactions', (request, response) => {
    const { merchant } = authenticate(request).account;
    const { faults } = service;
    const query = readQuery(request, ['from', 'to', 'page', 'cursor', 'take'], { faults, list: 'transactions' });
    const bounds = readBounds(query, faults);
    const matches = within(bounds);
    const page = readPageNumber(query);
    // Whatever continues a reading may meet a list that moved.
    if ((page ?? 1) > 1 || query.text('cursor') !== undefined) churnTransactions(merchant);
    if (page === null) {
      response.json(readPage(merchant.transactions, { query, faults, matches }).map(transactionRecord));
      return;
    }
    const { rows, total } = offsetPage(merchant.transactions.all(), { bounds, page, take: query.take(20), stretch });
    const shown = shownTotal(total, faults);
    if (shown !== null) response.setHeader(faults.countHeader, String(shown));
    response.json(rows.map(transactionRecord));
  });

  router.get('/accounts/:id/transactions', (request, response) => {
    const { merchant } = authenticate(request).account;
    const { faults } = service;
    const { id } = findWallet(merchant, request.params.id);
    const query = readQuery(request, ['cursor', 'take'], { faults, list: 'accountTransactions' });
    const matches = ({ accountId }: Transaction): boolean => accountId === id;
    response.json(readPage(merchant.transactions, { query, faults, matches }).map(transactionRecord));
  });

  return router;
}

type FeedStretch = ReturnType<typeof createFeedStretch>;

/** Rows are newest first. There may be a million of them: they are read one by one only where their order is broken. */
function offsetPage(
  all: readonly Transaction[],
  { bounds, page, take, stretch }: { bounds: Bounds; page: number; take: number; stretch: FeedStretch },
): { rows: Transaction[]; total: number } {
  const found = stretch(all, bounds);
  const first = (page - 1) * take;
  if (!found) {
    const rows = all.filter(within(bounds)).toReversed();
    return { rows: rows.slice(first, first + take), total: rows.length };
  }
  const end = Math.max(found.end - first, found.start);
  const rows = all.slice(Math.max(end - take, found.start), end).toReversed();
  return { rows, total: found.end - found.start };
}

/** null: the header is left out. */
function shownTotal(total: number, { totalCount }: Faults): number | null {
  if (totalCount === 'missing') return null;
  return totalCount === 'wrong' ? Math.floor(total / 2) : total;
}

function readBounds(query: QueryReader, { feedBounds }: Faults): Bounds {
  const from = readTime(query, 'from') ?? Number.NEGATIVE_INFINITY;
  const to = readTime(query, 'to') ?? Number.POSITIVE_INFINITY;
  if (feedBounds === 'exclusive') return { isBefore: (at) => at <= from, isBeyond: (at) => at >= to };
  return { isBefore: (at) => at < from, isBeyond: (at) => at > to };
}

function within({ isBefore, isBeyond }: Bounds): (row: Transaction) => boolean {
  return ({ createdAt }) => !isBefore(createdAt) && !isBeyond(createdAt);
}

function readTime(query: QueryReader, name: string): number | null {
  const given = query.text(name);
  if (given === undefined) return null;
  if (!isIsoTime(given)) throw invalid(`${name} must be an ISO 8601 time`);
  return timeOf(given);
}

function readPageNumber(query: QueryReader): number | null {
  const given = query.text('page');
  if (given === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw invalid('page must be a whole number from 1 on');
  return Number(given);
}
