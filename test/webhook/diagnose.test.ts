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
