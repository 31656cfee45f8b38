import { expect, test } from 'vitest';
import { diagnose } from '../../src/webhook/diagnose.js';
import { eventBody, SECRET, secrets, sign } from '../support/signed.js';

test.each([
  ['the secret without its prefix', /without its prefix/, sign(eventBody('a'), SECRET.slice(6)), eventBody('a')],
  ['the secret with a newline', /newline after it/, sign(eventBody('a'), `${SECRET}\n`), eventBody('a')],
  ['an uppercase header', /not in lowercase/, sign(eventBody('a')).toUpperCase(), eventBody('a')],
  ['a body written again', /indented JSON/, sign(JSON.stringify(JSON.parse(eventBody('a')), null, 2)), eventBody('a')],
  ['a body written by Python', /spaces after commas/, sign('{"event": "é", "n": [1, 2]}'), '{"event":"é","n":[1,2]}'],
  ['a body with the end trimmed', /newline at its end/, sign(`${eventBody('a')}\n`), eventBody('a')],
  ['a body encoded twice', /Latin-1/, sign('{"a":"é"}'), Buffer.from(Buffer.from('{"a":"é"}').toString('latin1'))],
  ['an unknown secret', /No usual mistake/, sign(eventBody('a'), 'whsec_test'), eventBody('a')],
])('diagnosis: %s', (_, expected, signature, body) => {
  const diagnosis = diagnose('invalid_signature', Buffer.from(body), { 'x-service-signature': [signature] }, secrets);
  expect(diagnosis).toMatch(expected);
  expect(diagnosis).not.toContain(SECRET.slice(6));
});

/** As many values as deep as they can be: indented, each stands behind `depth` levels of white space. */
function nested(depth: number, bytes: number): Buffer {
  const one = '['.repeat(depth) + ']'.repeat(depth);
  return Buffer.from(`[${Array.from({ length: bytes / one.length - 1 }, () => one).join(',')}]`);
}

test.each([
  ['10,000 levels', Buffer.from('['.repeat(10_000) + ']'.repeat(10_000))],
  ['many times 1,000 levels', nested(1_000, 60_000)],
  ['many times 31 levels', nested(31, 60_000)],
  ['nothing but deep numbers', Buffer.from(`${'['.repeat(31)}${'1,'.repeat(32_000)}1${']'.repeat(31)}`)],
  ['a megabyte of brackets', Buffer.from('['.repeat(1_048_576))],
])('whoever can send anything can not make the diagnosis throw or take long: %s', (_, body) => {
  const start = performance.now();
  const given = { 'x-service-signature': [sign('another body')] };
  expect(diagnose('invalid_signature', body, given, secrets)).toMatch(/No usual mistake/);
  expect(performance.now() - start).toBeLessThan(1_000);
});
