import { recordAction } from '../../records/actions/record-action.js';
import type { Action } from '../page.js';

/** As the audit calls the question and its answer. */
export const DOCTOR = 'run checks';
export const DOCTOR_RESULT = 'result of checks';

/** Begins them; what they say is kept in the audit, from which every process shows it. */
export const runChecks: Action = {
  path: '/doctor/run',
  name: DOCTOR,
  roles: ['operator'],
  label: 'Run the checks now',
  explain:
    'Every dependency and assumption is probed. Nothing is changed; some calls go to the service, at SERVICE_RATE.',
  needsReason: false,
  run: async ({ runDoctor, log }, { actor }) => ({
    outcome: 'asked',
    message: 'The checks are being run; the result appears here.',
    to: '/doctor',
    afterwards: async ({ db }) => {
      const keep = (details: Record<string, unknown>) =>
        recordAction(db, { actor: actor.name, action: DOCTOR_RESULT, details, outcome: 'done' });
      // Nobody waits for it: it may take minutes.
      void runDoctor()
        .then(
          (items) => keep({ items }),
          (error: unknown) => keep({ error: error instanceof Error ? error.message : String(error) }),
        )
        .catch((error: unknown) => log.warn({ err: error }, 'check result not saved'));
    },
  }),
};
