import { z } from 'zod';
import { isSignedAmount, normalizeAmount } from '../../domain/money.js';
import { type AttributeResult, attributeBalance } from '../../records/balances/balance-attributions.js';
import type { Action } from '../action.js';
import { inPath } from '../view/links.js';
import type { Section } from '../view/sections.js';

const NOT_READ = 'The balance of this asset was never read.';

export const attributeResidual: Action = {
  path: '/balances/:id/attribute',
  name: 'attribute balance',
  roles: ['finance'],
  label: 'Attribute',
  explain:
    'Say what a part of it was, such as a settlement or a deposit of your own. It counts as accounted for from then on, under your name; it can not be taken back.',
  needsReason: true,
  fields: [
    {
      name: 'amount',
      label: 'Amount',
      required: true,
      hint: 'Signed: what left the balance is negative. No more than is open, and of its sign.',
    },
  ],
  input: z.object({
    amount: z.string().trim().refine(isSignedAmount, 'takes a signed decimal number such as -12.50'),
  }),
  // Done and taken back: what it would leave is not reckoned a second way.
  preview: async ({ db, now }, { actor, params, input, reason }) => {
    const assetCode = params['id'] ?? '';
    const amount = normalizeAmount(String(input['amount']));
    const trx = await db.transaction();
    try {
      const result = await attributeBalance(trx, { assetCode, amount, note: reason, actor: actor.name }, now());
      return [foretold(result, { assetCode, amount })];
    } finally {
      await trx.rollback();
    }
  },
  run: async ({ db, now }, { actor, params, input, reason }) => {
    const assetCode = params['id'] ?? '';
    const amount = String(input['amount']);
    const result = await attributeBalance(db, { assetCode, amount, note: reason, actor: actor.name }, now());
    const to = `/balances/${inPath(assetCode)}`;
    if (result.outcome === 'not_found') return { outcome: 'refused', message: NOT_READ, to: '/balances' };
    if (result.outcome === 'refused')
      return { outcome: 'refused', message: tooMuch(result.open, assetCode), recorded: true, to };
    const left = result.proof.unexplained ?? '0';
    const message = `${normalizeAmount(amount)} ${assetCode} were attributed; ${left} ${assetCode} are unexplained.`;
    return { outcome: 'done', message, recorded: true, to };
  },
};

function foretold(result: AttributeResult, { assetCode, amount }: { assetCode: string; amount: string }): Section {
  const refused = { is: 'notice', tone: 'bad', title: 'This will be refused' } as const;
  if (result.outcome === 'not_found') return { ...refused, text: NOT_READ };
  if (result.outcome === 'refused') return { ...refused, text: tooMuch(result.open, assetCode) };
  const { unexplained, unknownAmount } = result.proof;
  const text = `After it ${unexplained ?? '0'} ${assetCode} are unexplained, ${unknownAmount ?? '0'} ${assetCode} not shown.`;
  return { is: 'notice', tone: 'info', title: `${amount} ${assetCode} will be attributed`, text };
}

function tooMuch(open: string, asset: string): string {
  return `Open is ${open} ${asset}: no more than that, and of the same sign, can be attributed. Nothing was changed.`;
}
