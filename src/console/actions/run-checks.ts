import { DOCTOR, keepResult } from '../../records/actions/list-actions.js';
import type { Action, DoctorResult } from '../page.js';

/** As the audit calls it. */
export const RUN_CHECKS = 'run checks';

/** Begins them; the newest of what they say is kept, and every process shows it. */
export const runChecks: Action = {
  path: '/doctor/run',
  name: RUN_CHECKS,
  roles: ['operator'],
  label: 'Run the checks now',
  explain:
    'Every dependency and assumption is probed. Nothing is changed; some calls go to the service, at SERVICE_RATE.',
  needsReason: false,
  run: async ({ runDoctor, log, now }, { actor }) => ({
    outcome: 'asked',
    message: 'The checks are being run; the result appears here.',
    to: '/doctor',
    afterwards: async ({ db }) => {
      const keep = (result: DoctorResult) => keepResult(db, DOCTOR, { at: now(), actor: actor.name, result });
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
