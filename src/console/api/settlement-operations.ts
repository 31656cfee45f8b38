import { z } from 'zod';
import { differences, settlementShape } from '../../domain/settlements/settlement.js';
import { described } from '../../domain/views/parts.js';
import { listSettlements, markSettlement } from '../../records/books/settlements.js';
import { conflict, notHere } from '../problem.js';
import { note } from './keep-action.js';
import { listQuery, pageOf } from './list-query.js';
import { type Operation, operation } from './operation.js';

/** Settlements to the bank: a list, and what finance says of one. */
export const settlementOperations: readonly Operation[] = [
  operation({
    id: 'listSettlements',
    method: 'get',
    path: '/settlements',
    group: 'Books',
    summary: 'List settlements to the bank',
    description: 'Newest first, paged by key. `arrived` takes `yes` or `no`.',
    query: listQuery({ arrived: ['yes', 'no'] }),
    answers: { 200: { description: 'A page.', shape: pageOf(settlementShape) } },
    answer: async ({ db, books }, { query }) => ({
      body: await listSettlements(db, books, query as Parameters<typeof listSettlements>[2], new Date()),
    }),
  }),
  operation({
    id: 'markSettlement',
    method: 'post',
    path: '/settlements/{id}/mark',
    group: 'Books',
    summary: 'Say what arrived of a settlement',
    description:
      'What the bank shows; nothing is posted. The newest counts; `amount` null takes back what was said. Where less than expected arrived, `difference` says what the rest is: unexplained opens a break.',
    roles: ['finance'],
    params: { id: { description: 'The payout’s id.', example: 'po_1' } },
    body: z.strictObject({
      amount: described(z.string().max(60).nullable(), 'What arrived; null: nothing after all.', '912.40'),
      currency: described(z.string().max(3).optional(), 'Left out: REPORTING_CURRENCY.', 'EUR'),
      on: described(z.iso.date().optional(), 'The day on the bank’s statement; left out: today.', '2026-11-04'),
      reference: described(z.string().max(200).optional(), 'Of the bank.', 'SETTLE 4711'),
      difference: described(z.enum(differences).optional(), 'What the rest of the expected amount is.', 'fees'),
      note,
    }),
    answers: { 200: { description: 'How it stands.', shape: settlementShape } },
    refusals: {
      404: 'The service shows no settlement of this id.',
      409: 'The amount, currency or day is none; the payout is not confirmed; or `difference` is missing, or is given where nothing is.',
    },
    answer: async ({ db, books }, { actor, params: { id: payoutId }, body }) => {
      const result = await markSettlement(db, { ...body, payoutId, actor: actor.name }, books, new Date());
      if (result.outcome === 'not_found')
        throw notHere(`"${payoutId.slice(0, 40)}" is no settlement that the service shows.`);
      if (result.outcome === 'refused') throw conflict(`Not marked: ${result.why}.`);
      return { body: result.settlement };
    },
  }),
];
