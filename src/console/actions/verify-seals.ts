import type { Action } from '../page.js';

/** Asked of the schedulers; what came of it is kept with the other checks and shown on the page Audit. */
export const verifySealsAction: Action = {
  path: '/audit/verify',
  name: 'verify seals',
  roles: ['operator', 'finance'],
  label: 'Verify all seals now',
  explain:
    'A scheduler recomputes every seal and row, after it has sealed what is new. Nothing else is changed. With millions of rows that takes minutes.',
  needsReason: false,
  run: async ({ verifySeals }, { actor }) => ({
    outcome: 'asked',
    message: 'The seals are being verified; the result appears here.',
    to: '/audit',
    afterwards: () => verifySeals(actor.name),
  }),
};
