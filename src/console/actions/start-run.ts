import { z } from 'zod';
import type { Action } from '../page.js';
import { noOrYes } from '../view/sections.js';

const input = z.object({ kind: z.string().min(1).max(40), full: z.enum(['no', 'yes']).default('no') });

export const startRun: Action = {
  path: '/runs/start',
  name: 'run',
  roles: ['operator'],
  label: 'Start a run',
  explain:
    'The service’s lists are read now, beside the runs of the schedule. In full, the whole list is read again: with many records that takes a while, at SERVICE_RATE.',
  fields: [
    { name: 'kind', label: 'Kind', required: true, options: [] },
    noOrYes('full', 'What to read', ['what is new, open or due', 'the whole list again']),
  ],
  input,
  run: async ({ runKinds, commands }, { input: given }) => {
    const { kind, full } = given as z.infer<typeof input>;
    if (!runKinds.includes(kind)) return { outcome: 'refused', message: `There is no kind of run “${kind}”.` };
    const isFull = full === 'yes';
    return {
      outcome: 'asked',
      target: `run of ${kind}`,
      message: `A ${isFull ? 'full ' : ''}run of ${kind} is asked for; it begins once the runs before it are through.`,
      to: `/runs?kind=${encodeURIComponent(kind)}`,
      afterwards: () => commands.run({ kind, full: isFull }),
    };
  },
};
