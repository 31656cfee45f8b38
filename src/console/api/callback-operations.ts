import { z } from 'zod';
import { described } from '../../domain/views/parts.js';
import {
  deadCallbacks,
  lockCallbacks,
  replayCallback,
  replayDeadCallbacks,
} from '../../records/callbacks/claim-callback.js';
import { conflict, notHere } from '../problem.js';
import { accepted, keepAction, optionalNote } from './keep-action.js';
import { type Operation, operation } from './operation.js';

const replayOne = operation({
  id: 'replayCallback',
  method: 'post',
  path: '/callbacks/{id}/replay',
  group: 'Operation',
  summary: 'Send it to the store again',
  description:
    'Under the same webhook-id, by which the store knows what it has taken already. Only the newest of an order: an older state is not sent after it.',
  roles: ['operator'],
  params: { id: { description: 'The callback’s id.', example: '31' } },
  body: z.strictObject({ note: optionalNote }),
  answers: { 202: { description: 'It is sent within seconds.', shape: accepted } },
  refusals: {
    404: 'There is no such callback.',
    409: 'It is on its way now, or the order has a newer one, shown in `newestId`.',
  },
  answer: async ({ db, log }, { actor, params: { id }, body: { note: reason } }) => {
    const result = await db.transaction(async (trx) => {
      const result = await replayCallback(trx, id);
      if (result.outcome === 'not_found') return result;
      const outcome = result.outcome === 'replayed' ? 'asked' : 'refused';
      const about = { action: 'replay callback', target: `callback ${id}`, reason };
      await keepAction({ db: trx, log }, actor, { ...about, outcome });
      return result;
    });
    if (result.outcome === 'not_found') throw notHere(`There is no callback "${id.slice(0, 40)}" here.`);
    if (result.outcome === 'under_way') throw conflict(`Callback ${id} is on its way now.`);
    if (result.outcome === 'outdated') {
      const { newestId } = result;
      throw conflict(`The order has a newer callback, ${newestId}; replay that.`, { newestId });
    }
    return { status: 202, body: { accepted: true, id } };
  },
});

const replayed = z.object({
  dryRun: described(z.boolean(), 'Nothing was done.', false),
  count: described(z.int(), 'How many are, or would be, sent again.', 12),
  ids: described(z.array(z.string()), 'The newest hundred of them.', ['31', '30']),
});

const replayDead = operation({
  id: 'replayDeadCallbacks',
  method: 'post',
  path: '/callbacks/replay-dead',
  group: 'Operation',
  summary: 'Send all that was given up to the store again',
  description:
    'Each under its own webhook-id. Fix the store first. With `dryRun` nothing is done, and the answer says which they are.',
  roles: ['operator'],
  body: z.strictObject({ dryRun: described(z.boolean().default(false), 'Only say which.'), note: optionalNote }),
  answers: {
    200: { description: 'What would be done, asked for with `dryRun`.', shape: replayed },
    202: { description: 'They are sent within seconds; none where none was given up.', shape: replayed },
  },
  answer: async ({ db, log }, { actor, body: { dryRun, note: reason } }) => {
    if (dryRun) return { body: { dryRun: true, ...(await deadCallbacks(db)) } };
    const which = await db.transaction(async (trx) => {
      await lockCallbacks(trx);
      const which = await deadCallbacks(trx);
      await replayDeadCallbacks(trx);
      const about = { action: 'replay dead callbacks', reason, details: { count: which.count } };
      if (which.count > 0) await keepAction({ db: trx, log }, actor, { ...about, outcome: 'asked' });
      return which;
    });
    return { status: 202, body: { dryRun: false, ...which } };
  },
});

export const callbackOperations: readonly Operation[] = [replayOne, replayDead];
