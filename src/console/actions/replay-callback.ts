import { deadCallbacks, replayCallback, replayDeadCallbacks } from '../../records/callbacks/claim-callback.js';
import type { Action } from '../action.js';
import { counted } from '../view/values.js';

export const replayCallbackAction: Action = {
  path: '/callbacks/:id/replay',
  name: 'replay callback',
  roles: ['operator'],
  label: 'Replay',
  explain: 'It is sent to the store again, under the same webhook-id: by that it knows what it has taken already.',
  needsReason: true,
  run: async ({ db }, { params }) => {
    const id = params['id'] ?? '';
    const target = `callback ${id.slice(0, 40)}`;
    const result = await replayCallback(db, id);
    if (result.outcome === 'not_found') {
      return { outcome: 'refused', target, message: 'There is no such callback.', to: '/callbacks' };
    }
    if (result.outcome === 'under_way') {
      return { outcome: 'refused', target, message: `Callback ${id} is on its way now.` };
    }
    if (result.outcome === 'outdated') {
      const message = `The order has a newer callback, ${result.newestId}: an older state is not sent after it.`;
      return { outcome: 'refused', target, message };
    }
    return { outcome: 'asked', target, message: `Callback ${id} will be sent within seconds.` };
  },
};

export const replayDeadCallbacksAction: Action = {
  path: '/callbacks/replay-dead',
  name: 'replay dead callbacks',
  roles: ['operator'],
  label: 'Replay all that were given up',
  explain: 'Every order whose newest callback was given up is sent to the store again. Fix the store first.',
  needsReason: true,
  preview: async ({ db }) => {
    const { count } = await deadCallbacks(db);
    const title = `${counted(count, 'callback')} would be sent again`;
    return [{ is: 'notice', tone: count === 0 ? 'warn' : 'info', title, text: 'Nothing was done yet.' }];
  },
  run: async ({ db }) => {
    const count = await replayDeadCallbacks(db);
    if (count === 0) return { outcome: 'refused', message: 'None was given up.' };
    return { outcome: 'asked', message: `${counted(count, 'callback')} will be sent again.`, details: { count } };
  },
};
