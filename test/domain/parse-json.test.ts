import * as fc from 'fast-check';
import { LosslessNumber, parse as losslessParse, stringify } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { JsonTextError, parseJson } from '../../src/domain/json-table/read-table.js';
import { anyCharacter } from '../support/any-character.js';

const parse = (text: string, maxDepth = 512) => parseJson(text, maxDepth);

test('reads what JSON.parse reads, with the same keys and values', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4, stringUnit: anyCharacter }), fc.constantFrom(0, 1, 2), (text, indent) => {
      const written = JSON.stringify(JSON.parse(text), null, indent);
      expect(JSON.parse(stringify(parse(written)) ?? '')).toEqual(JSON.parse(written));
    }),
    { numRuns: 100 },
  );
});

test('refuses what JSON.parse refuses: a valid text with one character changed, removed or added', () => {
  const edit = fc.tuple(
    fc.nat(),
    fc.constantFrom(...Array.from('{}[]:,"\\ \n\t0159.-+eEtrufalsn/\0\u00a0\ufeffü')),
    fc.nat(2),
  );
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.array(edit, { minLength: 1, maxLength: 3 }), (text, edits) => {
      const broken = edits.reduce((before, [at, character, removed]) => {
        const start = at % (before.length + 1);
        return before.slice(0, start) + character + before.slice(start + removed);
      }, text);
      let expected: unknown;
      try {
        expected = JSON.parse(broken);
      } catch {
        expect(() => parse(broken)).toThrow(JsonTextError);
        return;
      }
      try {
        expect(JSON.parse(stringify(parse(broken)) ?? '')).toEqual(expected);
      } catch (error) {
        expect((error as Error).message).toContain('already has');
      }
    }),
    { numRuns: 1_000 },
  );
});

describe('keys', () => {
  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"x":[{"b":{},"b":{}}]}',
    '{"__proto__":1,"__proto__":1}',
    '{"":0,"":0}',
    '{"1":0,"1":0}',
  ])('%s: a key twice in one object is refused', (text) => {
    expect(() => parse(text)).toThrow(/a key that the object already has at position \d+/);
  });

  test('the same key in different objects, and names that every object inherits, are fine', () => {
    const text = '{"a":{"a":1},"b":[{"a":1},{"a":2}],"toString":1,"constructor":2,"hasOwnProperty":3}';
    expect(stringify(parse(text))).toBe(text);
  });

  test('"__proto__" becomes a key and leaves the prototype alone', () => {
    const value = parse('{"__proto__":{"admin":true}}');
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('admin' in (value as object)).toBe(false);
  });
});

describe('depth', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  test('as deep as allowed is fine, one more is refused; neighbours do not add up', () => {
    expect(() => parse(nested(512))).not.toThrow();
    expect(() => parse(nested(513))).toThrow('nesting deeper than 512');
    expect(() => parse(`[${'[],{},'.repeat(600)}1]`, 2)).not.toThrow();
  });

  test('of 10,000,000 brackets no more are read than may be nested', () => {
    expect(() => parse('{"a":'.repeat(2_000_000))).toThrow('nesting deeper than 512 at position 2560');
    expect(() => parse('['.repeat(10_000_000))).toThrow('nesting deeper than 512 at position 512');
  });
});

describe('numbers', () => {
  test('keep the digits they were written with', () => {
    const digits = '1234567890'.repeat(10);
    const text = `[${digits},-0,1.10,1E+2,0.${digits},1e999]`;
    expect(stringify(parse(text))).toBe(text);
    expect(parse('1.0')).toEqual(new LosslessNumber('1.0'));
    expect(parse(text)).toEqual(losslessParse(text));
  });

  test.each(['01', '+1', '.5', '1.', '1e', '0x10', 'NaN', 'Infinity', '-', '1_000'])('%s is none', (text) => {
    expect(() => parse(text)).toThrow(JsonTextError);
  });
});

test.each([
  ['', 'an early end at position 0'],
  ['  ', 'an early end at position 2'],
  ['[1,', 'an early end at position 3'],
  ['x', 'no JSON value at position 0'],
  ['[tru]', 'no JSON value at position 1'],
  ['[false, nul]', 'no JSON value at position 8'],
  ['{"a":fals}', 'no JSON value at position 5'],
  ['1 2', 'text after the end of the document at position 2'],
  ['[1]]', 'text after the end of the document at position 3'],
  ['{ a:1}', 'a quoted key is missing at position 2'],
  ['{"a" 1}', 'a colon is missing at position 5'],
  ['{"a":1, "a":2}', 'a key that the object already has at position 8'],
  ['[1 2]', 'a comma or a closing bracket is missing at position 3'],
  ['{"a":1]', 'a comma or a closing bracket is missing at position 6'],
  ['[1}', 'a comma or a closing bracket is missing at position 2'],
  ['["ab\u001f"]', 'a control character inside a string at position 4'],
  [' "abc', 'a string without an end at position 1'],
  [' "abc\\"', 'a string without an end at position 1'],
  ['["\\x"]', 'a string with a wrong escape at position 1'],
  ['["a\\u12"]', 'a string with a wrong escape at position 1'],
  ['[[[[1]]]]', 'nesting deeper than 3 at position 3'],
  ['[[{"a":{}}]]', 'nesting deeper than 3 at position 7'],
])('%j is refused with the reason and its place, and without its text', (text, problem) => {
  expect(() => parse(text, 3)).toThrow(expect.objectContaining({ name: 'JsonTextError', message: problem }));
  expect(() => parse(text, 3)).toThrow(expect.objectContaining({ position: Number(/\d+$/.exec(problem)?.[0]) }));
});

test('every space of JSON may stand anywhere between, and a space or a tab inside a string is what it is', () => {
  const space = ' \n\r\t';
  const text = [
    '',
    '{',
    '"a b"',
    ':',
    '[',
    'true',
    ',',
    'false',
    ',',
    'null',
    ',',
    '[',
    ']',
    ',',
    '{',
    '}',
    ']',
    '}',
    '',
  ].join(space);
  expect(parse(text)).toEqual({ 'a b': [true, false, null, [], {}] });
  expect(() => parse('"\t"')).toThrow('a control character inside a string');
  expect(parse('"\u007f "')).toBe('\u007f ');
});

test('a value of an object may be changed, also where its key is __proto__', () => {
  const value = parse('{"__proto__":"a"}') as object;
  expect(Object.getOwnPropertyDescriptor(value, '__proto__')).toEqual({
    value: 'a',
    writable: true,
    enumerable: true,
    configurable: true,
  });
});
