import { z } from 'zod';
import { type ContraAccount, contraAccounts, contraNames } from '../../domain/books/chart.js';
import { rebookedText, rebookingInput, whyNotRebooked, wouldRebook } from '../../finance/decisions/rebooking.js';
import { type NewRebooking, rebookAttribution } from '../../records/books/rebook-attribution.js';
import type { Action, ActionRequest } from '../page.js';
import { entityHref } from '../view/links.js';
import { notice, options } from '../view/sections.js';

const { from, contra, on } = rebookingInput.shape;
const input = z.object({ from, contra, on });

export const rebookAttributionAction: Action = {
  path: '/balances/:id/attributions/:attribution/rebook',
  name: 'rebook attribution',
  roles: ['finance'],
  label: 'Rebook',
  explain:
    'Move the whole of it to the right account, by a reversal and a correction that keep its value. The balance, and what is unexplained of it, stay as they are.',
  fields: [
    {
      name: 'contra',
      label: 'Right account',
      options: options(contraNames, (account) => `${contraAccounts[account as ContraAccount]} (${account})`),
      hint: 'Your chart may call it otherwise.',
    },
    {
      name: 'on',
      label: 'Day',
      required: true,
      hint: 'On which both are booked, such as 2026-10-30, not before it stood there. Of a closed month, they stand in the next open one and name the month.',
    },
  ],
  input,
  preview: async ({ db, now, books }, request) => {
    const given = givenBy(request);
    const { result, lines } = await wouldRebook(db, given, { ...books, now: now() });
    const [title = '', ...rest] = lines;
    if (result.outcome === 'done') return [notice('info', title, rest.join(' '))];
    return { refused: `Not rebooked: ${whyNotRebooked(result, given)}.` };
  },
  asks: (_deps, request) => {
    const { actor: _who, note: reason, ...asked } = givenBy(request);
    return { action: 'rebook attribution', input: asked, reason };
  },
  run: async ({ db, now, books }, request) => {
    const given = givenBy(request);
    const result = await rebookAttribution(db, given, { ...books, now: now() });
    if (result.outcome === 'done')
      return {
        outcome: 'done',
        message: rebookedText(given),
        recorded: true,
        to: entityHref('balance', given.assetCode),
      };
    const message = refusalOf(whyNotRebooked(result, given));
    return { outcome: 'refused', message, ...(result.outcome === 'refused' ? { recorded: true } : {}) };
  },
};

const refusalOf = (why: string) => `Not rebooked: ${why}. Nothing was changed.`;

function givenBy({ actor, params, input: form, reason }: ActionRequest): NewRebooking {
  const { id = '', attribution = '' } = params;
  return { assetCode: id, attribution, ...input.parse(form), note: reason, actor: actor.name };
}
