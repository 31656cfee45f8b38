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
export function isUnseen(character: string): boolean {
  return UNSEEN.test(character);
}
