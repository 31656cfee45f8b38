import type { Knex } from 'knex';
import { z } from 'zod';
import type { Role } from '../../domain/console-roles.js';
import { isSignedAmount } from '../../domain/money.js';
import { runKinds } from '../../domain/run-kinds.js';
import { balanceDetailShape } from '../../domain/views/balance-shapes.js';
import { described } from '../../domain/views/parts.js';
import { type BreakView, breakShape } from '../../domain/views/proof-shapes.js';
import { getBalance } from '../../records/balances/balance-views.js';
import { attributeBalance } from '../../records/books/attribute-balance.js';
import { type BreakDecision, decideBreak } from '../../records/breaks/list-breaks.js';
import { badRequest, conflict, notHere } from '../problem.js';
import { keepAction, note, optionalNote } from './keep-action.js';
import { type Operation, operation } from './operation.js';

const startRun = operation({
  id: 'startRun',
  method: 'post',
  path: '/runs',
  group: 'Proof',
  summary: 'Read a list of the service now',
  description: 'While another run of the kind is at work, it waits for that.',
  roles: ['operator'],
  body: z.strictObject({
    kind: z.string().meta({ description: 'As of a run.', examples: ['payment-intents'], enum: runKinds }),
    full: described(z.boolean().default(false), 'To the end of the list.'),
    note: optionalNote,
  }),
  answers: {
    202: {
      description: 'It is queued.',
      shape: z.object({ accepted: z.literal(true), kind: z.string(), full: z.boolean() }),
    },
  },
  answer: async ({ db, log, commands, runKinds: known }, { actor, body: { kind, full, note: reason } }) => {
    if (!known.includes(kind)) {
      const takes = `kind is "${kind.slice(0, 40)}"; it takes ${known.join(', ')}.`;
      throw badRequest(takes, { parameter: 'kind' });
    }
    await keepAction({ db, log }, actor, { action: 'run', reason, details: { kinds: [kind], full }, outcome: 'asked' });
    await commands.run({ kind, full });
    return { status: 202, body: { accepted: true, kind, full } };
  },
});

function decide(verb: string, decision: BreakDecision, words: { role: Role; summary: string }): Operation {
  return operation({
    id: `${verb.replace('-o', 'O')}Break`,
    method: 'post',
    path: `/breaks/{id}/${verb}`,
    group: 'Proof',
    summary: words.summary,
    roles: [words.role],
    params: { id: { description: 'The break’s id.', example: '7' } },
    body: z.strictObject({ note }),
    answers: { 200: { description: 'The break after it.', shape: breakShape } },
    refusals: { 404: 'There is no such break.', 409: 'It is closed already.' },
    answer: async ({ db }, { actor, params: { id }, body }) => ({
      body: await decided(db, id, decision, { actor: actor.name, note: body.note }),
    }),
  });
}

const assign = operation({
  id: 'assignBreak',
  method: 'post',
  path: '/breaks/{id}/assign',
  group: 'Proof',
  summary: 'Say who is at it',
  roles: ['operator', 'finance'],
  params: { id: { description: 'The break’s id.', example: '7' } },
  body: z.strictObject({
    owner: described(z.string().trim().min(1).max(80).nullable(), 'A person’s name; null: nobody.', 'ann'),
    note,
  }),
  answers: { 200: { description: 'The break after it.', shape: breakShape } },
  refusals: { 404: 'There is no such break.', 409: 'It is closed already.' },
  answer: async ({ db }, { actor, params: { id }, body: { owner, note: reason } }) => ({
    body: await decided(db, id, { owner }, { actor: actor.name, note: reason }),
  }),
});

async function decided(
  db: Knex,
  id: string,
  decision: BreakDecision,
  about: { actor: string; note: string },
): Promise<BreakView> {
  const result = await decideBreak(db, id, decision, about);
  if (result.outcome === 'not_found') throw notHere(`There is no break "${id.slice(0, 40)}" here.`);
  if (result.outcome === 'closed') throw conflict(`The break is ${result.break.status}; only an open one can change.`);
  return result.break;
}

const attribute = operation({
  id: 'attributeBalance',
  method: 'post',
  path: '/balances/{assetCode}/attribute',
  group: 'Balances',
  summary: 'Name what no list shows',
  description: 'Of the open part of a balance, with its sign; the balance is compared anew at once.',
  roles: ['finance'],
  params: { assetCode: { description: 'The asset.', example: 'USDT.TRON' } },
  body: z.strictObject({
    amount: z
      .string()
      .refine(isSignedAmount, 'takes a signed decimal string such as "-12.50"')
      .meta({
        description: 'A decimal string with its sign.',
        pattern: '^-?\\d{1,18}(\\.\\d{1,18})?$',
        examples: ['-100'],
      }),
    note,
    on: described(
      z.iso.date().optional(),
      'The day of the books on which it is booked; left out: today. Of a closed month: it stands in the next open one, and `adjusts` that month.',
      '2026-10-30',
    ),
  }),
  answers: { 200: { description: 'The balance after it.', shape: balanceDetailShape } },
  refusals: {
    404: 'The balance was never read.',
    409: 'More is given than is open, shown in `open`; or the day is yet to come, or before the asset’s books.',
  },
  answer: async ({ db, books }, { actor, params: { assetCode }, body: { amount, note, on: day } }) => {
    const on = day === undefined ? {} : { on: { day, timeZone: books.timeZone } };
    const result = await attributeBalance(db, { assetCode, amount, note, actor: actor.name, ...on });
    if (result.outcome === 'wrong_day')
      throw conflict(`It can’t be booked on that day: ${result.why}.`, { parameter: 'on' });
    if (result.outcome === 'not_found') throw notHere(`The balance of "${assetCode.slice(0, 40)}" was never read.`);
    if (result.outcome === 'refused') throw conflict(`Open of the residual is ${result.open}.`, { open: result.open });
    return { body: (await getBalance(db, assetCode)) ?? result.proof };
  },
});

export const proofOperations: readonly Operation[] = [
  startRun,
  decide('acknowledge', 'acknowledge', { role: 'operator', summary: 'Say that somebody is at it' }),
  decide('resolve', 'resolve', { role: 'operator', summary: 'Say that it is fixed' }),
  decide('write-off', 'write_off', { role: 'finance', summary: 'Say that it will not be fixed' }),
  assign,
  attribute,
];
