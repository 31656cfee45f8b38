import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { lookOf } from '../../src/domain/confusables.js';
import { referenceDifference, referenceSkeleton } from '../../src/domain/reference-skeleton.js';
import { anyCharacter } from '../support/any-character.js';
import { sized } from '../support/sizes.js';

const unseen = [
  ' ',
  '\u00a0',
  '\u3000',
  '\t',
  '\0',
  '\u001b',
  '\u007f',
  '\u00ad',
  '\u034f',
  '\u200b',
  '\u200d',
  '\u202e',
].concat(['\u2060', '\u2800', '\u3164', '\ufe0f', '\ufeff', '\ufffe', '\ud800', '\u{e0041}']);
const hyphens = [
  '-',
  '\u2010',
  '\u2011',
  '\u2012',
  '\u2013',
  '\u2014',
  '\u2015',
  '\u2212',
  '\ufe63',
  '\uff0d',
  '\u2e3a',
  '\u30fc',
];
const twins = { K: '\u041a', A: '\u0391', o: '\u043e', 1: 'l', 5: '\uff15', e: '\u0435' };

const anything = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom(...unseen, ...hyphens, ...Object.values(twins), '\u0301', '\u0130', '\u1e9e', 'K'),
  }),
);

/** The same reference with so much in it that nobody sees, and other hyphens. */
const disguised = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('K', 'A', 'o', 'e', '1', '5', '-', 'x', '\u00df'), maxLength: 12 }),
    fc.infiniteStream(fc.nat()),
  )
  .map(([reference, stream]) => {
    const pick = <T>(from: readonly T[]): T | undefined => from[Number(stream.next().value) % from.length];
    const some = () => Array.from({ length: Number(stream.next().value) % 3 }, () => pick(unseen)).join('');
    const characters = Array.from(reference, (one) => {
      const look = one === '-' ? pick(hyphens) : pick([one, one.toLowerCase(), twins[one as 'K'] ?? one]);
      return `${some()}${look}`;
    });
    return { reference, disguise: `${characters.join('')}${some()}` };
  });

describe('the skeleton of a reference', () => {
  it('is its own skeleton', () => {
    fc.assert(
      fc.property(anything, (reference) => {
        const skeleton = referenceSkeleton(reference);
        expect(referenceSkeleton(skeleton)).toBe(skeleton);
      }),
      { numRuns: sized(500, 30_000) },
    );
  });

  it('is its own skeleton, whatever the character', () => {
    const other: number[] = [];
    // Beyond the alphabets most planes are empty, or one ideograph after the other.
    for (let code = 0; code <= 0x10ffff; code += code < 0x3000 ? 1 : sized(37, 1)) {
      const skeleton = referenceSkeleton(String.fromCodePoint(code));
      if (referenceSkeleton(skeleton) !== skeleton) other.push(code);
    }
    expect(other).toEqual([]);
  });

  it('is one for all that differ in what nobody sees, in hyphens, in case, and in letters that look the same', () => {
    fc.assert(
      fc.property(disguised, ({ reference, disguise }) => {
        expect(referenceSkeleton(disguise)).toBe(referenceSkeleton(reference));
      }),
      { numRuns: sized(500, 30_000) },
    );
  });

  it('is one for what differs in upper and lower case alone, in ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (reference) => {
        expect(referenceSkeleton(reference.toUpperCase())).toBe(referenceSkeleton(reference.toLowerCase()));
      }),
    );
  });

  it('takes for alike what Unicode 17 says, character for character: this is the hash of all of it', () => {
    const looks = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
      .filter((one) => lookOf(one) !== one.toLowerCase())
      .map((one) => `${one} ${lookOf(one)}`);
    expect(createHash('sha256').update(looks.join('\n')).digest('hex')).toBe(
      '6b4c3173d5b9572afbd788d1303825484eb1701e7b2b500a88345522ebc424c5',
    );
  });

  test.each([
    'K-1 ',
    'K-1\u200b',
    'K-1\0',
    '\u041a-1',
    '\u043a-1',
    'K\u20111',
    'K\u22121',
    'k-1',
    '\uff2b\uff0d\uff11',
    'K-l',
    'K-I',
    'K - 1',
    '\u202eK-1',
  ])('%j looks like K-1', (other) => {
    expect(referenceSkeleton(other)).toBe(referenceSkeleton('K-1'));
  });

  test.each([
    ['K-1', 'K-2'],
    ['K-1', 'K1'],
    ['A-10', 'A-100'],
    ['caf\u00e9', 'cafe'],
    ['n', 'v'],
    ['\u0416-1', 'K-1'],
    ['1001', '1010'],
  ])('%j does not look like %j', (a, b) => {
    expect(referenceSkeleton(a)).not.toBe(referenceSkeleton(b));
  });
});

