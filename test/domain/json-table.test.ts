import * as fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it, test, vi } from 'vitest';
import { canonicalJson } from '../../src/domain/canonical-json.js';
import { atOnce } from '../../src/domain/in-turns.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { writingCanonical } from '../../src/domain/json-table/canonical-text.js';
import { outlineOf } from '../../src/domain/json-table/json-table.js';
import { JsonTextError, readTable } from '../../src/domain/json-table/read-table.js';
import { KeySorter } from '../../src/domain/json-table/sort-keys.js';
import { anyCharacter } from '../support/any-character.js';
import { sized } from '../support/sizes.js';

const read = (text: string) => readTable(text, 512);
const json = (text: string) => parse(text) as Json;
const canonical = (text: string, member = 'none') => atOnce(writingCanonical(read(text), member));
const canonicalText = (text: string) => canonical(text).whole;

/** Strings as a sender may write them: each unit as it is, or as an escape. */
const written = fc
  .array(
    fc.tuple(fc.oneof(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }), fc.constant('😀')), fc.nat(3)),
  )
  .map(
    (units) =>
      `"${units.map(([unit, how]) => (how === 0 ? escaped(unit) : JSON.stringify(unit).slice(1, -1))).join('')}"`,
  );

function escaped(text: string): string {
  return [...Array(text.length).keys()]
    .map((at) => `\\u${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}`)
    .join('');
}

const { document } = fc.letrec<{ document: string }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    written,
    fc.constantFrom('1', '-0', '1.0', '1E+2', 'true', 'false', 'null', '"\\/\\b\\f\\n\\r\\t"'),
    fc.array(tie('document'), { maxLength: 4 }).map((items) => `[ ${items.join(' ,')}\n]`),
    fc
      .uniqueArray(fc.tuple(written, tie('document')), {
        maxLength: 20,
        selector: ([key]) => JSON.parse(key) as string,
      })
      .map((members) => `{\t${members.map(([key, value]) => `${key} : ${value}`).join(',')} }`),
  ),
}));

describe('of any document', () => {
  it('the canonical text is that of its value', () => {
    fc.assert(
      fc.property(document, (text) => {
        expect(canonicalText(text)).toBe(canonicalJson(json(text)));
        expect(canonicalJson(read(text).value())).toBe(canonicalJson(json(text)));
      }),
      { numRuns: sized(150, 5_000) },
    );
  });

  it('the text without a member is that of the others', () => {
    const named = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('"a"', '"\\u0061"') }, written);
    const members = fc.uniqueArray(fc.tuple(named, document), { maxLength: 6, selector: ([key]) => JSON.parse(key) });
    fc.assert(
      fc.property(members, (all) => {
        const others = all.filter(([key]) => JSON.parse(key) !== 'a');
        const whole = (some: typeof all) => `{${some.map(([key, value]) => `${key}:${value}`).join()}}`;
        expect(canonical(whole(all), 'a').others).toBe(canonicalJson(json(whole(others))));
      }),
    );
  });

  it('each member and item is found by its name or number, and nothing else is', () => {
    fc.assert(
      fc.property(document, (text) => {
        const table = read(text);
        const value = table.value();
        if (Array.isArray(value)) {
          const items = [...value.keys(), value.length].map((index) => table.item(0, index));
          expect(items.map((part) => part !== null && table.value(part))).toEqual([...value, false]);
        } else if (table.kind(0) === 'object') {
          for (const name of Object.keys(value as JsonObject)) {
            const part = table.member(0, name);
            expect(part !== null && table.value(part)).toEqual((value as JsonObject)[name]);
          }
        }
        expect(table.kind(0) === 'array' || table.item(0, 0) === null).toBe(true);
        expect(table.member(0, 'no such name')).toBeNull();
      }),
    );
  });
});

test('a surrogate that stands alone in the text is distinguished from its neighbours, wherever it stands', () => {
  const texts = [
    '"\ud800"',
    '"a\udc00"',
    '"\udc00\ud800"',
    '"\ud800\ud800\udc00"',
    `{"\udc00":"${'\ud800'.repeat(9)}"}`,
  ];
  for (const text of texts) expect(canonicalText(text)).toBe(canonicalJson(json(text)));
});

describe('many keys', () => {
  const object = (keys: readonly string[]) => `{${keys.map((key) => `${JSON.stringify(key)}:1`).join()}}`;
  const scrambled = (n: number) => (Math.imul(n + 1, 2_654_435_761) >>> 0).toString(36);
  const times = (many: number, key: (n: number) => string) => Array.from({ length: many }, (_, n) => key(n));
  const sets: Record<string, string[]> = {
    scrambled: times(3_000, scrambled),
    'numbers without zeros before them': times(3_000, String),
    'with a long beginning in common': times(60, (n) => 'k'.repeat(3_000) + scrambled(n)),
    'each the beginning of the next': times(400, (n) => 'k'.repeat((n * 97) % 401)),
    'other letters': times(3_000, (n) => `ж${scrambled(n)}😀`),
    'with zeros and marks': times(40, (n) => '\u0000"\\\u007f\u0080'.slice(n % 5) + '\u0000'.repeat(n)),
    'a part that ends as the next one begins': times(
      200,
      (n) => `aaaa${n % 2 ? 'aaaa' : 'bbbb'}${scrambled(n)}`,
    ).concat('bbbb'),
    'the largest unit': times(40, (n) => `\uffff${'\ufffe\uffff'[n % 2]}${n}`),
  };

  test.each(Object.entries(sets))('%s: in the order of their units', (_, keys) => {
    const sorted = keys.toSorted().map((key) => `${JSON.stringify(key)}:1`);
    expect(canonicalText(object(keys))).toBe(`{${sorted.join()}}`);
  });

  test.each(Object.entries(sets))('%s: one that is there twice is refused where it stands', (_, keys) => {
    const [first = '', second = ''] = keys;
    const twice = [...keys, second, first];
    const position = object([...keys]).length;
    expect(() => read(object(twice))).toThrow(new JsonTextError('a key that the object already has', position));
  });
});

