import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/domain/canonical-json.js';
import { fromJsonText, isJsonObject, type Json, objectFromJsonText, toJsonText } from '../../src/domain/json.js';
import { anyCharacter } from '../support/any-character.js';

const numbers = fc
  .constantFrom('0', '-1', '1.0', '12345678901234567890.10', '1e400')
  .map((text) => new LosslessNumber(text));
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 5 }),
      fc.constantFrom(null, true, false, '":1', '1', '-2,[3'),
      numbers,
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('what is stored as text comes back as it was, with every digit, and the text has no white space and no NUL', () => {
  fc.assert(
    fc.property(value, (json) => {
      const text = toJsonText(json);
      expect(canonicalJson(fromJsonText(text))).toBe(canonicalJson(json));
      expect(text).not.toContain('\0');
      expect(toJsonText(fromJsonText(text))).toBe(text);
    }),
    { numRuns: 150 },
  );
});

test.each(['1', '-1', '[1]', '[0,-1]', '{"a":1.50}', '{"a":[{"b":-1e5}]}', '["x",1]', '{"a":"x","b":0}'])(
  'a number keeps its digits wherever it stands: %s',
  (text) => expect(toJsonText(fromJsonText(text))).toBe(text),
);

test('a number is no double, in which digits may be lost', () => {
  expect(objectFromJsonText('{"a":1.50}')).toEqual({ a: new LosslessNumber('1.50') });
});

test('what JSON has no text for is refused', () => {
  for (const none of [undefined, () => '']) expect(() => toJsonText(none as unknown as Json)).toThrow(TypeError);
});

test('an object is neither null, a list, a number nor a text', () => {
  const others: (Json | undefined)[] = [undefined, null, [], new LosslessNumber('1'), '{}', true];
  expect([others.filter(isJsonObject), [{}, { a: null }].filter(isJsonObject)]).toEqual([[], [{}, { a: null }]]);
});
