import { z } from 'zod';
import { isMonth, monthIn } from '../../domain/books/posting-month.js';
import { scorecardShape } from '../../domain/scorecard/scorecard-shape.js';
import { month } from '../../domain/views/parts.js';
import { readScorecard } from '../../records/scorecard/scorecard.js';
import { operation } from './operation.js';

export const scorecardOperation = operation({
  id: 'getScorecard',
  method: 'get',
  path: '/scorecard',
  group: 'Webhooks',
  summary: 'What the service did in a month',
  description:
    'Each event counts once: one that came on the day on which it came, one that did not on the day of its delivery. The scheduler counts every ten minutes. Without `month` it is the one that has begun.',
  query: z.strictObject({
    month: month.refine(isMonth, 'takes a month such as 2026-10').optional(),
  }),
  answers: { 200: { description: 'As it was counted last.', shape: scorecardShape } },
  answer: async ({ db, books: { timeZone } }, { query }) => {
    const now = new Date();
    const asked = query.month ?? monthIn(timeZone, now.getTime());
    return { body: await readScorecard(db, asked, now, timeZone) };
  },
});
