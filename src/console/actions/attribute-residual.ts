import { z } from 'zod';
import { isSignedAmount, normalizeAmount } from '../../domain/money.js';
import { type AttributeResult, attributeBalance, type NewAttribution } from '../../records/books/attribute-balance.js';
import type { Action, ActionRequest } from '../action.js';
import type { PageDeps } from '../page-deps.js';
import { inPath } from '../view/links.js';
import type { Section } from '../view/sections.js';

const NOT_READ = 'The balance of this asset was never read.';
const NO_ZONE = 'The zone of the books is not known here: leave out the day.';
const REFUSED = { is: 'notice', tone: 'bad', title: 'This will be refused' } as const;

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
    {
      name: 'on',
      label: 'Day',
      hint: 'On which it was, such as 2026-10-30, in a month that is open. Empty: it is booked today.',
    },
  ],
  input: z.object({
    amount: z.string().trim().refine(isSignedAmount, 'takes a signed decimal number such as -12.50'),
    on: z.union([z.literal(''), z.iso.date()], 'takes a day such as 2026-10-30').default(''),
  }),
  // Done and taken back: what it would leave is not reckoned a second way.
  preview: async ({ db, now, books }, request) => {
    const given = givenBy(request, books);
    if (given === null) return [{ ...REFUSED, text: NO_ZONE }];
    const trx = await db.transaction();
    try {
      return [preview(await attributeBalance(trx, given, now()), given)];
    } finally {
      await trx.rollback();
    }
  },
  run: async ({ db, now, books }, request) => {
    const given = givenBy(request, books);
    if (given === null) return { outcome: 'refused', message: NO_ZONE };
    const { assetCode, amount } = given;
    const result = await attributeBalance(db, given, now());
    const to = `/balances/${inPath(assetCode)}`;
    if (result.outcome === 'not_found') return { outcome: 'refused', message: NOT_READ, to: '/balances' };
    if (result.outcome === 'refused')
      return { outcome: 'refused', message: tooMuch(result.open, assetCode), recorded: true, to };
    if (result.outcome === 'wrong_day') return { outcome: 'refused', message: notThen(result.why), recorded: true, to };
    const left = result.proof.unexplained ?? '0';
    const message = `${amount} ${assetCode} were attributed; ${left} ${assetCode} are unexplained.`;
    return { outcome: 'done', message, recorded: true, to };
  },
};

/** Null: a day was named, of which nobody knows here when it begins. */
function givenBy({ actor, params, input, reason }: ActionRequest, books: PageDeps['books']): NewAttribution | null {
  const amount = normalizeAmount(String(input['amount']));
  const given = { assetCode: params['id'] ?? '', amount, note: reason, actor: actor.name };
  const day = String(input['on']);
  if (day === '') return given;
  return books === undefined ? null : { ...given, on: { day, timeZone: books.timeZone } };
}

function preview(result: AttributeResult, { assetCode, amount }: NewAttribution): Section {
  if (result.outcome === 'not_found') return { ...REFUSED, text: NOT_READ };
  if (result.outcome === 'refused') return { ...REFUSED, text: tooMuch(result.open, assetCode) };
  if (result.outcome === 'wrong_day') return { ...REFUSED, text: notThen(result.why) };
  const { unexplained, unknownAmount } = result.proof;
  const text = `After it ${unexplained ?? '0'} ${assetCode} are unexplained, ${unknownAmount ?? '0'} ${assetCode} not shown.`;
  return { is: 'notice', tone: 'info', title: `${amount} ${assetCode} will be attributed`, text };
}

function notThen(why: string): string {
  return `It can’t be booked on that day: ${why}. Nothing was changed.`;
}

function tooMuch(open: string, asset: string): string {
  return `Open is ${open} ${asset}: no more than that, and of the same sign, can be attributed. Nothing was changed.`;
}
