import { expect, test } from 'vitest';
import {
  causeByNow,
  findReplaced,
  putRightSecret,
  replacedWords,
} from '../../src/domain/deliveries/replaced-endpoint.js';
import { UNEXPLAINED } from '../../src/domain/rejection-words.js';

const url = 'https://shop.example/webhooks';
const own = { id: 'we_1', url, events: null, isActive: true };
const made = { ...own, id: 'we_2', createdAt: 2_000 };
const known = { gone: [{ label: 'live', endpoint: own }], listed: [made], matchedAt: null };
const found = { label: 'live', endpointId: 'we_1', id: 'we_2', createdAt: '1970-01-01T00:00:02.000Z' };

test.each<[string, Partial<typeof known> | { matchedAt: number }, object[]]>([
  ['the active one at the same address', {}, [found]],
  ['its address ends with a slash', { listed: [{ ...made, url: `${url}/` }] }, [found]],
  ['the newest of several', { listed: [{ ...made, id: 'we_0', createdAt: 1_000 }, made] }, [found]],
  ['no endpoint of a secret is gone', { gone: [] }, []],
  ['it is switched off', { listed: [{ ...made, isActive: false }] }, []],
  ['it is at another address', { listed: [{ ...made, url: 'https://other.example/webhooks' }] }, []],
  ['another secret matched since: it may be its own', { matchedAt: 3_000 }, []],
  ['another secret matched last before it was made', { matchedAt: 1_000 }, [found]],
])('what took the place of an endpoint that is gone: %s', (_, changed, expected) => {
  expect(findReplaced({ ...known, ...changed })).toEqual(expected);
});

test('the words name both, when it was made, and what to do; without one, where to look', () => {
  expect(replacedWords(found)).toBe(
    'The endpoint of “live”, we_1, is gone at the service. we_2, made at 1970-01-01 00:00:02 UTC, is at the same address: its secret is missing here.',
  );
  expect(replacedWords({ ...found, createdAt: null })).toContain('we_2 is at the same address');
  expect(putRightSecret([found, found], 'WEBHOOK_SECRETS_FILE')).toMatch(
    /^Put the secret of we_2, prefix included, into the file/,
  );
  expect(putRightSecret([], null)).toContain('The page Rejections says what was found.');
});

test('what no usual mistake explains is explained by an endpoint that was made again before it was rejected', () => {
  const now = (cause: string, ms: number) =>
    causeByNow(cause, new Date(ms), { replaced: [found], from: 'WEBHOOK_SECRETS' });
  const said = `${replacedWords(found)} Put the secret of we_2, prefix included, into WEBHOOK_SECRETS, and restart the receivers.`;
  expect(now(UNEXPLAINED, 2_000)).toBe(said);
  expect(now(`“live” is shorter. ${UNEXPLAINED}`, 3_000)).toBe(`“live” is shorter. ${said}`);
  expect(now(UNEXPLAINED, 1_999)).toBe(UNEXPLAINED);
  expect(now('It was signed with another.', 3_000)).toBe('It was signed with another.');
});
