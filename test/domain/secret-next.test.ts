import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { classifySecret, type SecretFacts, type VerdictFacts } from '../../src/domain/deliveries/secret-verdict.js';

const guide = readFileSync(new URL('../../docs/rotate-secrets.md', import.meta.url), 'utf8');
const old: SecretFacts = {
  label: 'old',
  retired: false,
  firstMatchAt: 1_000,
  endpoint: { id: 'e1', isActive: true, events: ['a', 'b'] },
  pending: 0,
};
const fresh: SecretFacts = { ...old, label: 'new', firstMatchAt: 2_000, endpoint: { ...old.endpoint!, id: 'e2' } };
const all = { both: 5, onlyOld: [], onlyOldCount: 0 };

function next(secret: SecretFacts, others: SecretFacts[], more: Partial<VerdictFacts> = {}): string {
  return classifySecret({
    secret,
    others,
    overlap: () => all,
    historyKnown: true,
    rejected: 0,
    secretsFrom: null,
    ...more,
  }).next;
}

/** In the order in which a rotation goes. */
test.each([
  ['nothing came yet', next({ ...old, firstMatchAt: null, endpoint: null }, []), 'Wait for the first event', 0],
  [
    'what came was rejected',
    next({ ...old, firstMatchAt: null, endpoint: null }, [], { rejected: 3 }),
    '3 requests with the service’s headers were rejected for the signature within a day: if the service sent them, copy the secret of its endpoint from the dashboard again.',
    0,
  ],
  ['its endpoint is not known', next({ ...old, endpoint: null }, []), 'tallyhook reconcile endpoints deliveries', 1],
  ['before a rotation', next(old, []), 'make a new endpoint and add its secret', 2],
  ['the new one has not matched', next(old, [{ ...fresh, firstMatchAt: null }]), 'Wait until "new" has matched', 3],
  ['it is new itself', next({ ...fresh, firstMatchAt: null }, [old]), 'send a test to its endpoint', 3],
  [
    'it is new, and what came was rejected',
    next({ ...fresh, firstMatchAt: null }, [old], { rejected: 1 }),
    '1 request with the service’s headers was rejected',
    3,
  ],
  ['the new endpoint is off', next(old, [{ ...fresh, endpoint: { ...fresh.endpoint!, isActive: false } }]), 'e2 on', 2],
  ['a type is lacking', next(old, [{ ...fresh, endpoint: { ...fresh.endpoint!, events: ['a'] } }]), 'e2 to b', 2],
  ['the history was not read', next(old, [fresh], { historyKnown: false }), 'reconcile endpoints deliveries', 4],
  ['pending', next({ ...old, pending: 1 }, [fresh]), 'Wait', 4],
  [
    'an event came under the old alone',
    next(old, [fresh], { overlap: () => ({ both: 1, onlyOld: ['event 9'], onlyOldCount: 1 }) }),
    'secrets retire old --force --note',
    4,
  ],
  ['all speaks for it', next(old, [fresh]), 'tallyhook secrets retire old', 5],
  ['the new one then', next(fresh, [old]), 'Keep it', 0],
  ['retired', next({ ...old, retired: true }, [fresh]), 'Delete the endpoint e1', 6],
  [
    'retired, and no other is accepted',
    next({ ...old, retired: true }, [{ ...fresh, retired: true }]),
    'No webhook is accepted: every secret is retired. Put another secret into WEBHOOK_SECRETS_FILE (with WEBHOOK_SECRETS, restart the receivers); or take it back: tallyhook secrets restore old',
    5,
  ],
  [
    'retired, and the endpoint is gone',
    next({ ...old, retired: true, endpoint: { ...old.endpoint!, isActive: false } }, [fresh]),
    'take it out of the configured secrets',
    7,
  ],
])('what comes next when %s', (_when, said, words, step) => {
  expect(said).toContain(words);
  // Each step that is named stands in the guide under that number.
  const named = [...said.matchAll(/steps? (\d)/g)].map(([, number]) => Number(number));
  expect(named).toEqual(step === 0 ? [] : [step]);
  for (const number of named) expect(guide).toContain(`\n## ${number}. `);
});
