import type { Knex } from 'knex';
import { z } from 'zod';
import { alertShape } from '../../domain/views/operation-shapes.js';
import { type AlertDecision, decideAlert } from '../../records/alerts/decide-alert.js';
import { badRequest, conflict, notHere } from '../problem.js';
import { note } from './keep-action.js';
import { type Answer, type Operation, operation } from './operation.js';

const common = {
  method: 'post',
  group: 'Operation',
  roles: ['operator'],
  params: { id: { description: 'The alert’s id.', example: '7' } },
  answers: { 200: { description: 'The alert after it.', shape: alertShape } },
  refusals: { 404: 'There is no such alert.', 409: 'It does not fire.' },
} as const;

const until = z.iso.datetime({ offset: true }).meta({
  description: 'When the silence ends: a week from now at most.',
  examples: ['2026-11-27T08:00:00Z'],
});

const acknowledge = operation({
  ...common,
  id: 'acknowledgeAlert',
  path: '/alerts/{id}/acknowledge',
  summary: 'Say that somebody is at it',
  description: 'Others see it. What is sent does not change.',
  body: z.strictObject({ note }),
  answer: ({ db }, { actor, params, body }) => decide(db, params.id, 'acknowledge', { actor: actor.name, ...body }),
});

const silence = operation({
  ...common,
  id: 'silenceAlert',
  path: '/alerts/{id}/silence',
  summary: 'Send nothing more of it until a time',
  description:
    'It is shown and counted as before. If it still fires at that time, or gets graver before, it is sent again. Other alerts are sent as ever.',
  body: z.strictObject({ until, note }),
  answer: ({ db }, { actor, params, body: { until: end, ...body } }) =>
    decide(db, params.id, { silence: new Date(end) }, { actor: actor.name, ...body }),
});

async function decide(
  db: Knex,
  id: string,
  decision: AlertDecision,
  by: { actor: string; note: string },
): Promise<Answer> {
  const result = await decideAlert(db, id, decision, by);
  if (result.outcome === 'not_found') throw notHere(`There is no alert "${id.slice(0, 40)}" here.`);
  if (result.outcome === 'refused') throw badRequest(`until: ${result.why}.`, { parameter: 'until' });
  if (result.outcome === 'not_firing')
    throw conflict(`The alert is ${result.alert.status}; only one that fires can be changed.`);
  return { body: result.alert };
}

export const alertOperations: readonly Operation[] = [acknowledge, silence];
