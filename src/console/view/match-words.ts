import type { MatchKind } from '../../domain/books/match/match-facts.js';
import type { MatchState } from '../../domain/books/match/reasons.js';
import { entityHref, orderHref } from './links.js';
import { badge, type Tone, type Value, words } from './values.js';

const tones = { matched: 'good', partly_matched: 'warn', unmatched: 'bad' } as const satisfies Record<MatchState, Tone>;

export function matchBadge(state: MatchState): Value {
  return badge(words(state), tones[state]);
}

/** The page Match, narrowed to this order. */
export function orderMatchHref(reference: string): string {
  return `/match?${new URLSearchParams({ id: reference }).toString()}`;
}

export function matchHref({ kind, id }: { kind: MatchKind; id: string }): string {
  return kind === 'order' ? orderHref(id) : entityHref(kind, id);
}
