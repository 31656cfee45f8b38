import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { sign as octokitSign } from '@octokit/webhooks-methods';
import { describe, expect, test } from 'vitest';
import { verifySignature } from '../../src/index.js';
import { eventBody, NOW, OTHER_SECRET, SECRET, secrets, sign } from '../support/signed.js';

const now = new Date(NOW * 1000 + 999);
const body = eventBody('pi_1');

function verify(text: string | Buffer, signature?: string | string[], options: { now?: Date } = {}) {
  const values = signature ?? sign(text);
  const headers = { 'X-Service-Signature': typeof values === 'string' ? [values] : values };
  return verifySignature(Buffer.from(text), headers, secrets, options.now ?? now);
}

function reasonOf(result: ReturnType<typeof verifySignature>): string {
  return result.ok ? 'ok' : result.reason;
}

describe('the signature header', () => {
  test('each secret is accepted, under its label, with the whole string as key', () => {
    expect(verify(body, sign(body, SECRET))).toEqual({ ok: true, label: 'live', envelope: JSON.parse(body) });
    expect(verify(body, sign(body, OTHER_SECRET))).toMatchObject({ ok: true, label: 'new' });
    expect(reasonOf(verify(body, sign(body, SECRET.slice('whsec_'.length))))).toBe('invalid_signature');
  });

  test('header names are found in any case', () => {
    for (const name of ['x-service-signature', 'X-SERVICE-SIGNATURE', 'X-Service-Signature']) {
      expect(reasonOf(verifySignature(Buffer.from(body), { [name]: [sign(body)] }, secrets, now))).toBe('ok');
    }
  });

  test.each([
    ['no header', {}],
    ['no value', { 'x-service-signature': [] }],
    ['another header', { 'x-signature': [sign(body)] }],
  ])('%s: missing_signature', (_, headers) => {
    expect(reasonOf(verifySignature(Buffer.from(body), headers, secrets, now))).toBe('missing_signature');
  });

  test.each([
    ['twice the same', [sign(body), sign(body)]],
    ['a right and a wrong one', [sign(body), 'sha256=00']],
    ['joined by a comma', `${sign(body)}, ${sign(body)}`],
    ['a comma behind', `${sign(body)},`],
    ['empty', ''],
    ['no prefix', sign(body).slice('sha256='.length)],
    ['another scheme', sign(body).replace('sha256', 'sha1')],
    ['prefix in capitals', sign(body).replace('sha256', 'SHA256')],
    ['space before', ` ${sign(body)}`],
  ])('%s: malformed_signature', (_, signature) => {
    expect(reasonOf(verify(body, signature))).toBe('malformed_signature');
  });

  test('a name given in two spellings is ambiguous', () => {
    const headers = { 'x-service-signature': [sign(body)], 'X-Service-Signature': [sign(body)] };
    expect(reasonOf(verifySignature(Buffer.from(body), headers, secrets, now))).toBe('malformed_signature');
  });

  test.each([
    ['only the prefix', 'sha256='],
    ['cut off', sign(body).slice(0, -1)],
    ['too long', `${sign(body)}0`],
    ['uppercase', sign(body).toUpperCase().replace('SHA256', 'sha256')],
    ['not hex', sign(body).replace(/.$/, 'g')],
    ['split on "="', `sha256==${sign(body).slice('sha256='.length + 1)}`],
    [
      'another alphabet, same low bytes',
      sign(body).replace(/[a-f]$|[0-9]$/, (c) => String.fromCharCode(c.charCodeAt(0) + 0x100)),
    ],
    ['surrogates', `sha256=${'\ud800'.repeat(64)}`],
    ['of another body', sign(`${body} `)],
    ['of another secret', sign(body, 'whsec_test')],
    ['a space behind', `${sign(body)} `],
  ])('%s: invalid_signature', (_, signature) => {
    expect(reasonOf(verify(body, signature))).toBe('invalid_signature');
  });

  test('no secret, or an empty one, accepts nobody', () => {
    const headers = { 'x-service-signature': [sign(body, '')] };
    expect(reasonOf(verifySignature(Buffer.from(body), headers, [], now))).toBe('invalid_signature');
    const empty = [{ label: 'empty', secret: '' }];
    expect(reasonOf(verifySignature(Buffer.from(body), headers, empty, now))).toBe('invalid_signature');
  });
});

