import type { ReleaseChange } from '../../support/site/release-feed.js';
import type { Verdict } from './truth.js';

/** What was true of an order from one deed at the service to the next. Milliseconds of our clock. */
export interface Moment {
  /** Just before the deed: from then on it may have been so. */
  from: number;
  /** Just after it: until then what was before it may still have been so. */
  done: number;
  verdict: Verdict;
}

export interface Wrong {
  reference: string;
  what: string;
  change: ReleaseChange;
  truth: Verdict;
}

/** What is wrong still. */
export const AT_END = 'is safe when all is read';
/** Tallyhook can't see the future: a reading that began before a deed may be shown so much later. */
export const READ_MS = 4_000;
/** So long after a deed at the service an order may still be shown as it was before. */
const SEEN_MS = 12_000;

/**
 * Every moment of `safe` against what was true: it may become safe only by what the service had shortly before, stays so no
 * longer than it takes to read what changed, and is not so at the end, when everything was read.
 */
export function wrongMoments(
  releases: readonly ReleaseChange[],
  moments: readonly Moment[],
  { end, slowness }: { end: number; slowness: number },
): Wrong[] {
  return releases.flatMap((change, place): Wrong[] => {
    if (!change.safe) return [];
    const { reference, at, seen } = change;
    const until = releases[place + 1]?.at ?? end;
    const mayIn = (first: number, last: number) =>
      moments.some(({ from, verdict }, n) => verdict.may && from <= last && (moments[n + 1]?.done ?? end) >= first);
    const truth = (when: number) => moments.findLast(({ from }) => from <= when)?.verdict ?? NOTHING;
    if (until === end && moments.at(-1)?.verdict.may !== true)
      return [{ reference, what: `${AT_END}, made so`, change, truth: truth(end) }];
    if (!mayIn(at - READ_MS * slowness, seen)) return [{ reference, what: 'became safe', change, truth: truth(at) }];
    return mayIn(until - SEEN_MS * slowness, until)
      ? []
      : [{ reference, what: 'stayed safe', change, truth: truth(until) }];
  });
}

const NOTHING: Verdict = { may: false, must: false, why: 'nothing was there' };
