import { z } from 'zod';
import { todayIn } from '../../domain/books/match/ageing.js';
import { matchShape, matchSummaryShape } from '../../domain/books/match/match-shapes.js';
import { isMonth } from '../../domain/books/posting-month.js';
import { differences, settlementShape } from '../../domain/settlements/settlement.js';
import type { Verdict } from '../../domain/two-people.js';
import { monthAccountsShape, periodCheckShape, periodShape } from '../../domain/views/books-shapes.js';
import { decisionShape } from '../../domain/views/operation-shapes.js';
import { described } from '../../domain/views/parts.js';
import { decide } from '../../finance/decisions/decisions.js';
import { markRequest } from '../../finance/decisions/money-decisions.js';
import { monthAccounts } from '../../finance/exports/month-accounts.js';
import { checkPeriod } from '../../finance/periods/check-period.js';
import { closePeriod } from '../../finance/periods/close-period.js';
import { reopenPeriod } from '../../finance/periods/reopen-period.js';
import { unprovenBalances } from '../../records/balances/balance-proofs.js';
import { listMatches, matchSummary } from '../../records/books/match/list-matches.js';
import { matchBehind } from '../../records/books/match/match-progress.js';
import { incomeOfBreaks } from '../../records/books/period-facts.js';
import { getPeriod } from '../../records/books/periods.js';
import { listSettlements, markSettlement } from '../../records/books/settlements.js';
import type { ApiDeps } from '../api-deps.js';
import { closingDeps } from '../four-eyes.js';
import { matchQuery, matchWords } from '../match-query.js';
import { badRequest, conflict, notHere } from '../problem.js';
import { note, optionalNote } from './keep-action.js';
import { listQuery, pageOf } from './list-query.js';
import { type Operation, operation } from './operation.js';

const params = { month: { description: 'The month.', example: '2026-10' } };

/** What is missing to close a month; closing and reopening it. */
export const periodOperations: readonly Operation[] = [
  operation({
    id: 'checkPeriod',
    method: 'get',
    path: '/periods/{month}/check',
    group: 'Books',
    summary: 'What is missing to close a month',
    params,
    answers: { 200: { description: 'The gravest first.', shape: periodCheckShape } },
    answer: async ({ db, books }, asked) => {
      const month = monthOf(asked.params);
      const checked = await checkPeriod(db, month, { ...books, now: new Date() });
      return { body: { ...checked, doubtedIncome: await incomeOfBreaks(db, month, books.currency) } };
    },
  }),
  operation({
    id: 'listMonthAccounts',
    method: 'get',
    path: '/periods/{month}/accounts',
    group: 'Books',
    summary: 'What each account opened and closed a month with, in units and in money',
    description: 'Of at most 200 accounts and assets, by name. The files of the month have all of them.',
    params,
    query: z.strictObject({
      account: z.string().optional().meta({ description: 'This account alone.', example: 'assets:operating' }),
      assetCode: z.string().optional().meta({ description: 'This asset alone.', example: 'BTC' }),
    }),
    answers: { 200: { description: 'The accounts of the month.', shape: monthAccountsShape } },
    answer: async ({ db, books }, { params: of, query }) => ({
      body: await monthAccounts(db, { ...books, month: monthOf(of) }, query),
    }),
  }),
  operation({
    id: 'closePeriod',
    method: 'post',
    path: '/periods/{month}/close',
    group: 'Books',
    summary: 'Close a month',
    description: 'Its files and their hashes are kept; nothing is posted in it any more.',
    roles: ['finance'],
    params,
    body: z.strictObject({ reason: note.nullable().default(null) }),
    answers: { 200: { description: 'The month after it.', shape: periodShape } },
    refusals: { 409: 'It stays open; `missing` says why.' },
    asks: ({ params, body: { reason } }) =>
      reason === null ? null : { action: 'close period', input: { month: monthOf(params) }, reason },
    answer: async (deps, { actor, params, body: { reason } }) => {
      const month = monthOf(params);
      const result = await closePeriod(await closingDeps(deps), { month, actor: actor.name, reason });
      if (result.outcome === 'refused') {
        const why = result.missing.map(({ told }) => told).join('; ');
        throw conflict(`${month} stays open: ${why}.`, { missing: result.missing });
      }
      return { body: await periodAfter(deps, month) };
    },
  }),
  operation({
    id: 'reopenPeriod',
    method: 'post',
    path: '/periods/{month}/reopen',
    group: 'Books',
    summary: 'Reopen the newest closed month',
    roles: ['finance'],
    params,
    body: z.strictObject({ reason: note }),
    answers: { 200: { description: 'The month after it.', shape: periodShape } },
    refusals: { 409: 'It is not closed, or a later one is.' },
    asks: ({ params, body: { reason } }) => ({ action: 'reopen period', input: { month: monthOf(params) }, reason }),
    answer: async (deps, { actor, params, body: { reason } }) => {
      const month = monthOf(params);
      const result = await reopenPeriod(deps.db, { month, actor: actor.name, reason });
      if (result.outcome === 'refused') throw conflict(`${month} stays as it is: ${result.why}.`);
      return { body: await periodAfter(deps, month) };
    },
  }),
];

