import { z } from 'zod';
import { accounts, type ContraAccount, contraAccounts, contraNames } from '../../domain/books/chart.js';
import { isSignedAmount, normalizeAmount } from '../../domain/money.js';
import { whyNotAttributed, wouldAttribute } from '../../finance/decisions/attributing.js';
import {
  type AttributeResult,
  adjustsText,
  attributeBalance,
  type NewAttribution,
} from '../../records/books/attribute-balance.js';
import type { Action, ActionRequest, PageDeps } from '../page.js';
import { entityHref } from '../view/links.js';
import { notice, options } from '../view/sections.js';

export const attributeResidual: Action = {
  path: '/balances/:id/attribute',
  name: 'attribute balance',
  roles: ['finance'],
  label: 'Attribute',
  explain:
    'Say what a part of it was, such as a settlement or a deposit of your own. It counts as accounted for from then on, under your name; it can not be taken back, but rebooked to another account.',
  fields: [
    {
      name: 'amount',
      label: 'Amount',
      required: true,
      hint: 'Signed: what left the balance is negative. No more than is open, and of its sign.',
    },
    {
      name: 'contra',
      label: 'What it was',
      value: accounts.unobservable,
      options: options(contraNames, (account) => `${contraAccounts[account as ContraAccount]} (${account})`),
      hint: 'The account that it stands against; your chart may call it otherwise.',
    },
    {
      name: 'on',
      label: 'Day',
      hint: 'On which it was, such as 2026-10-30. Empty: it is booked today. Of a closed month, it stands in the next open one and names the month.',
    },
  ],
  input: z.object({
    amount: z.string().trim().refine(isSignedAmount, 'takes a signed decimal number such as -12.50'),
    contra: z.enum(contraNames, 'takes an account of the list').default(accounts.unobservable),
    on: z.union([z.literal(''), z.iso.date('takes a day such as 2026-10-30')]).default(''),
  }),
  preview: async ({ db, now, books }, request) => {
    const given = givenBy(request, books);
    const { result, lines } = await wouldAttribute(db, given, { ...books, now: now() });
    const [title = '', ...rest] = lines;
    if (result.outcome === 'done') return [notice('info', title, rest.join(' '))];
    return { refused: `Not attributed: ${whyNotAttributed(result, given.assetCode)}.` };
  },
  asks: (_deps, { params, input, reason }) => {
    const { amount, on, contra } = input;
    return {
      action: 'attribute balance',
      input: { assetCode: params['id'], amount, on: on === '' ? null : on, contra },
      reason,
    };
  },
  run: async ({ db, now, books }, request) => {
    const given = givenBy(request, books);
    const { assetCode, amount } = given;
    const result = await attributeBalance(db, given, now());
    if (result.outcome === 'not_found')
      return { outcome: 'refused', message: refusalOf(result, assetCode), to: '/balances' };
    if (result.outcome !== 'done') return { recorded: true, outcome: 'refused', message: refusalOf(result, assetCode) };
    const left = result.proof.unexplained ?? '0';
    const done = `${amount} ${assetCode} were attributed; ${left} ${assetCode} are unexplained.`;
    const message = [done, ...adjustsText(result.adjusts)].join(' ');
    return { recorded: true, to: entityHref('balance', assetCode), outcome: 'done', message };
  },
};

function givenBy({ actor, params, input, reason }: ActionRequest, { timeZone }: PageDeps['books']): NewAttribution {
  const amount = normalizeAmount(String(input['amount']));
  const contra = contraNames.find((one) => one === input['contra']);
  const given = { assetCode: params['id'] ?? '', amount, contra, note: reason, actor: actor.name };
  const day = String(input['on']);
  return day === '' ? given : { ...given, on: { day, timeZone } };
}

function refusalOf(result: Exclude<AttributeResult, { outcome: 'done' }>, asset: string): string {
  return `Not attributed: ${whyNotAttributed(result, asset)}. Nothing was changed.`;
}
