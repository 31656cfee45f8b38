import { z } from 'zod';
import { contraNames } from '../../domain/books/chart.js';
import { isSignedAmount } from '../../domain/money.js';
import { runKinds } from '../../domain/run-kinds.js';
import { balanceDetailShape } from '../../domain/views/balance-shapes.js';
import { described } from '../../domain/views/parts.js';
import { getBalance } from '../../records/balances/balance-views.js';
import { attributeBalance } from '../../records/books/attribute-balance.js';
import { rebookAttribution } from '../../records/books/rebook-attribution.js';
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
    contra: described(
      z.enum(contraNames).optional(),
      'The ledger account that it stands against, so what it was; left out: `equity:unobservable`, it is not known.',
      'equity:attributed',
    ),
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
  asks: ({ params: { assetCode }, body: { amount, note: reason, contra, on = null } }) => {
    return { action: 'attribute balance', input: { assetCode, amount, on, contra }, reason };
  },
  answer: async ({ db, books }, { actor, params: { assetCode }, body: { amount, note, contra, on: day } }) => {
    const on = day === undefined ? {} : { on: { day, timeZone: books.timeZone } };
    const result = await attributeBalance(db, { assetCode, amount, contra, note, actor: actor.name, ...on });
    if (result.outcome === 'wrong_day')
      throw conflict(`It can’t be booked on that day: ${result.why}.`, { parameter: 'on' });
    if (result.outcome === 'not_found') throw notHere(`The balance of "${assetCode.slice(0, 40)}" was never read.`);
    if (result.outcome === 'refused') throw conflict(`Open of the residual is ${result.open}.`, { open: result.open });
    return { body: (await getBalance(db, assetCode)) ?? result.proof };
  },
});

const ledgerAccount = z.enum(contraNames);

const rebook = operation({
  id: 'rebookAttribution',
  method: 'post',
  path: '/balances/{assetCode}/attributions/{id}/rebook',
  group: 'Balances',
  summary: 'Move an attribution to the right account',
  description: 'The whole of it, by a reversal and a correction that keep its value; the balance stays as it is.',
  roles: ['finance'],
  params: {
    assetCode: { description: 'The asset.', example: 'USDT.TRON' },
    id: { description: 'The attribution.', example: '128' },
  },
  body: z.strictObject({
    from: described(
      ledgerAccount,
      'The account on which it stands, `standsOn`: another person may have rebooked it.',
      'income:attributed',
    ),
    contra: described(ledgerAccount, 'The account on which it should.', 'liabilities:attributed'),
    on: described(
      z.iso.date(),
      'The day of the books on which both are booked, not before it stood there. Of a closed month: they stand in the next open one, and `adjusts` that month.',
      '2026-10-30',
    ),
    note,
  }),
  answers: { 200: { description: 'The balance with its attributions.', shape: balanceDetailShape } },
  refusals: {
    404: 'There is no such attribution of the balance.',
    409: 'It stands on another account than `from`, or on `contra` already; or it can’t be booked on that day.',
  },
  asks: ({ params: { assetCode, id: attribution }, body: { note: reason, ...said } }) => {
    return { action: 'rebook attribution', input: { assetCode, attribution, ...said }, reason };
  },
  answer: async ({ db, books }, { actor, params: { assetCode, id: attribution }, body }) => {
    const given = { assetCode, attribution, ...body, actor: actor.name };
    const result = await rebookAttribution(db, given, { ...books, now: new Date() });
    if (result.outcome === 'refused') throw conflict(`It stays as it is: ${result.why}.`);
    const found = result.outcome === 'done' ? await getBalance(db, assetCode) : null;
    if (found === null)
      throw notHere(`There is no attribution "${attribution.slice(0, 40)}" of "${assetCode.slice(0, 40)}".`);
    return { body: found };
  },
});

export const proofOperations: readonly Operation[] = [startRun, attribute, rebook];
