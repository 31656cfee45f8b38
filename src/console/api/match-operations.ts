import { todayIn } from '../../domain/books/match/ageing.js';
import { matchShape, matchSummaryShape } from '../../domain/books/match/match-shapes.js';
import { unprovenBalances } from '../../records/balances/balance-proofs.js';
import { listMatches, matchSummary } from '../../records/books/match/list-matches.js';
import { matchBehind } from '../../records/books/match/match-progress.js';
import type { ApiDeps } from '../api-deps.js';
import { matchQuery, matchWords } from '../match-query.js';
import { listQuery, pageOf } from './list-query.js';
import { type Operation, operation } from './operation.js';

/** The three-way match as it stands: a list, and what it adds up to. */
export const matchOperations: readonly Operation[] = [
  operation({
    id: 'listMatches',
    method: 'get',
    path: '/match',
    group: 'Books',
    summary: 'List what is matched, and what is not',
    description: 'Newest first, paged by key. `state` may be `open`: all that is not matched.',
    query: listQuery(matchWords),
    answers: { 200: { description: 'A page.', shape: pageOf(matchShape) } },
    answer: async (deps, { query }) => {
      const { take, cursor, ...filters } = query as { take?: number; cursor?: string } & Record<string, string>;
      return { body: await listMatches(deps.db, { take, cursor, ...matchQuery(filters) }, dayOf(deps)) };
    },
  }),
  operation({
    id: 'getMatchSummary',
    method: 'get',
    path: '/match/summary',
    group: 'Books',
    summary: 'What is matched by age and asset',
    answers: { 200: { description: 'As it stands.', shape: matchSummaryShape } },
    answer: async (deps) => {
      const { db, books } = deps;
      const { today } = dayOf(deps);
      const [totals, behindSince, unproven] = await Promise.all([
        matchSummary(db, { today }),
        matchBehind(db),
        unprovenBalances(db),
      ]);
      return { body: { asOf: today, currency: books.currency, ...totals, unproven, behindSince } };
    },
  }),
];

function dayOf({ books }: ApiDeps): { today: string; timeZone: string } {
  return { today: todayIn(books.timeZone, new Date()), timeZone: books.timeZone };
}
