import type { MatchView } from '../../domain/books/match/match-shapes.js';
import type { MatchState } from '../../domain/books/match/reasons.js';
import { amount, badgesOf, stack, type Value } from './values.js';

export const matchBadge = badgesOf<MatchState>({ matched: 'good', partly_matched: 'warn', unmatched: 'bad' });

/** What was asked, paid or booked of it, in each asset. */
export function sideOf({ amounts }: MatchView, side: 'asked' | 'paid' | 'booked'): Value {
  return stack(amounts.flatMap((one) => (one[side] === '0' ? [] : [amount(one[side], one.code)])));
}
