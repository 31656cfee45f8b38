import { z } from 'zod';
import { isAmount } from '../../domain/money.js';
import { differences, isUnexplained, markedText } from '../../domain/settlements/settlement.js';
import { markRequest, wouldMark } from '../../finance/decisions/money-decisions.js';
import { type MarkResult, markSettlement, type SettlementMark } from '../../records/books/settlements.js';
import type { Action, ActionRequest } from '../page.js';
import { settlementHref } from '../view/links.js';
import { notice, options, type Section } from '../view/sections.js';

const empty = (text: z.ZodType) => z.union([z.literal(''), text]).default('');

export const markSettlementAction: Action = {
  path: '/settlements/:id/mark',
  name: 'mark settlement',
  roles: ['finance'],
  label: 'Mark as arrived',
  explain:
    'Say what the bank shows. Nothing is posted: the money is on an account of yours. The newest mark counts; without an amount it takes back the one before.',
  fields: [
    { name: 'amount', label: 'Amount', hint: 'That arrived, such as 912.40. Empty: nothing did after all.' },
    { name: 'currency', label: 'Currency', hint: 'Empty: that of the books.' },
    { name: 'on', label: 'Day', type: 'date', hint: 'On the bank’s statement. Empty: today.' },
    { name: 'reference', label: 'Reference', hint: 'Of the bank.' },
    {
      name: 'difference',
      label: 'The difference is',
      options: options(differences),
      all: 'nothing: all arrived',
      hint: 'If less or more arrived than was expected. Unexplained: a break, until it is marked anew.',
    },
  ],
  input: z.object({
    amount: z
      .string()
      .trim()
      .refine((given) => given === '' || isAmount(given), 'takes a decimal number such as 912.40')
      .default(''),
    currency: z.string().trim().max(3, 'takes a currency such as EUR').default(''),
    on: empty(z.iso.date('takes a day such as 2026-11-04')),
    reference: z.string().trim().max(200).default(''),
    difference: empty(z.enum(differences)),
  }),
  preview: async ({ db, now, books }, request) => preview(await wouldMark(db, markOf(request), books, now())),
  asks: ({ db, books }, request) => markRequest(db, markOf(request), books),
  run: async ({ db, now, books }, request) => {
    const mark = markOf(request);
    const result = await markSettlement(db, mark, books, now());
    if (result.outcome === 'not_found') return { outcome: 'refused', message: NOT_KNOWN, to: '/settlements' };
    if (result.outcome === 'refused') return { recorded: true, outcome: 'refused', message: refusalOf(result.why) };
    const to = settlementHref(mark.payoutId);
    return { recorded: true, to, outcome: 'done', message: markedText(result.settlement) };
  },
};

const NOT_KNOWN = 'The service shows no settlement of this ID.';
const refusalOf = (why: string) => `Not marked: ${why}. Nothing was changed.`;

function markOf({ actor, params, input, reason }: ActionRequest): SettlementMark {
  const field = (name: string) => {
    const value = input[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const amount = field('amount') ?? null;
  const said = { currency: field('currency'), on: field('on'), reference: field('reference') };
  const difference = differences.find((one) => one === field('difference'));
  const mark = { payoutId: params['id'] ?? '', amount, note: reason, actor: actor.name };
  return amount === null ? mark : { ...mark, ...said, difference };
}

function preview(result: MarkResult): Section[] | { refused: string } {
  if (result.outcome === 'not_found') return { refused: NOT_KNOWN };
  if (result.outcome === 'refused') return { refused: `Not marked: ${result.why}.` };
  const tone = isUnexplained(result.settlement) ? 'warn' : 'info';
  return [notice(tone, 'What it will say', markedText(result.settlement))];
}
