import { z } from 'zod';
import { isSignedAmount, normalizeAmount } from '../../domain/money.js';
import {
  type AttributeResult,
  adjustsText,
  attributeBalance,
  type NewAttribution,
} from '../../records/books/attribute-balance.js';
import { inTransaction } from '../../records/database/statements.js';
import type { Action, ActionRequest, PageDeps } from '../page.js';
import { entityHref } from '../view/links.js';
import { notice, type Section } from '../view/sections.js';

const NOT_READ = 'The balance of this asset was never read.';

export const attributeResidual: Action = {
  path: '/balances/:id/attribute',
  name: 'attribute balance',
  roles: ['finance'],
  label: 'Attribute',
  explain:
    'Say what a part of it was, such as a settlement or a deposit of your own. It counts as accounted for from then on, under your name; it can not be taken back.',
  fields: [
    {
      name: 'amount',
      label: 'Amount',
      required: true,
      hint: 'Signed: what left the balance is negative. No more than is open, and of its sign.',
    },
    {
      name: 'on',
      label: 'Day',
      hint: 'On which it was, such as 2026-10-30. Empty: it is booked today. Of a closed month, it stands in the next open one and names the month.',
    },
  ],
  input: z.object({
    amount: z.string().trim().refine(isSignedAmount, 'takes a signed decimal number such as -12.50'),
    on: z.union([z.literal(''), z.iso.date()], 'takes a day such as 2026-10-30').default(''),
  }),
  // Done and taken back: what it would leave is not reckoned a second way.
  preview: async ({ db, now, books }, request) => {
    const given = givenBy(request, books);
    return [preview(await inTransaction(db, true, (trx) => attributeBalance(trx, given, now())), given)];
  },
  asks: (_deps, { params, input, reason }) => {
    const { amount, on } = input;
    return {
      action: 'attribute balance',
      input: { assetCode: params['id'], amount, on: on === '' ? null : on },
      reason,
    };
  },
  run: async ({ db, now, books }, request) => {
    const given = givenBy(request, books);
    const { assetCode, amount } = given;
    const result = await attributeBalance(db, given, now());
    if (result.outcome === 'not_found') return { outcome: 'refused', message: NOT_READ, to: '/balances' };
    const about = { recorded: true, to: entityHref('balance', assetCode) } as const;
    if (!('proof' in result)) return { ...about, outcome: 'refused', message: refusalOf(result, assetCode) };
    const left = result.proof.unexplained ?? '0';
    const done = `${amount} ${assetCode} were attributed; ${left} ${assetCode} are unexplained.`;
    const message = [done, ...adjustsText(result.adjusts)].join(' ');
    return { ...about, outcome: 'done', message };
  },
};

function givenBy({ actor, params, input, reason }: ActionRequest, { timeZone }: PageDeps['books']): NewAttribution {
  const amount = normalizeAmount(String(input['amount']));
  const given = { assetCode: params['id'] ?? '', amount, note: reason, actor: actor.name };
  const day = String(input['on']);
  return day === '' ? given : { ...given, on: { day, timeZone } };
}

function preview(result: AttributeResult, { assetCode, amount }: NewAttribution): Section {
  if (!('proof' in result)) return willBeRefused(refusalOf(result, assetCode));
  const { unexplained, unknownAmount } = result.proof;
  const after = `After it ${unexplained ?? '0'} ${assetCode} are unexplained, ${unknownAmount ?? '0'} ${assetCode} not shown.`;
  const text = [after, ...adjustsText(result.adjusts)].join(' ');
  return notice('info', `${amount} ${assetCode} will be attributed`, text);
}

const willBeRefused = (why: string): Section => notice('bad', 'This will be refused', why);

function refusalOf(result: Exclude<AttributeResult, { proof: unknown }>, asset: string): string {
  if (result.outcome === 'not_found') return NOT_READ;
  if (result.outcome === 'wrong_day') return `It can’t be booked on that day: ${result.why}. Nothing was changed.`;
  return `Open is ${result.open} ${asset}: no more than that, and of the same sign, can be attributed. Nothing was changed.`;
}
