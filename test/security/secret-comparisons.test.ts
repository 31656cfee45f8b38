import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { findToken, knownTokens } from '../../src/console/authenticate.js';
import { matchSignature, signatureOf } from '../../src/webhook/verify-signature.js';

// The time that a comparison takes is not to be measured on a busy machine: that each is made, whatever came out of the one
// before it, is to be counted.
const compared = vi.spyOn(crypto, 'timingSafeEqual');
syncBuiltinESMExports();
afterAll(() => {
  compared.mockRestore();
  syncBuiltinESMExports();
});
beforeEach(() => {
  compared.mockClear();
});

const secrets = ['a', 'b', 'c', 'd', 'e'].map((label) => ({ label, secret: `whsec_${label}` }));
const body = Buffer.from('{}');
const match = (signature: string) => matchSignature(body, { 'x-service-signature': [signature] }, secrets);

test('a signature is compared with that of every secret, whichever gave it, or none', () => {
  const given = [...secrets.map(({ secret }) => signatureOf(body, secret)), signatureOf(body, 'another')];
  for (const signature of given) {
    compared.mockClear();
    match(signature);
    expect(compared).toHaveBeenCalledTimes(secrets.length);
    for (const [left, right] of compared.mock.calls) expect([left.byteLength, right.byteLength]).toEqual([71, 71]);
  }
});

test('a signature that can be none is compared with no secret', () => {
  for (const signature of ['', 'sha256=', 'sha256=00', `sha256=${'0'.repeat(65)}`, `sha1=${'0'.repeat(64)}`]) {
    expect(match(signature).ok).toBe(false);
  }
  expect(compared).not.toHaveBeenCalled();
});

test('a token is compared with every known one by its digest, whatever its length', () => {
  const tokens = ['one', 'two', 'three'].map((name) => ({
    name,
    role: 'viewer' as const,
    token: `${name}-token-${name}`,
  }));
  const known = knownTokens(tokens);
  for (const given of [...tokens.map(({ token }) => token), '', 'x', 'x'.repeat(100_000)]) {
    compared.mockClear();
    expect(findToken(known, given)?.name).toBe(tokens.find(({ token }) => token === given)?.name);
    expect(compared).toHaveBeenCalledTimes(known.length);
    for (const [left, right] of compared.mock.calls) expect([left.byteLength, right.byteLength]).toEqual([32, 32]);
  }
  expect(JSON.stringify(known)).not.toContain('one-token-one');
});
