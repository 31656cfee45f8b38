import { z } from 'zod';
import { type Verdict } from '../../domain/two-people.js';
import { decisionShape } from '../../domain/views/operation-shapes.js';
import { decide } from '../../finance/decisions/decisions.js';
import { closingDeps } from '../four-eyes.js';
import { conflict, notHere } from '../problem.js';
import { note, optionalNote } from './keep-action.js';
import { type Operation, operation } from './operation.js';

function verdictOf(verdict: Verdict, words: Pick<Operation, 'summary' | 'description'>): Operation {
  return operation({
    ...words,
    id: `${verdict}Decision`,
    method: 'post',
    path: `/decisions/{id}/${verdict}`,
    group: 'Books',
    roles: ['finance'],
    params: { id: { description: 'The decision’s id.', example: '7' } },
    body: verdict === 'withdraw' ? noteMayLack : noteNeeded,
    answers: { 200: { description: 'The decision after it.', shape: decisionShape } },
    refusals: {
      404: 'There is no such decision.',
      409: 'It is decided already, it is not yours to decide, or it would come to something else by now: `decision` says how it is then.',
    },
    answer: async (deps, { actor, params: { id }, body }) => {
      const result = await decide(await closingDeps(deps), { id, verdict, note: body.note }, actor);
      if (result.outcome === 'not_found') throw notHere(`There is no decision "${id.slice(0, 40)}" here.`);
      if (result.outcome === 'refused') throw conflict(`${result.why}.`);
      const { decision, message } = result;
      if (decision.state === 'expired') throw conflict(message, { decision });
      return { body: decision };
    },
  });
}

const noteNeeded = z.strictObject({ note });
const noteMayLack = z.strictObject({ note: optionalNote });

export const decisionOperations: readonly Operation[] = [
  verdictOf('approve', {
    summary: 'Approve what another person asked for',
    description: 'It is done, in the name of who asked; nothing is where it would come to something else by now.',
  }),
  verdictOf('refuse', { summary: 'Refuse what another person asked for' }),
  verdictOf('withdraw', { summary: 'Take back what you asked for' }),
];
