import { Router } from 'express';
import { isIsoTime } from '../../base/iso-time.js';
import { invalid } from '../../base/refusal.js';
import type { Faults } from '../../faults.js';
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
    if (page === null) {
      response.json(readPage(merchant.transactions, { query, faults, matches }).map(transactionRecord));
      return;
    }
    const rows = merchant.transactions.newestFirst().filter(matches);
    const take = query.take(20);
    response.setHeader('X-Total-Count', String(rows.length));
    response.json(rows.slice((page - 1) * take, page * take).map(transactionRecord));
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
  return Date.parse(given);
}

function readPageNumber(query: QueryReader): number | null {
  const given = query.text('page');
  if (given === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw invalid('page must be a whole number from 1 on');
  return Number(given);
}
