import { matchReasons, matchStates } from '../domain/books/match/reasons.js';
import type { MatchFilters } from '../records/books/match/list-matches.js';
import { badFilter } from './problem.js';
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
  const { state, age, assetCode, reason, id } = filters;
  const isOpen = state === 'open';
  return {
    open: isOpen,
    state: isOpen ? undefined : oneOf('state', state, matchStates),
    age: oneOf('age', age, ages),
    reason: oneOf('reason', reason, matchReasons),
    assetCode,
    id,
  };
}

function oneOf<Known extends string>(
  name: string,
  given: string | undefined,
  known: readonly Known[],
): Known | undefined {
  const found = known.find((one) => one === given);
  if (given === undefined || found !== undefined) return found;
  const more = name === 'state' ? ', open' : '';
  throw badFilter(name, `is "${given.slice(0, 40)}"; it takes ${known.join(', ')}${more}`);
}
