import type { FeedStore, ReadFeed, Window } from './feed.js';
import { halves } from './windows.js';

export interface Audit {
  outcome: 'count_agrees' | 'count_differs' | 'not_counted' | 'flawed';
  ours: number;
  theirs: number | null;
  /** Windows, each of a page or so, that held what was missing here or there; they were read. */
  differing: Window[];
}

export interface Auditing {
  read: ReadFeed;
  store: FeedStore;
  /** Reads a window that a difference was narrowed to. False: that showed that X-Total-Count is not to be believed. */
  settle: (window: Window) => Promise<boolean>;
}

/** A window of so few rows is read rather than parted. */
const FEW = 100;
const MOST_DIFFERING = 20;

/**
 * Holds the service's count of a range against that of the rows read from the feed, and follows a difference down to
 * windows of about one page, which are read, in a number of calls that grows with the logarithm of the range. Equal counts say that the
 * count agrees, not that the rows are the same: a hole and a foreign row hide each other.
 */
export async function findHoles({ read, store, settle }: Auditing, range: Window): Promise<Audit> {
  const ours = await store.countBetween(range);
  const whole = await read(range, 1);
  const audit: Audit = { outcome: 'count_differs', ours, theirs: whole.total, differing: [] };
  if (whole.flaw !== null) return { ...audit, outcome: 'flawed' };
  if (whole.total === null) return { ...audit, outcome: 'not_counted' };
  if (whole.total === ours) return { ...audit, outcome: 'count_agrees' };
  const stack: { window: Window; ours: number; theirs: number }[] = [{ window: range, ours, theirs: whole.total }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const parts = at.ours <= FEW && at.theirs <= FEW ? null : await partsOf(store, at.window);
    if (parts === null || audit.differing.length >= MOST_DIFFERING) {
      audit.differing.push(at.window);
      if (!(await settle(at.window))) return { ...audit, outcome: 'not_counted' };
      continue;
    }
    const differing: typeof stack = [];
    for (const window of parts) {
      const { total } = await read(window, 1);
      const held = await store.countBetween(window);
      if (total !== null && total !== held) differing.push({ window, ours: held, theirs: total });
    }
    // Parts that both agree though the whole does not: a row on a bound that is counted in on one side alone.
    if (differing.length === 0) {
      audit.differing.push(at.window);
      await settle(at.window);
    }
    stack.push(...differing.reverse());
  }
  return audit;
}

/** At a moment near which no row of ours stands, so that it does not matter whether bounds are counted in. */
async function partsOf(store: FeedStore, window: Window): Promise<[Window, Window] | null> {
  const middle = await store.middle(window);
  if (middle === null || middle <= window.from || middle >= window.to) {
    const parts = halves(window, null);
    if (parts === null) return null;
    const at = Math.floor((window.from + window.to) / 2);
    return [
      { from: at, to: window.to },
      { from: window.from, to: at },
    ];
  }
  return [
    { from: middle, to: window.to },
    { from: window.from, to: middle },
  ];
}
