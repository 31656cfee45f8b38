import { z } from 'zod';
import { monthAccountsShape, periodCheckShape, periodShape } from '../../domain/views/books-shapes.js';
import { monthAccounts } from '../../finance/exports/month-accounts.js';
import { checkPeriod } from '../../finance/periods/check-period.js';
import { closePeriod } from '../../finance/periods/close-period.js';
import { reopenPeriod } from '../../finance/periods/reopen-period.js';
import { getPeriod } from '../../records/books/periods.js';
import type { ApiDeps } from '../api-deps.js';
import { closingDeps } from '../four-eyes.js';
import { badRequest, conflict } from '../problem.js';
import { note } from './keep-action.js';
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
    answer: async (deps, asked) => ({
      body: await checkPeriod(deps.db, monthOf(asked.params), { ...deps.books, now: new Date() }),
    }),
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
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return month;
  throw badRequest('A month is written such as 2026-10.', { parameter: 'month' });
}

async function periodAfter({ db }: ApiDeps, month: string): Promise<object> {
  const period = await getPeriod(db, month);
  if (period === null) throw new Error(`the month ${month} is gone`);
  return period;
}