describe('what is wrong with the header is said', () => {
  const hex = sign(body).slice('sha256='.length);
  test.each<[string[], string]>([
    [[], 'the header X-Service-Signature is absent'],
    [['a', 'b', 'c'], '3 X-Service-Signature headers'],
    [['a,b'], 'X-Service-Signature holds a comma'],
    [[''], 'X-Service-Signature is empty'],
    [[hex], 'X-Service-Signature does not begin with "sha256="'],
    [[`x-sha1=${hex}`], 'X-Service-Signature does not begin with "sha256="'],
    [[`sha-512=${hex}`], 'X-Service-Signature begins with "sha-512=", not "sha256="'],
    [['v1=1'], 'X-Service-Signature begins with "v1=", not "sha256="'],
    [[`sha256=${hex}0`], '65 characters after "sha256=", not 64'],
    [[`sha256=${hex.toUpperCase()}`], 'the signature is not in lowercase'],
    [[`sha256=${hex.slice(1)}g`], 'the signature is not hexadecimal'],
    [[sign('')], `no secret gives this signature for ${body.length} bytes`],
  ])('%j', (values, detail) => expect(verify(body, values)).toMatchObject({ ok: false, detail }));

  test('the first of two secrets that are the same gives the label', () => {
    const twice = [...secrets, { label: 'again', secret: SECRET }];
    const headers = { 'x-service-signature': sign(body), 'y-service-signature': [], 'X-SERVICE-SIGNATURE': undefined };
    expect(verifySignature(Buffer.from(body), headers, twice, now)).toMatchObject({ ok: true, label: 'live' });
  });
});

describe('the order of the checks', () => {
  test('a body is read only under a right signature', () => {
    expect(reasonOf(verify('not json', 'sha256=00'))).toBe('invalid_signature');
    expect(reasonOf(verify('not json', 'md5'))).toBe('malformed_signature');
    expect(reasonOf(verifySignature(Buffer.from('not json'), {}, secrets, now))).toBe('missing_signature');
  });

  test('shape before timestamp, presence before age', () => {
    expect(reasonOf(verify('{"event":"a","timestamp":null,"data":[]}'))).toBe('invalid_body');
    expect(reasonOf(verify('{"event":"a","timestamp":"1","data":{}}'))).toBe('missing_timestamp');
  });
});