test.each([
  ['K-1', 'K-1\u200b', 'nothing', 'U+200B (zero width space)'],
  ['K-1 ', 'K-1', 'U+0020 (space)', 'nothing'],
  ['K-1', 'K-1\0', 'nothing', 'U+0000 (NUL)'],
  ['K-1', '\u041a-1', '\u201cK\u201d', '\u201c\u041a\u201d U+041A (Cyrillic)'],
  ['K-1', 'K\u20111', '\u201c-\u201d', '\u201c\u2011\u201d U+2011 (non-breaking hyphen)'],
  ['A-1', 'a-1', '\u201cA\u201d', '\u201ca\u201d'],
  ['K-1', 'K-1\u{e0041}', 'nothing', 'U+E0041'],
  ['aa', 'a', '\u201ca\u201d', 'nothing'],
  ['K-1', 'K\u00a01', '\u201c-\u201d', 'U+00A0 (no-break space)'],
  ['a\u0391a', 'aAa', '\u201c\u0391\u201d U+0391 (Greek)', '\u201cA\u201d'],
  ['a\u0585', 'ao', '\u201c\u0585\u201d U+0585 (Armenian)', '\u201co\u201d'],
  ['\u13aa', 'A', '\u201c\u13aa\u201d U+13AA (Cherokee)', '\u201cA\u201d'],
  ['caf\u00e9', 'cafe', '\u201c\u00e9\u201d U+00E9 (Latin)', '\u201ce\u201d'],
  ['\u4e2d', '', '\u201c\u4e2d\u201d U+4E2D', 'nothing'],
  ['\t1', '\n1', 'U+0009 (tab)', 'U+000A (line feed)'],
  ['~!', '~\u007f', '\u201c!\u201d', 'U+007F'],
  ['A-1', 'A-1', 'nothing', 'nothing'],
  ['A-1-1', 'A-1', '\u201c-\u201d, \u201c1\u201d', 'nothing'],
  ['\u{1f600}a', '\u{1f601}a', '\u201c\u{1f600}\u201d U+1F600', '\u201c\u{1f601}\u201d U+1F601'],
])('of %j and %j the difference can be read', (own, other, here, there) => {
  expect(referenceDifference(own, other)).toEqual({ here, there });
});

test('of a long difference the beginning is shown', () => {
  expect(referenceDifference('x', `x${'\u200b'.repeat(900)}`).there).toMatch(
    /^(U\+200B \(zero width space\)(, )?){12} and more$/,
  );
});

test('of a difference of twelve characters all are shown', () => {
  expect(referenceDifference('x', `x${'ab'.repeat(6)}`).there).toBe(Array(6).fill('“a”, “b”').join(', '));
  expect(referenceDifference('x', `x${'ab'.repeat(6)}c`).there).toBe(
    `${Array(6).fill('“a”, “b”').join(', ')} and more`,
  );
});

test('what differs stands between what is the same at both ends, whatever the references', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1'), maxLength: 4 });
  const shown = (part: string) => (part === '' ? 'nothing' : Array.from(part, (one) => `“${one}”`).join(', '));
  fc.assert(
    fc.property(text, text, text, text, (start, end, here, there) => {
      fc.pre(here[0] !== there[0] || (here === '' && there === ''));
      fc.pre(here.at(-1) !== there.at(-1) || (here === '' && there === ''));
      fc.pre(here !== '' && there !== '');
      const expected = { here: shown(here), there: shown(there) };
      expect(referenceDifference(start + here + end, start + there + end)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('of copied characters that nobody sees or distinguishes from a hyphen each has its name', () => {
  const named = {
    '\0': 'NUL',
    '\t': 'tab',
    '\n': 'line feed',
    '\r': 'carriage return',
    ' ': 'space',
    '\u00ad': 'soft hyphen',
    '\u2010': 'hyphen',
    '\u2011': 'non-breaking hyphen',
  };
  for (const [character, name] of Object.entries(named))
    expect(referenceDifference('', character).there).toContain(`(${name})`);
});
