import { z } from 'zod';
import { type AlertDecision, decideAlert } from '../../records/alerts/decide-alert.js';
import type { Action, ActionRequest } from '../page.js';

type Own = Omit<Action, 'run' | 'roles'>;

/** The reason is kept in the audit, in this transaction. */
function decision(own: Own, decide: (request: ActionRequest, now: Date) => AlertDecision): Action {
  return {
    ...own,
    roles: ['operator'],
    run: async ({ db, now }, request) => {
      const id = request.params['id'] ?? '';
      const target = `alert ${id.slice(0, 40)}`;
      const at = now();
      const about = { actor: request.actor.name, note: request.reason, now: at };
      const result = await decideAlert(db, id, decide(request, at), about);
      if (result.outcome === 'not_found')
        return { outcome: 'refused', target, message: 'There is no such alert.', to: '/alerts' };
      const refused = { outcome: 'refused', target, recorded: true } as const;
      if (result.outcome === 'refused') return { ...refused, message: `Nothing was changed: ${result.why}.` };
      if (result.outcome === 'not_firing')
        return { ...refused, message: `Nothing was changed: it is ${result.alert.status}, and does not fire.` };
      const { silencedUntil } = result.alert;
      const message =
        own.name === 'silence alert' && silencedUntil !== null
          ? `Nothing more is sent of it until ${silencedUntil.slice(0, 16).replace('T', ' ')} UTC.`
          : 'Everybody sees now that you are at it.';
      return { outcome: 'done', target, recorded: true, message };
    },
  };
}

export const acknowledgeAlert = decision(
  {
    path: '/alerts/:id/acknowledge',
    name: 'acknowledge alert',
    label: 'I am at it',
    explain: 'Others see that you are at it, and since when. What is sent does not change.',
  },
  () => 'acknowledge',
);

const HOURS = ['1', '4', '12', '24', '72', '168'];
const input = z.object({ hours: z.enum(HOURS) });

export const silenceAlert = decision(
  {
    path: '/alerts/:id/silence',
    name: 'silence alert',
    label: 'Silence',
    explain:
      'Nothing more is sent of this alert for a while. It is shown and counted as before. If it still fires then, or gets graver before, it is sent again; other alerts are sent as ever.',
    fields: [
      {
        name: 'hours',
        label: 'For how long',
        options: HOURS.map((value) => ({
          value,
          text: Number(value) < 48 ? `${value} h` : `${Number(value) / 24} days`,
        })),
      },
    ],
    input,
  },
  ({ input: given }, now) => {
    const hours = Number((given as z.infer<typeof input>).hours);
    return { silence: new Date(now.getTime() + hours * 3_600_000) };
  },
);
