import { z } from 'zod';
import { isAttributable } from '../../domain/balances/balance-proof.js';
import { addAmounts, isSignedAmount, normalizeAmount, subtractAmounts } from '../../domain/money.js';
import { attributeBalance } from '../../records/balances/balance-attributions.js';
import { readProofs } from '../../records/balances/balance-proofs.js';
import type { Action } from '../action.js';
import { inPath } from '../view/links.js';

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
  preview: async ({ db }, { params, input }) => {
    const asset = params['id'] ?? '';
    const given = normalizeAmount(String(input['amount']));
    const proof = (await readProofs(db, [asset])).get(asset);
    if (proof === undefined) return [{ is: 'notice', tone: 'bad', title: 'Nothing to attribute', text: NOT_READ }];
    const open = addAmounts(proof.unexplained ?? '0', proof.unknownAmount ?? '0');
    if (!isAttributable(given, open))
      return [{ is: 'notice', tone: 'bad', title: 'This will be refused', text: tooMuch(open, asset) }];
    return [
      {
        is: 'notice',
        tone: 'info',
        title: `${given} ${asset} will be attributed`,
        text: `Open is ${open} ${asset} now; ${subtractAmounts(open, given)} ${asset} will be left.`,
      },
    ];
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

function tooMuch(open: string, asset: string): string {
  return `Open is ${open} ${asset}: no more than that, and of the same sign, can be attributed. Nothing was changed.`;
}
