import type { JsonObject } from '../json.js';
import { textField } from '../records.js';

/** Results of the compliance check (KYT), which the specification does not name (2.2): words of the contract, as `kytWord` has them. */
export interface KytWords {
  passed: readonly string[];
  pending: readonly string[];
  rejected: readonly string[];
}

export const defaultKytWords: KytWords = {
  passed: 'approved passed pass clear cleared clean ok accepted low_risk completed safe'.split(' '),
  pending: (
    'pending in_progress processing awaiting awaiting_review review in_review under_review manual_review ' +
    'pending_review on_hold hold'
  ).split(' '),
  rejected: 'rejected failed blocked declined denied flagged high_risk severe_risk frozen sanctioned alert'.split(' '),
};

export type KytVerdict = 'passed' | 'pending' | 'rejected' | 'unknown';

/** A word on no list is `unknown`: it proves nothing. */
export function kytVerdict(status: string, words: KytWords): KytVerdict {
  const word = kytWord(status);
  if (words.rejected.includes(word)) return 'rejected';
  if (words.pending.includes(word)) return 'pending';
  return words.passed.includes(word) ? 'passed' : 'unknown';
}

export function isRejected(fields: JsonObject, words: KytWords): boolean {
  const word = textField(fields, 'kytStatus');
  return word !== null && kytVerdict(word, words) === 'rejected';
}

/** A result as the lists hold it: `High Risk` and `high-risk` are `high_risk`. */
export function kytWord(status: string): string {
  return status
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}