function monthOf({ month }: { month: string }): string {
  if (isMonth(month)) return month;
  throw badRequest('A month is written such as 2026-10.', { parameter: 'month' });
}

async function periodAfter({ db }: ApiDeps, month: string): Promise<object> {
  const period = await getPeriod(db, month);
  if (period === null) throw new Error(`the month ${month} is gone`);
  return period;
}

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

/** Settlements to the bank: a list, and what finance says of one. */
export const settlementOperations: readonly Operation[] = [
  operation({
    id: 'listSettlements',
    method: 'get',
    path: '/settlements',
    group: 'Books',
    summary: 'List settlements to the bank',
    description: 'Newest first, paged by key. `arrived` takes `yes` or `no`.',
    query: listQuery({ arrived: ['yes', 'no'] }),
    answers: { 200: { description: 'A page.', shape: pageOf(settlementShape) } },
    answer: async ({ db, books }, { query }) => ({
      body: await listSettlements(db, books, query as Parameters<typeof listSettlements>[2], new Date()),
    }),
  }),
  operation({
    id: 'markSettlement',
    method: 'post',
    path: '/settlements/{id}/mark',
    group: 'Books',
    summary: 'Say what arrived of a settlement',
    description:
      'What the bank shows; nothing is posted. The newest counts; `amount` null takes back what was said. Where less than expected arrived, `difference` says what the rest is: unexplained opens a break.',
    roles: ['finance'],
    params: { id: { description: 'The payout’s id.', example: 'po_1' } },
    body: z.strictObject({
      amount: described(z.string().max(60).nullable(), 'What arrived; null: nothing after all.', '912.40'),
      currency: described(z.string().max(3).optional(), 'Left out: REPORTING_CURRENCY.', 'EUR'),
      on: described(z.iso.date().optional(), 'The day on the bank’s statement; left out: today.', '2026-11-04'),
      reference: described(z.string().max(200).optional(), 'Of the bank.', 'SETTLE 4711'),
      difference: described(z.enum(differences).optional(), 'What the rest of the expected amount is.', 'fees'),
      note,
    }),
    answers: { 200: { description: 'How it stands.', shape: settlementShape } },
    refusals: {
      404: 'The service shows no settlement of this id.',
      409: 'The amount, currency or day is none; the payout is not confirmed; or `difference` is missing, or is given where nothing is.',
    },
    asks: ({ actor, params: { id: payoutId }, body }, { db, books }) =>
      markRequest(db, { ...body, payoutId, actor: actor.name }, books),
    answer: async ({ db, books }, { actor, params: { id: payoutId }, body }) => {
      const result = await markSettlement(db, { ...body, payoutId, actor: actor.name }, books, new Date());
      if (result.outcome === 'not_found')
        throw notHere(`"${payoutId.slice(0, 40)}" is no settlement that the service shows.`);
      if (result.outcome === 'refused') throw conflict(`Not marked: ${result.why}.`);
      return { body: result.settlement };
    },
  }),
];

function verdictOf(verdict: Verdict, words: Pick<Operation, 'summary' | 'description'>): Operation {
  return operation({
    ...words,
    id: `${verdict}Decision`,
    method: 'post',
    path: `/decisions/{id}/${verdict}`,
    group: 'Books',
    roles: ['finance'],
    params: { id: { description: 'The decision’s id.', example: '7' } },
    body: verdict === 'withdraw' ? noteMayLack : noteNeeded,
    answers: { 200: { description: 'The decision after it.', shape: decisionShape } },
    refusals: {
      404: 'There is no such decision.',
      409: 'It is decided already, it is not yours to decide, or it would come to something else by now: `decision` says how it is then.',
    },
    answer: async (deps, { actor, params: { id }, body }) => {
      const result = await decide(await closingDeps(deps), { id, verdict, note: body.note }, actor);
      if (result.outcome === 'not_found') throw notHere(`There is no decision "${id.slice(0, 40)}" here.`);
      if (result.outcome === 'refused') throw conflict(`${result.why}.`);
      const { decision, message } = result;
      if (decision.state === 'expired') throw conflict(message, { decision });
      return { body: decision };
    },
  });
}

const noteNeeded = z.strictObject({ note });
const noteMayLack = z.strictObject({ note: optionalNote });

export const decisionOperations: readonly Operation[] = [
  verdictOf('approve', {
    summary: 'Approve what another person asked for',
    description: 'It is done, in the name of who asked; nothing is where it would come to something else by now.',
  }),
  verdictOf('refuse', { summary: 'Refuse what another person asked for' }),
  verdictOf('withdraw', { summary: 'Take back what you asked for' }),
];
