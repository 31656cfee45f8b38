import { isRowId } from '../../records/database/paging.js';
import { PRUNED_EVENT, prunedEvents } from '../../records/inbox/inbox-work.js';
import type { Action } from '../page.js';

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
