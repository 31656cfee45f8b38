import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { canonicalHash, canonicalJson } from '../../src/domain/canonical-json.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { anyCharacter } from '../support/any-character.js';
import { sized } from '../support/sizes.js';

const json = (text: string): Json => parse(text) as Json;

describe('canonical JSON', () => {
  it('does not depend on the order of keys or on white space', () => {
    expect(canonicalJson(json('{ "b": [1, {"d": null, "c": true}], "a": "x" }'))).toBe(
      '{"a":"x","b":[1,{"c":true,"d":null}]}',
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: anyCharacter, maxLength: 8 }), fc.jsonValue({ maxDepth: 2 })),
        fc.nat(),
        (object, turn) => {
          const entries = Object.entries(object);
          const turned = entries
            .slice(turn % (entries.length + 1))
            .concat(entries.slice(0, turn % (entries.length + 1)));
          const again = json(JSON.stringify(Object.fromEntries(turned), null, 2));
          expect(canonicalJson(again)).toBe(canonicalJson(json(JSON.stringify(object))));
        },
      ),
    );
  });

  it('keeps numbers as they were written', () => {
    const numbers = '[1,1.0,1e2,-0,12345678901234567890123456789.000000000000000001]';
    expect(canonicalJson(json(numbers))).toBe(numbers);
  });

  it('sorts by UTF-16 code unit, so that every implementation of this rule agrees', () => {
    expect(canonicalJson(json('{"\\ufb33":1,"\\ud83d\\ude00":2,"\\r":3,"€":4,"1":5,"10":6,"9":7,"":8}'))).toBe(
      '{"":8,"\\r":3,"1":5,"10":6,"9":7,"€":4,"😀":2,"\ufb33":1}',
    );
  });

  it('distinguishes NUL, lone surrogates and their spelled-out forms', () => {
    const texts = [
      '"\\u0000"',
      '"\\\\u0000"',
      '"\\ud800"',
      '"\\\\ud800"',
      '"\\udc00\\ud800"',
      '"\\ud800\\udc00"',
      '""',
    ];
    expect(new Set(texts.map((text) => canonicalHash(json(text)))).size).toBe(texts.length);
  });

  it('takes __proto__ for a key like any other', () => {
    expect(canonicalJson(json('{"__proto__":{"a":1},"a":2}'))).toBe('{"__proto__":{"a":1},"a":2}');
  });

  it('holds 512 levels and far more', () => {
    for (const depth of [512, 2_000]) {
      let value: Json = null;
      for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
      expect(canonicalJson(value)).toBe(JSON.stringify(value));
    }
  });

  it('refuses a JavaScript number: its digits may be lost already', () => {
    expect(() => canonicalJson({ a: 1 } as unknown as Json)).toThrow(TypeError);
  });

  it('is what this rule says, and its hash that of its bytes, whatever the value and however many items it has', () => {
    const many = fc
      .nat({ max: 1_100 })
      .map((length): unknown[] => Array.from({ length }, (_, n) => (n % 7 === 0 ? [n] : `${n}`)));
    const values = fc.oneof({ weight: 5, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: anyCharacter }) }, many);
    fc.assert(
      fc.property(values, fc.string({ unit: anyCharacter, maxLength: 120 }), (value, key) => {
        const object = json(JSON.stringify({ [key]: value, b: 1, a: [value] })) as JsonObject;
        expect(canonicalJson(object)).toBe(byTheRule(JSON.parse(JSON.stringify({ [key]: value, b: 1, a: [value] }))));
        expect(canonicalHash(object)).toBe(createHash('sha256').update(canonicalJson(object)).digest('hex'));
      }),
      {
        numRuns: sized(20, 60),
        examples: [
          [Array.from({ length: 500 }, () => ''), ''],
          [Array.from({ length: 1_000 }, () => 'é'), 'a'],
        ],
      },
    );
  });

  it('leaves out a member that is undefined, and refuses what is no JSON', () => {
    const object = { b: '1', a: undefined } as unknown as JsonObject;
    expect(canonicalJson(object)).toBe('{"b":"1"}');
    for (const value of [undefined, 1n, () => ''])
      expect(() => canonicalJson(value as unknown as Json)).toThrow(TypeError);
  });
});

/** The rule by itself, for what JSON.parse gives; doubles are written as JSON.stringify writes them. */
function byTheRule(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(byTheRule).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${byTheRule((value as JsonObject)[key])}`).join(',')}}`;
}
