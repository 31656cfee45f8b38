import { StrangeListError } from '../lists/same-list.js';
import type { FeedStore, ReadFeed, Window } from './feed.js';
import { readCounted, readTwice, type WindowPoll } from './read-window.js';
import { halves, inner } from './windows.js';

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

/**
 * Reads a range of the feed, newest part first, in windows that are proven one by one and noted as they are: whoever comes
 * after a crash begins with what is left. A window that moves, or is too big, is parted in two that overlap.
 */
export async function coverRange(covering: Covering, ranges: readonly Window[]): Promise<Covered> {
  const covered: Covered = {
    windows: { counted: 0, readTwice: 0 },
    failed: [],
    missing: 0,
    doubtful: 0,
    left: [],
  };
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
  if (known.length >= TOO_FEW && !known.some((id) => poll.ids.has(id))) {
    throw new StrangeListError('the feed shows none of the transactions that it showed before: see SERVICE_API_KEY');
  }
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
