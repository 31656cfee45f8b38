import { Router } from 'express';
import { isIsoTime, timeOf } from '../../base/iso-time.js';
import type { Records } from '../../base/records.js';
import { invalid } from '../../base/refusal.js';
import type { Faults } from '../../faults.js';
import { churnMovements } from '../../wallets/churn-movements.js';
import { findWallet } from '../../wallets/find-wallet.js';
import { type Transaction, transactionRecord } from '../../wallets/transaction.js';
import { readPage } from '../read-page.js';
import { type QueryReader, readQuery } from '../request-query.js';
import type { V1Deps } from './v1-deps.js';

/** Specification 4.11, 4.12. */
export function transactionRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();

  router.get('/accounts/transactions', (request, response) => {
    const { merchant } = authenticate(request).account;
    const { faults } = service;
    const query = readQuery(request, ['from', 'to', 'page', 'cursor', 'take'], { faults, list: 'transactions' });
    const matches = between(query, faults);
    const page = readPageNumber(query);
    // Whatever continues a reading may meet a list that moved.
    if ((page ?? 1) > 1 || query.text('cursor') !== undefined) churnMovements(merchant);
    if (page === null) {
      response.json(readPage(merchant.transactions, { query, faults, matches }).map(transactionRecord));
      return;
    }
    const { rows, total } = offsetPage(merchant.transactions, { matches, page, take: query.take(20) });
    const shown = shownTotal(total, faults);
    if (shown !== null) response.setHeader('X-Total-Count', String(shown));
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

/** Counts without a copy of the list: it may hold a million rows. */
function offsetPage<T>(
  records: Records<T>,
  { matches, page, take }: { matches: (row: T) => boolean; page: number; take: number },
): { rows: T[]; total: number } {
  const all = records.all();
  const first = (page - 1) * take;
  const rows: T[] = [];
  let total = 0;
  for (let at = all.length - 1; at >= 0; at -= 1) {
    const row = all[at];
    if (row === undefined || !matches(row)) continue;
    if (total >= first && rows.length < take) rows.push(row);
    total += 1;
  }
  return { rows, total };
}

/** null: the header is left out. */
function shownTotal(total: number, { totalCount }: Faults): number | null {
  if (totalCount === 'missing') return null;
  return totalCount === 'wrong' ? Math.floor(total / 2) : total;
}

function between(query: QueryReader, { feedBounds }: Faults): (row: Transaction) => boolean {
  const from = readTime(query, 'from') ?? Number.NEGATIVE_INFINITY;
  const to = readTime(query, 'to') ?? Number.POSITIVE_INFINITY;
  if (feedBounds === 'exclusive') return ({ createdAt }) => createdAt > from && createdAt < to;
  return ({ createdAt }) => createdAt >= from && createdAt <= to;
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
