import type { Verdict } from '../../domain/two-people.js';
import { decide } from '../../finance/decisions/decisions.js';
import { closingDeps } from '../four-eyes.js';
import type { Action } from '../page.js';
import { decisionHref } from '../view/links.js';

function verdictOf(verdict: Verdict, own: Pick<Action, 'label' | 'explain' | 'tone' | 'needsReason'>): Action {
  return {
    ...own,
    path: `/decisions/:id/${verdict}`,
    name: `${verdict} decision`,
    roles: ['finance'],
    runAlone: async (deps, { actor, params, reason }) => {
      const given = { id: params['id'] ?? '', verdict, note: reason === '' ? null : reason };
      const result = await decide(await closingDeps(deps), given, actor);
      if (result.outcome === 'not_found')
        return { outcome: 'refused', message: 'There is no such decision.', to: '/decisions' };
      if (result.outcome === 'refused') return { outcome: 'refused', message: `Nothing was changed: ${result.why}.` };
      // It is over: there is nothing to decide again.
      if (result.decision.state === 'expired')
        return { outcome: 'refused', message: result.message, to: decisionHref(given.id) };
      return { outcome: 'done', message: result.message };
    },
  };
}

export const approveDecision = verdictOf('approve', {
  label: 'Approve',
  explain:
    'It is done now, as it is shown here, in the name of who asked and under yours. If it would come to something else by now, nothing is done.',
});

export const refuseDecision = verdictOf('refuse', {
  label: 'Refuse',
  explain: 'Nothing of it is done. Who asked sees why.',
  tone: 'bad',
});

export const withdrawDecision = verdictOf('withdraw', {
  label: 'Withdraw',
  explain: 'You asked for it, and take it back. Nothing of it is done.',
  needsReason: false,
});
