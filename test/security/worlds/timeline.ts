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

/** Tallyhook can't see the future: a reading that began before a deed may be shown so much later. */
export const READ_MS = 4_000;
/** So long after a deed at the service an order may still be shown as it was before. */
const SEEN_MS = 12_000;

/**
 * Every moment of `safe` against what was true: it may become safe only by what the service had shortly before, and stays
 * so no longer than it takes to read what changed.
 */
export function wrongMoments(
  releases: readonly ReleaseChange[],
  moments: readonly Moment[],
  { end, slowness }: { end: number; slowness: number },
): Wrong[] {
  return releases.flatMap((change, place): Wrong[] => {
    if (!change.safe) return [];
    const { reference, at } = change;
    const until = releases[place + 1]?.at ?? end;
    const shown = (when: number, slackMs: number) =>
      moments.some(
        ({ from, verdict }, n) => verdict.may && from <= when && (moments[n + 1]?.done ?? end) >= when - slackMs,
      );
    const truth = (when: number) => moments.findLast(({ from }) => from <= when)?.verdict ?? NOTHING;
    if (!shown(at, READ_MS * slowness)) return [{ reference, what: 'became safe', change, truth: truth(at) }];
    return shown(until, SEEN_MS * slowness) ? [] : [{ reference, what: 'stayed safe', change, truth: truth(until) }];
  });
}

const NOTHING: Verdict = { may: false, must: false, why: 'nothing was there' };