describe('the timestamp', () => {
  const at = (timestamp: string) => verify(`{"event":"a","timestamp":${timestamp},"data":{}}`);

  test.each([
    ['now', NOW],
    ['as old as tolerated', NOW - 300],
    ['as far ahead as tolerated', NOW + 60],
    ['with a fraction', NOW - 299.5],
    ['in another notation', '1.79e9'],
  ])('%s: accepted', (_, timestamp) => {
    expect(reasonOf(at(String(timestamp)))).toBe('ok');
  });

  test.each([
    ['one second too old', NOW - 301],
    ['a fraction too old', NOW - 300.001],
    ['one second too far ahead', NOW + 61],
    ['a fraction too far ahead', NOW + 60.001],
    ['milliseconds', NOW * 1000],
    ['-1', -1],
    ['0', 0],
    ['100 digits', `1${'0'.repeat(99)}`],
  ])('%s: expired_timestamp', (_, timestamp) => {
    expect(reasonOf(at(String(timestamp)))).toBe('expired_timestamp');
  });

  test.each([`"${NOW}"`, 'null', 'true', '[]', '{}', '1e999', '-1e999'])('%s: missing_timestamp', (timestamp) => {
    expect(reasonOf(at(timestamp))).toBe('missing_timestamp');
  });

  test('absent: missing_timestamp', () => {
    expect(reasonOf(verify('{"event":"a","data":{}}'))).toBe('missing_timestamp');
  });

  test('the detail says which side it missed', () => {
    expect(at(String(NOW - 301))).toMatchObject({ detail: expect.stringContaining('301 s old') });
    expect(at(String(NOW + 61))).toMatchObject({ detail: expect.stringContaining('61 s in the future') });
    expect(at(String(NOW * 1000))).toMatchObject({ detail: expect.stringContaining('milliseconds') });
    expect(at('1e11')).toMatchObject({ detail: expect.stringMatching(/tolerated$/) });
    expect(at('100000000001')).toMatchObject({ detail: expect.stringContaining('milliseconds') });
  });

  test('a clock that is not one accepts nothing', () => {
    expect(reasonOf(verify(body, sign(body), { now: new Date(Number.NaN) }))).toBe('expired_timestamp');
  });

  test('the tolerance can be set', () => {
    const old = eventBody('pi_1', { timestamp: NOW - 10 });
    const headers = { 'x-service-signature': [sign(old)] };
    const check = (past: number) => verifySignature(Buffer.from(old), headers, secrets, now, { past, future: 0 });
    expect(reasonOf(check(10))).toBe('ok');
    expect(reasonOf(check(9))).toBe('expired_timestamp');
    const just = eventBody('pi_1', { timestamp: NOW - 1 });
    const signed = { 'x-service-signature': [sign(just)] };
    expect(verifySignature(Buffer.from(just), signed, secrets, now, { past: 0, future: 0 })).toMatchObject({
      detail: 'the timestamp is 1 s old, 0 s are tolerated',
    });
  });
});

test('an envelope keeps what else it holds; "__proto__" is a key and nothing more', () => {
  const text = `{"id":"evt_1","event":"a","timestamp":${NOW},"data":{"__proto__":{"polluted":true}}}`;
  const result = verify(text);
  if (!result.ok) throw new Error(result.detail);
  expect(result.envelope).toMatchObject({ id: 'evt_1' });
  expect(Object.hasOwn(result.envelope.data, '__proto__')).toBe(true);
  expect('polluted' in result.envelope.data).toBe(false);
});

test('a detail never holds the body or a secret', () => {
  const marker = 'm4rker';
  const texts = [marker, `{"${marker}":1,"${marker}":2}`, `{"event":1,"${marker}":"${marker}"}`, `["${marker}"`];
  const refused = [
    ...texts.map((text) => verify(text)),
    verify(marker, marker),
    verify(marker, `${marker}=1`.repeat(9)),
  ];
  for (const result of refused) {
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain(marker);
    expect(JSON.stringify(result)).not.toContain('whsec_');
  }
});

describe('a signer nobody here wrote', () => {
  const signers = {
    '@octokit/webhooks-methods': (text: string) => octokitSign(SECRET, text),
    'openssl dgst': async (text: string) => {
      const output = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET], { input: text }).toString();
      return `sha256=${/([0-9a-f]{64})\s*$/.exec(output)?.[1]}`;
    },
  };

  test.each(Object.entries(signers))('%s is accepted, and 10,000 one-byte changes are rejected', async (_, signer) => {
    const texts = Array.from({ length: 10 }, (_, i) => eventBody(`pi_${i}`, { metadata: { note: 'ü€ '.repeat(i) } }));
    let accepted = 0;
    for (const text of texts) {
      const signature = await signer(text);
      expect(reasonOf(verify(text, signature))).toBe('ok');
      for (let i = 0; i < 1_000; i += 1) {
        const changed = Buffer.from(i % 4 === 0 ? signature : text);
        const at = randomInt(changed.length);
        changed[at] = (changed[at]! + randomInt(1, 256)) % 256;
        const result = i % 4 === 0 ? verify(text, changed.toString('latin1')) : verify(changed, signature);
        if (result.ok) accepted += 1;
      }
    }
    expect(accepted).toBe(0);
  });
});
