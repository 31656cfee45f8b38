import { words } from '../../domain/in-words.js';
import { type BreakDecision, decideBreak } from '../../records/breaks/list-breaks.js';
import type { Action } from '../page.js';

type Own = Pick<Action, 'path' | 'name' | 'roles' | 'label' | 'explain'> & Partial<Pick<Action, 'tone'>>;

/** The note of the decision is the reason; the break keeps both, and the audit with them. */
function decision(decide: BreakDecision, own: Own): Action {
  return {
    ...own,
    run: async ({ db, now }, { actor, params, reason }) => {
      const target = `break ${(params['id'] ?? '').slice(0, 40)}`;
      const result = await decideBreak(db, params['id'] ?? '', decide, { actor: actor.name, note: reason, now: now() });
      if (result.outcome === 'not_found') {
        return { outcome: 'refused', target, message: 'There is no such break.', to: '/breaks' };
      }
      const status = words(result.break.status);
      if (result.outcome === 'closed') {
        return { outcome: 'refused', target, recorded: true, message: `Nothing was changed: it is ${status} already.` };
      }
      return { outcome: 'done', target, recorded: true, message: `The break is ${status}.` };
    },
  };
}

export const acknowledgeBreak = decision('acknowledge', {
  path: '/breaks/:id/acknowledge',
  name: 'acknowledge break',
  roles: ['operator'],
  label: 'Acknowledge',
  explain:
    'It is known, and somebody is at it. It opens again if it gets worse, and closes by itself when its cause is gone.',
});

export const resolveBreak = decision('resolve', {
  path: '/breaks/:id/resolve',
  name: 'resolve break',
  roles: ['operator'],
  label: 'Resolve',
  explain: 'It is fixed. For the same facts it is not opened again; other facts are a new break.',
});

export const writeOffBreak = decision('write_off', {
  path: '/breaks/:id/write-off',
  name: 'write off break',
  roles: ['finance'],
  label: 'Write off',
  explain:
    'It will not be fixed, and that is accepted. For the same facts it is not opened again; other facts are a new break.',
  tone: 'bad',
});
