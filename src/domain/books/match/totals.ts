import { ageBuckets } from '../../age-buckets.js';
import { type MatchAmount, type MatchTotals, matchStates, type Place } from './match-shapes.js';
import { sumOfSides } from './match-sides.js';

/** Adds up matches one by one, in memory for as many rows as there are assets, states and ages. */
export function matchTotals(): {
  count(place: Place): void;
  add(one: Place & { amount: MatchAmount }): void;
  report(): MatchTotals;
} {
  const counts = new Map<string, Place>();
  const amounts = new Map<string, Place & MatchAmount>();
  return {
    count: ({ state, age, matches }) => {
      const key = JSON.stringify([state, age]);
      counts.set(key, { state, age, matches: (counts.get(key)?.matches ?? 0) + matches });
    },
    add: ({ state, age, matches, amount }) => {
      const key = JSON.stringify([amount.code, state, age]);
      const known = amounts.get(key);
      amounts.set(
        key,
        known === undefined
          ? { state, age, matches, ...amount }
          : { state, age, matches: known.matches + matches, ...sumOfSides(known, amount) },
      );
    },
    report: () => ({
      counts: [...counts.values()].sort(byPlace),
      amounts: [...amounts.values()].sort((a, b) => (a.code === b.code ? byPlace(a, b) : a.code < b.code ? -1 : 1)),
    }),
  };
}

const ages = Object.keys(ageBuckets);

function byPlace(a: Place, b: Place): number {
  return matchStates.indexOf(a.state) - matchStates.indexOf(b.state) || ages.indexOf(a.age) - ages.indexOf(b.age);
}
