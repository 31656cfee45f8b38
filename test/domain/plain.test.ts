import fc from 'fast-check';
import { LosslessNumber, parse } from 'lossless-json';
import { expect, it } from 'vitest';
import { type Json, plain, toJsonText } from '../../src/domain/json.js';

/** Numbers as a service may write them, among them those that a double changes. */
const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((given) => JSON.stringify(given)),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
  fc
    .tuple(
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.integer({ min: -400, max: 400 }),
    )
    .map(([whole, part, exponent]) => `${whole}.${part}e${exponent}`),
);
const json = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false, '', '12', '__proto__'),
    fc.string(),
    numberText.map((text) => new LosslessNumber(text)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('json'), { maxKeys: 4 }),
  ),
})).json;

/** The exact value of a number's text: digits, and the power of ten behind the last. */
function valueOf(text: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + part).replace(/^0+/, '');
  const bare = digits.replace(/0+$/, '');
  const power = Number(exponent) - part.length + digits.length - bare.length;
  return bare === '' ? '0' : `${sign}${bare}e${power}`;
}

it('a number keeps its value, as a number or as its text; all else stays what it is', () => {
  fc.assert(
    fc.property(json, (given) => {
      const made: unknown = JSON.parse(JSON.stringify(plain(given)));
      const same = (before: unknown, after: unknown): void => {
        if (before instanceof LosslessNumber) {
          if (typeof after === 'string') expect(after).toBe(before.value);
          else expect(valueOf(JSON.stringify(after))).toBe(valueOf(before.value));
          return;
        }
        if (typeof before !== 'object' || before === null) return expect(after).toBe(before);
        expect(Object.keys(after as object)).toEqual(Object.keys(before));
        for (const [name, part] of Object.entries(before)) same(part, Reflect.get(after as object, name));
      };
      same(given, made);
    }),
  );
});

it.each([
  ['12', 12],
  ['1.50', 1.5],
  ['0.1', 0.1],
  ['1e3', 1000],
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740993', '9007199254740993'],
  ['0.1234567890123456789', '0.1234567890123456789'],
  ['1e400', '1e400'],
  ['1e-400', '1e-400'],
])('%s is %j', (text, value) => {
  expect(plain({ cart: [parse(text) as Json] })).toEqual({ cart: [value] });
});

it('what was read is not changed', () => {
  const given = { cart: new LosslessNumber('12') };
  plain(given);
  expect(toJsonText(given)).toBe('{"cart":12}');
});
