import type { Transaction } from './transaction.js';

/** Where in the feed the rows between two times are: from `start` up to, but not with, `end`. */
export interface Stretch {
  start: number;
  end: number;
}

export interface Bounds {
  /** Whether a row lies before the lower, or beyond the upper bound. */
  isBefore: (createdAt: number) => boolean;
  isBeyond: (createdAt: number) => boolean;
}

/** null where the rows are not in order of time, as after a clock that went back: each must be read. */
export function createFeedStretch(): (rows: readonly Transaction[], bounds: Bounds) => Stretch | null {
  const seen = new WeakMap<readonly Transaction[], { count: number; isInOrder: boolean }>();
  const isInOrder = (rows: readonly Transaction[]): boolean => {
    const known = seen.get(rows) ?? { count: 1, isInOrder: true };
    for (; known.isInOrder && known.count < rows.length; known.count += 1)
      known.isInOrder = timeAt(rows, known.count - 1) <= timeAt(rows, known.count);
    seen.set(rows, known);
    return known.isInOrder;
  };
  return (rows, { isBefore, isBeyond }) => {
    if (!isInOrder(rows)) return null;
    const start = firstThat(rows, (at) => !isBefore(at));
    return { start, end: Math.max(start, firstThat(rows, isBeyond)) };
  };
}

const timeAt = (rows: readonly Transaction[], place: number): number => rows[place]?.createdAt ?? 0;

/** The first place whose time passes; once one does, all later ones do. */
function firstThat(rows: readonly Transaction[], passes: (createdAt: number) => boolean): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(timeAt(rows, middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}
