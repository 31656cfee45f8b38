import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { readDocument, readDocuments } from '../docs/documents.js';

const NAMES = ['SERVICE_API_KEY', 'WEBHOOK_SECRETS', 'CONSOLE_TOKENS', 'STORE_CALLBACK_SECRET', 'ALERT_WEBHOOK_SECRET'];
const OWN = ['CONSOLE_TOKENS', 'STORE_CALLBACK_SECRET', 'ALERT_WEBHOOK_SECRET'];
/** Of the sandbox, and of a drill that needs a wrong one: plainly no secrets. */
const PLAIN = ['SERVICE_API_KEY=sandbox-api-key', 'WEBHOOK_SECRETS=drill=whsec_wrong'];
const URLS = { STORE_CALLBACK_URL: 'https://shop.example', ALERT_WEBHOOK_URL: 'https://chat.example' };
const FINE = 'Rk3sQ9xw0Zt7Lm2v';

/** What the configuration says of the value; null: it takes it. */
function refusal(name: string, value: string): string | null {
  const fine = { STORE_CALLBACK_SECRET: FINE, ALERT_WEBHOOK_SECRET: FINE };
  try {
    loadConfig([], { env: { ...URLS, ...fine, [name]: value } });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Every value that our documents give one of them. */
function examples(): string[] {
  const texts = [...readDocuments().map(({ text }) => text), readDocument('docker-compose.yml').text].join('\n');
  const given = [...texts.matchAll(new RegExp(`(${NAMES.join('|')})=([^\\s\`].*)`, 'g'))].map(
    ([, name = '', value = '']) => `${name}=${value.replace(/[`"'].*$/, '').trim()}`,
  );
  const files = [...texts.matchAll(/\b([\w.-]+=whsec_[^\s`'",;)]*)/g)].map(([, entry]) => `WEBHOOK_SECRETS=${entry}`);
  return [...new Set([...given, ...files])].filter((one) => !one.endsWith('='));
}

test('no value that stands in our documents in place of a secret is accepted, but those of the sandbox', () => {
  const found = examples();
  expect(found.length).toBeGreaterThan(5);
  expect(found).toEqual(expect.arrayContaining(PLAIN));
  const taken = found.filter((one) => {
    const at = one.indexOf('=');
    return refusal(one.slice(0, at), one.slice(at + 1)) === null;
  });
  expect(taken.filter((one) => !PLAIN.includes(one))).toEqual([]);
});

const asGiven = (name: string, secret: string) => (name === 'CONSOLE_TOKENS' ? `ann:viewer:${secret}` : secret);

test.each(OWN)('%s: what asks for another value, or is short, is refused by name and never shown', (name) => {
  for (const secret of [
    'change-me-change-me-change-me',
    'replace-with-a-long-random-text',
    'your-token-goes-here-please',
    'whsec_replace-this-with-your-own',
    '<insert-your-secret-here>',
    '${CONSOLE_TOKEN_OF_PRODUCTION}',
    'a-token-of-your-own',
    'a-token-for-the-drill',
    FINE.slice(1),
  ]) {
    const message = refusal(name, asGiven(name, secret));
    expect([secret, message]).toEqual([secret, expect.stringContaining(`  ${name}\n    given a secret of`)]);
    expect(message).toMatch(/is an example of the documents|has fewer than 16 characters/);
    expect(message).not.toContain(secret);
  }
  expect(refusal(name, asGiven(name, FINE))).toBeNull();
});

test('what is random is taken from 16 characters on; what the service issued is taken as it is', () => {
  const characters = fc.constantFrom(...Array.from('ABCDEFGHJKLMNPQRSTUVWXYZ0123456789+/=_-'));
  const random = fc.string({ unit: characters, minLength: 16, maxLength: 80 }).map((text) => `9${text}`);
  fc.assert(
    fc.property(fc.constantFrom(...OWN), random, (name, secret) => refusal(name, asGiven(name, secret)) === null),
  );
  for (const key of ['k', 'change-me', 'example', 'your-key', 'replace-1']) {
    expect(refusal('SERVICE_API_KEY', key)).toBeNull();
    expect(refusal('WEBHOOK_SECRETS', `live=whsec_${key}`)).toBeNull();
  }
  expect(refusal('WEBHOOK_SECRETS', 'live=whsec_…')).toContain('the secret "live" is an example of the documents');
});
