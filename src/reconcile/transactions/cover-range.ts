import { StrangeListError } from '../lists/same-list.js';
import { type FeedStore, halves, inner, type ReadFeed, type Window } from './feed.js';
import { readCounted, readTwice, type WindowPoll } from './read-window.js';

export interface Covering {
  read: ReadFeed;
  store: FeedStore;
  /** Whether X-Total-Count is to be believed; null: not known yet. Set to false by the first window that it is wrong of. */
  counts: 'right' | 'missing' | 'wrong';
  /** No further window is begun once it says so. */
  isSpent(): boolean;
}

export interface Covered {
  windows: { counted: number; readTwice: number };
  /** Windows that nothing could be proven of, and why. */
  failed: { window: Window; reason: string }[];
  /** Rows that were read before and are no longer in the feed. `doubtful`: that is not known. */
  missing: number;
  doubtful: number;
  /** Some windows were not begun. */
  left: Window[];
}

const TRIES = 3;
/** Fewer rows of one window than this may well be gone all at once. */
const TOO_FEW = 20;
/** A feed of which so many windows prove nothing is not the feed that it should be. */
const MOST_FAILED = 20;

/** Newest part first, in windows proven and noted one by one. One that moves, or is too big, is parted in two. */
export async function coverRange(covering: Covering, ranges: readonly Window[]): Promise<Covered> {
  const covered: Covered = { windows: { counted: 0, readTwice: 0 }, failed: [], missing: 0, doubtful: 0, left: [] };
  const stack = [...ranges].reverse();
  for (let window = stack.pop(); window !== undefined; window = stack.pop()) {
    if (covering.isSpent() || covered.failed.length >= MOST_FAILED) {
      covered.left.push(window, ...stack.reverse());
      break;
    }
    const poll = await readWindow(covering, window);
    if (poll.type === 'counted' || poll.type === 'read_twice') {
      await keep(covering, window, poll, covered);
      continue;
    }
    const parts = poll.type === 'flawed' ? null : halves(window, poll.type === 'too_big' ? poll.at : null);
    if (parts === null) covered.failed.push({ window, reason: reasonOf(poll) });
    else stack.push(parts[1], parts[0]);
  }
  return covered;
}

/** A window too short to be parted is tried again instead. */
async function readWindow(covering: Covering, window: Window): Promise<WindowPoll> {
  const tries = halves(window, null) === null ? TRIES : 1;
  let poll = await readOnce(covering, window);
  for (let n = 1; n < tries && poll.type === 'unstable'; n += 1) poll = await readOnce(covering, window);
  return poll;
}

async function readOnce(covering: Covering, window: Window): Promise<WindowPoll> {
  const { read, store } = covering;
  if (covering.counts === 'right') {
    const poll = await readCounted(read, store, window);
    if (poll.type !== 'uncounted') return poll;
    // A row may have come just while the pages were read: only the same twice speaks against the header.
    const again = await readCounted(read, store, window);
    if (again.type !== 'uncounted') return again;
    covering.counts = again.header;
  }
  return readTwice(read, store, window);
}

async function keep(
  { store }: Covering,
  window: Window,
  poll: WindowPoll & { type: 'counted' | 'read_twice' },
  covered: Covered,
): Promise<void> {
  const known = await store.readBetween(inner(window));
  if (known.length >= TOO_FEW && !known.some((id) => poll.ids.has(id)))
    throw new StrangeListError('the feed shows none of the transactions that it showed before: see SERVICE_API_KEY');
  const missing = known.filter((id) => !poll.ids.has(id));
  if (missing.length > 0) {
    covered.missing += missing.length;
    covered.doubtful += (await store.saveMissing(missing, poll)).doubtful;
  }
  await store.cover(window, poll.type);
  if (poll.type === 'counted') covered.windows.counted += 1;
  else covered.windows.readTwice += 1;
}

const words: Readonly<Record<string, string>> = {
  item_without_id: 'a row of the feed has no id',
  item_without_time: 'a row of the feed has no creation time that can be read',
  duplicate_in_page: 'a page of the feed holds a row twice',
  outside_window: 'the feed shows rows of other times than it was asked for: are from and to its own names?',
  endless: 'the pages of the feed never end',
};

function reasonOf(poll: WindowPoll): string {
  if (poll.type === 'flawed') return words[poll.flaw] ?? poll.flaw;
  if (poll.type === 'too_big') return 'more rows in a moment than one run reads';
  return 'the feed moves, or repeats its pages, while it is read';
}

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
