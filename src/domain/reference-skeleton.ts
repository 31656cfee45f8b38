import { lookOf } from './confusables.js';

const UNSEEN = /[\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u;
const DASH = /\p{Dash}/u;

/**
 * What a reference looks like to a person: two with one skeleton are easily taken for one another. As the skeleton of UTS #39,
 * but that blanks, every dash and upper and lower case make no difference.
 */
export function referenceSkeleton(reference: string): string {
  const seen = Array.from(reference.normalize('NFKD'), (one) => {
    if (isUnseen(one)) return '';
    return DASH.test(one) ? '-' : lookOf(one);
  });
  return seen.join('').normalize('NFKD');
}

/** Blanks, controls, formats, fillers, halves of characters and what is none. */
export function isUnseen(character: string): boolean {
  return UNSEEN.test(character);
}