describe('what is done is bounded by what is there', () => {
  const SIZE = sized(250_000, 1_000_000);
  const many = (text: string) => Math.floor(SIZE / text.length);
  const times = (text: string) => text.repeat(many(text));
  const deep = `${'['.repeat(500)}${']'.repeat(500)},`;

  it.each([
    ['numbers', `[${times('1,')}1]`, many('1,') + 2],
    ['empty lists', `[${times('[],')}1]`, many('[],') + 2],
    ['lists in lists', `[${times(deep)}1]`, many(deep) * 500 + 2],
    ['a number of very many digits', '9'.repeat(SIZE), 1],
    ['a text of escapes', `"${times('\\u0041')}"`, 1],
  ])('%s: one part for each value and key, and none is made an object', (_, text, size) => {
    expect(read(text).size).toBe(size);
  });

  it.each([
    ['numbers', `[${times('1,')}1]`],
    ['lists in lists', `[${times(deep)}1]`],
    ['keys', `{${Array.from({ length: SIZE / 10 }, (_, n) => `"${n}":1`).join()}}`],
  ])('%s: room is made once, and little is copied into it', (_, text) => {
    const copied = [Int32Array, Uint16Array].map((Kind) => vi.spyOn(Kind.prototype, 'set'));
    try {
      read(text);
      const lengths = copied.flatMap((set) => set.mock.calls.map(([from]) => from.length));
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(SIZE / 10);
    } finally {
      for (const set of copied) set.mockRestore();
    }
  });

  it('there is room for every text, also for one that ends too early', () => {
    for (const n of [130, 511, 512, 5_000]) {
      const whole = [`[${'1,'.repeat(n)}1]`, `[${'[],'.repeat(n)}[]]`, `${'['.repeat(n)}${']'.repeat(n)}`];
      for (const text of whole.slice(0, n > 512 ? 2 : 3)) expect(canonicalText(text)).toBe(text);
      for (const start of ['[', '[1,', '{"":'])
        for (const end of ['', '1', '[', '{'])
          expect(() => read(start.repeat(n) + end), `${n} of ${start}, then ${end}`).toThrow(JsonTextError);
    }
  });

  it('keys are compared four units at a time and never whole, but for a few', () => {
    const compare = vi.spyOn(KeySorter.prototype, 'compare');
    const sort = vi.spyOn(BigUint64Array.prototype, 'sort');
    try {
      const keys = Array.from(
        { length: 20_000 },
        (_, n) => `"${(Math.imul(n + 1, 2_654_435_761) >>> 0).toString(36)}":1`,
      );
      read(`{${keys.join()}}`);
      expect(sort.mock.calls.length).toBeLessThan(2_000);
      expect(compare.mock.calls.length).toBeLessThan(2 * keys.length);
    } finally {
      compare.mockRestore();
      sort.mockRestore();
    }
  });

  it('a long beginning that all keys share is passed over once', () => {
    const sort = vi.spyOn(BigUint64Array.prototype, 'sort');
    try {
      read(`{${Array.from({ length: 26 }, (_, n) => `"${'ж'.repeat(20_000)}${25 - n}":1`).join()}}`);
      expect(sort.mock.calls.length).toBeLessThan(10);
    } finally {
      sort.mockRestore();
    }
  });
});

describe('an outline', () => {
  const outline = (data: object) => outlineOf(read(JSON.stringify({ data })), 2);
  const many = <T>(item: (n: number) => T) =>
    Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, item(n)]));

  it('has the texts and objects, texts first, and neither lists nor numbers', () => {
    const data = { inner: { id: 'b', n: 1, deeper: { c: 'd' } }, list: [{ id: 'x' }], flag: true, none: null, id: 'a' };
    expect(outline(data)).toEqual({ id: 'a', inner: { id: 'b', deeper: { c: 'd' } } });
    expect(Object.keys(outline(data))).toEqual(['id', 'inner']);
  });

  it('says which record it is, however many other things stand before that', () => {
    const bulk = { numbers: many(() => 1), list: Object.keys(many(String)), ...many((n) => n) };
    expect(outline({ ...bulk, id: 'a' })).toEqual({ id: 'a', numbers: {} });
  });

  it('has a thousand members, those of the objects within counted, and no more', () => {
    const count = (value: unknown): number =>
      typeof value === 'object'
        ? Object.values(value as object).reduce((sum: number, one) => sum + 1 + count(one), 0)
        : 0;
    for (const data of [many(String), many(() => ({})), many((n) => ({ a: `${n}`, b: { c: 'd' } }))])
      expect(count(outline(data))).toBe(1_000);
  });

  it('goes no deeper than a record stands', () => {
    const deep = (levels: number): object => (levels === 0 ? { id: 'a' } : { data: deep(levels - 1) });
    expect(JSON.stringify(outline(deep(6)))).toContain('"id":"a"');
    expect(JSON.stringify(outline(deep(7)))).not.toContain('"id":"a"');
  });
});
