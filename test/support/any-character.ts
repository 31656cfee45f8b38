import * as fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/** The unit `binary` of fast-check, which takes half a second to list a million characters before the first. */
export const anyCharacter = fc.integer({ min: 0, max: 0x10_ffff - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (character) => {
    if (typeof character !== 'string' || !/^\P{Cs}$/su.test(character)) throw new Error('not one character');
    const code = character.codePointAt(0) ?? 0;
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);
