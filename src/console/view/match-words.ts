import type { MatchView } from '../../domain/books/match/match-shapes.js';
import type { MatchState } from '../../domain/books/match/reasons.js';
import { amount, badge, stack, type Tone, type Value, words } from './values.js';

const tones = { matched: 'good', partly_matched: 'warn', unmatched: 'bad' } as const satisfies Record<MatchState, Tone>;

export function matchBadge(state: MatchState): Value {
  return badge(words(state), tones[state]);
}

/** What was asked, paid or booked of it, in each asset. */
export function sideOf({ amounts }: MatchView, side: 'asked' | 'paid' | 'booked'): Value {
  return stack(amounts.flatMap((one) => (one[side] === '0' ? [] : [amount(one[side], one.code)])));
}
