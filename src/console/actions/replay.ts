import { counted } from '../../domain/in-words.js';
import { deadCallbacks, replayCallback, replayDeadCallbacks } from '../../records/callbacks/claim-callback.js';
import { isRowId } from '../../records/database/paging.js';
import { PRUNED_EVENT, prunedEvents } from '../../records/inbox/inbox-work.js';
import type { Action } from '../page.js';
import { notice } from '../view/sections.js';

export const replayEvent: Action = {
  path: '/events/:id/replay',
  name: 'replay',
  roles: ['operator'],
  label: 'Replay',
  explain:
    'The event is applied again as it came. An event that was applied before changes nothing a second time; one that failed or was given up is tried anew.',
  run: async ({ db, commands }, { params }) => {
    const id = params['id'] ?? '';
    const target = `event ${id.slice(0, 40)}`;
    const known = isRowId(id) && (await db('inbox').where({ id }).first('id'));
    if (!known) return { outcome: 'refused', target, message: 'There is no such event.', to: '/events' };
    if ((await prunedEvents(db, [id])).has(id)) return { outcome: 'refused', target, message: `${PRUNED_EVENT}.` };
    return {
      outcome: 'asked',
      target,
      message: `Event ${id} is queued and will be applied within seconds.`,
      afterwards: () => commands.replay([id]),
    };
  },
};

export const replayCallbackAction: Action = {
  path: '/callbacks/:id/replay',
  name: 'replay callback',
  roles: ['operator'],
  label: 'Replay',
  explain: 'It is sent to the store again, under the same webhook-id: by that it knows what it has taken already.',
  run: async ({ db }, { params }) => {
    const id = params['id'] ?? '';
    const target = `callback ${id.slice(0, 40)}`;
    const result = await replayCallback(db, id);
    const refused = (message: string) => ({ outcome: 'refused', target, message }) as const;
    if (result.outcome === 'not_found') return { ...refused('There is no such callback.'), to: '/callbacks' };
    if (result.outcome === 'under_way') return refused(`Callback ${id} is on its way now.`);
    if (result.outcome === 'outdated')
      return refused(`The order has a newer callback, ${result.newestId}: an older state is not sent after it.`);
    return { outcome: 'asked', target, message: `Callback ${id} will be sent within seconds.` };
  },
};

export const replayDeadCallbacksAction: Action = {
  path: '/callbacks/replay-dead',
  name: 'replay dead callbacks',
  roles: ['operator'],
  label: 'Replay all that were given up',
  explain: 'Every order whose newest callback was given up is sent to the store again. Fix the store first.',
  preview: async ({ db }) => {
    const { count } = await deadCallbacks(db);
    const title = `${counted(count, 'callback')} would be sent again`;
    return [notice(count === 0 ? 'warn' : 'info', title, 'Nothing was done yet.')];
  },
  run: async ({ db }) => {
    const count = await replayDeadCallbacks(db);
    if (count === 0) return { outcome: 'refused', message: 'None was given up.' };
    return { outcome: 'asked', message: `${counted(count, 'callback')} will be sent again.`, details: { count } };
  },
};
