import { lookOf } from './confusables.js';

const UNSEEN = /[\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u;
const DASH = /\p{Dash}/u;

/** What a reference looks like to a person: the skeleton of UTS #39, but that blanks, dashes and case make no difference. */
export function referenceSkeleton(reference: string): string {
  let seen = '';
  for (const one of reference.normalize('NFKD')) seen += asciiShapes[one.charCodeAt(0)] ?? shapeOf(one);
  return seen.normalize('NFKD');
}

function shapeOf(one: string): string {
  if (isUnseen(one)) return '';
  return DASH.test(one) ? '-' : lookOf(one);
}

/** Of the characters that most references are made of. */
const asciiShapes = Array.from({ length: 128 }, (_, code) => shapeOf(String.fromCharCode(code)));

/** Blanks, controls, formats, fillers, halves of characters and what is none. */
function isUnseen(character: string): boolean {
  return UNSEEN.test(character);
}

const LONGEST = 12;
const ASCII = /^[!-~]$/;

/** Of those that get into references by copying and pasting. */
const names: Readonly<Record<string, string>> = {
  '\0': 'NUL',
  '\t': 'tab',
  '\n': 'line feed',
  '\r': 'carriage return',
  ' ': 'space',
  '\u00a0': 'no-break space',
  '\u00ad': 'soft hyphen',
  '\u200b': 'zero width space',
  '\u200c': 'zero width non-joiner',
  '\u200d': 'zero width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u2010': 'hyphen',
  '\u2011': 'non-breaking hyphen',
  '\u2012': 'figure dash',
  '\u2013': 'en dash',
  '\u2014': 'em dash',
  '\u202e': 'right-to-left override',
  '\u2060': 'word joiner',
  '\u2212': 'minus sign',
  '\ufeff': 'zero width no-break space',
};

const scripts = [
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Latin', /\p{Script=Latin}/u],
] as const;

/** What stands in one reference in place of what stands in the other, with a name for all that is not known by sight. */
export function referenceDifference(here: string, there: string): { here: string; there: string } {
  const [a, b] = [Array.from(here), Array.from(there)];
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < least - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const between = (all: string[]): string => spelled(all.slice(start, all.length - end));
  return { here: between(a), there: between(b) };
}

function spelled(characters: readonly string[]): string {
  if (characters.length === 0) return 'nothing';
  const more = characters.length > LONGEST ? ' and more' : '';
  return `${characters.slice(0, LONGEST).map(nameOf).join(', ')}${more}`;
}

function nameOf(character: string): string {
  if (ASCII.test(character)) return `“${character}”`;
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const name = names[character] ?? scripts.find(([, script]) => script.test(character))?.[0];
  const seen = isUnseen(character) ? code : `“${character}” ${code}`;
  return name === undefined ? seen : `${seen} (${name})`;
}
