import { lessSomeOf, subtractAmounts } from '../money.js';

/** A shop that sells more than this between two readings shows nothing by them: what could be, nearly everything could. */
const MOST_SUMS = 65_536;

/**
 * What can be unexplained of a balance that was polled between two readings of the lists. Each of `changes`, the effects that only
 * the second reading shows, stood at the poll already or did not: so it is `unexplained`, what is left over by the first
 * reading, less some of them. Null: too many to say.
 */
export function possibleResiduals(unexplained: string, changes: readonly string[]): ReadonlySet<string> | null {
  return lessSomeOf(unexplained, changes, MOST_SUMS);
}

/** What polls of a balance that never stood still allow to be unexplained, so far. */
export interface Narrowed {
  possible: ReadonlySet<string>;
  polls: number;
}

/** What one more poll leaves of it; where that is nothing, something went between the two, and the later one counts. */
export function narrowed(before: Narrowed | null, found: ReadonlySet<string> | null): Narrowed | null {
  if (before === null || found === null) return found === null ? before : { possible: found, polls: 1 };
  const both = new Set([...found].filter((one) => before.possible.has(one)));
  return both.size === 0 ? { possible: found, polls: 1 } : { possible: both, polls: before.polls + 1 };
}

/** The only thing that is left, if it was seen often enough: what is new and missing, or too much, by two polls. */
export function onlyResidual({ possible, polls }: Narrowed, known: string | null): string | null {
  const [residual, ...others] = possible;
  if (residual === undefined || others.length > 0) return null;
  return residual === '0' || residual === known || polls > 1 ? residual : null;
}

/** What each effect changed by from one reading to the next, by its key; what did not change is left out. */
export function changesBetween(first: ReadonlyMap<string, string>, second: ReadonlyMap<string, string>): string[] {
  const keys = new Set([...first.keys(), ...second.keys()]);
  return [...keys]
    .map((key) => subtractAmounts(second.get(key) ?? '0', first.get(key) ?? '0'))
    .filter((change) => change !== '0');
}
