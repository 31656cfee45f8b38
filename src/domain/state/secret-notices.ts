import { type Named, type Watched, when } from '../alerts/condition.js';
import { toRecover } from '../alerts/facts.js';
import { thenRecoverRejected } from '../alerts/recover-words.js';
import { refusesService, secretChecks } from '../alerts/rejected-facts.js';
import type { Severity } from '../breaks/findings.js';
import { putRightSecret, replacedWords } from '../deliveries/replaced-endpoint.js';

/** What is wrong with the secrets, before anything is rejected for it. */
export const secretNotices: Named<Watched & { severity: Severity }> = {
  SecretsUnread: {
    severity: 'medium',
    summary: 'The secrets could not be read',
    remedy:
      'See that the database answers and that a file of WEBHOOK_SECRETS_FILE can be read: the log of this process says which.',
    page: '/secrets',
    check: 'secrets',
    found: ({ noSecretAccepted }) => when(noSecretAccepted === null, 'Whether any webhook is accepted is not known.'),
  },
  EndpointReplaced: {
    severity: 'high',
    summary: 'An endpoint was made again at the service, and its secret is missing here',
    remedy: putRightSecret([], null),
    page: '/secrets',
    check: 'secrets',
    // The alert says it, where what it sends is rejected already.
    found: ({ replacedEndpoints, invalidSignatures, secretsFrom, awaited }) => {
      if (refusesService(invalidSignatures)) return [];
      // Of what was rejected before, which follows from it.
      const then = toRecover({ awaited }).count > 0 ? ` ${thenRecoverRejected({ awaited })}` : '';
      return replacedEndpoints.map((one) => ({
        subject: one.label,
        alsoChecks: secretChecks(one),
        detail: replacedWords(one),
        remedy: `${putRightSecret([one], secretsFrom)}${then}`,
      }));
    },
  },
};
