import { describe, expect, it } from 'vitest';
import { defaultKytWords, isRejected, type KytWords, kytVerdict, kytWord } from '../../src/domain/orders/kyt.js';

describe('a result of the screening', () => {
  const words: KytWords = { passed: ['fine', 'both'], pending: ['wait'], rejected: ['no_good', 'both'] };
  it.each([
    ['fine', 'passed'],
    ['wait', 'pending'],
    ['no_good', 'rejected'],
    ['  No-Good ', 'rejected'],
    ['no \t good', 'rejected'],
    ['both', 'rejected'],
    ['fine!', 'unknown'],
    ['', 'unknown'],
  ])('%j is %s', (status, verdict) => {
    expect(kytVerdict(status, words)).toBe(verdict);
    expect(isRejected({ kytStatus: status }, words)).toBe(verdict === 'rejected');
  });

  it('is none where the field is absent, or no text', () => {
    const empty = { ...words, rejected: ['', 'null', 'true'] };
    expect(isRejected({}, empty)).toBe(false);
    expect(isRejected({ kytStatus: null }, empty)).toBe(false);
    expect(isRejected({ kytStatus: true }, empty)).toBe(false);
  });

  it('has words that are on one list each, as they are compared', () => {
    const all = Object.values(defaultKytWords).flat();
    expect(new Set(all).size).toBe(all.length);
    expect(all.map(kytWord)).toEqual(all);
    for (const [verdict, list] of Object.entries(defaultKytWords)) {
      expect(list.length).toBeGreaterThan(10);
      for (const word of list) expect([word, kytVerdict(word, defaultKytWords)]).toEqual([word, verdict]);
    }
    expect(all).not.toContain('');
  });
});
