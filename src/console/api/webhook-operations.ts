import { z } from 'zod';
import { isMonth, monthIn } from '../../domain/books/posting-month.js';
import { scorecardShape } from '../../domain/scorecard/scorecard-shape.js';
import { month } from '../../domain/views/parts.js';
import { isRowId } from '../../records/database/paging.js';
import { PRUNED_EVENT, prunedEvents } from '../../records/inbox/inbox-work.js';
import { readScorecard } from '../../records/scorecard/scorecard.js';
import { conflict, notHere } from '../problem.js';
import { accepted, keepAction, optionalNote } from './keep-action.js';
import { type Operation, operation } from './operation.js';

const replayEvent = operation({
  id: 'replayEvent',
  method: 'post',
  path: '/events/{id}/replay',
  group: 'Webhooks',
  summary: 'Apply an event again',
  description: 'An event that was applied before changes nothing a second time.',
  roles: ['operator'],
  params: { id: { description: 'The event’s id.', example: '128' } },
  body: z.strictObject({ note: optionalNote }),
  answers: { 202: { description: 'It is queued.', shape: accepted } },
  refusals: { 404: 'There is no such event.', 409: 'Its body was deleted by its age.' },
  answer: async ({ db, log, commands }, { actor, params: { id }, body: { note: reason } }) => {
    const known = isRowId(id) && (await db('inbox').where({ id }).first('id'));
    if (!known) throw notHere(`There is no event "${id.slice(0, 40)}" here.`);
    if ((await prunedEvents(db, [id])).has(id)) throw conflict(`${PRUNED_EVENT}.`);
    await keepAction({ db, log }, actor, { action: 'replay', target: `event ${id}`, reason, outcome: 'asked' });
    await commands.replay([id]);
    return { status: 202, body: { accepted: true, id } };
  },
});

const since = z.iso
  .datetime({ offset: true })
  .nullable()
  .default(null)
  .meta({ description: 'How far back; null: as far as is due.', examples: ['2026-10-31T00:00:00Z'] });

const recoverDeliveries = operation({
  id: 'recoverDeliveries',
  method: 'post',
  path: '/deliveries/recover',
  group: 'Webhooks',
  summary: 'Take in what was missed',
  description: 'Reads the service’s delivery history and takes in events that are not here.',
  roles: ['operator'],
  body: z.strictObject({ since, note: optionalNote }),
  answers: {
    202: { description: 'It is queued.', shape: z.object({ accepted: z.literal(true), since: z.string().nullable() }) },
  },
  answer: async ({ db, log, commands }, { actor, body: { since, note: reason } }) => {
    await keepAction({ db, log }, actor, { action: 'recover', reason, details: { since }, outcome: 'asked' });
    await commands.recover({ since });
    return { status: 202, body: { accepted: true, since } };
  },
});

export const webhookOperations: readonly Operation[] = [replayEvent, recoverDeliveries];

export const scorecardOperation = operation({
  id: 'getScorecard',
  method: 'get',
  path: '/scorecard',
  group: 'Webhooks',
  summary: 'What the service did in a month',
  description:
    'Each event counts once: one that came on the day on which it came, one that did not on the day of its delivery. The scheduler counts every ten minutes. Without `month` it is the one that has begun.',
  query: z.strictObject({ month: month.refine(isMonth, 'takes a month such as 2026-10').optional() }),
  answers: { 200: { description: 'As it was counted last.', shape: scorecardShape } },
  answer: async ({ db, books: { timeZone } }, { query }) => {
    const now = new Date();
    const asked = query.month ?? monthIn(timeZone, now.getTime());
    return { body: await readScorecard(db, asked, now, timeZone) };
  },
});
