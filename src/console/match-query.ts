import { matchReasons, matchStates } from '../domain/books/match/match-shapes.js';
import type { MatchFilters } from '../records/books/match/list-matches.js';
import { oneOf } from './problem.js';
import { ages } from './view/age-columns.js';

/** The filters, and what each takes. `open`: what is not matched. */
export const matchWords = {
  state: [...matchStates, 'open'],
  age: ages,
  assetCode: 'text',
  reason: matchReasons,
} as const;

/** Filters by their names in an address. `state` may be `open`: what is not matched. Throws `Problem` where one is none of ours. */
export function matchQuery(filters: Readonly<Record<string, string>>): MatchFilters {
  const { state: given, age, assetCode, reason, id } = filters;
  const state = oneOf('state', matchWords.state, given);
  return {
    open: state === 'open',
    state: state === 'open' ? undefined : state,
    age: oneOf('age', ages, age),
    reason: oneOf('reason', matchReasons, reason),
    assetCode,
    id,
  };
}
