import { describe, expect, it } from 'vitest';
import {
  type Auditing,
  type Covered,
  type Covering,
  coverRange,
  findHoles,
} from '../../src/reconcile/transactions/cover-range.js';
import { uncovered, type Window } from '../../src/reconcile/transactions/feed.js';
import { sized } from '../support/sizes.js';
import { calm, type FeedHabits, MemoryFeedStore, MovingFeed } from './moving-feed.js';
import { Random } from './random.js';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-01T00:00:00Z');
const SEEDS = sized(20, 3_000);
const range: Window = { from: 0, to: NOW - 300_000 };

function feedOf(seed: number, rows: number, habits: Partial<FeedHabits> = {}): MovingFeed {
  const random = new Random(seed);
  const feed = new MovingFeed(random, { ...calm, ...habits }, NOW);
  const bursts = [DAY, 30 * DAY, 700 * DAY];
  const span = random.pick(bursts);
  for (let n = 0; n < rows; n += 1) feed.add(NOW - 400_000 - random.below(span));
  return feed;
}

async function cover(feed: MovingFeed, store: MemoryFeedStore, calls = Number.POSITIVE_INFINITY): Promise<Covered> {
  const { counted, read_twice: twice } = await store.covered();
  const most = feed.calls + calls;
  const covering = { read: feed.read, store, counts: 'right' as const, isSpent: () => feed.calls >= most };
  return coverRange(covering, uncovered(range, [...counted, ...twice]));
}

/** Rows that stand still: what a proven window must hold, each of them. */
function lacking(feed: MovingFeed, store: MemoryFeedStore, still: ReadonlySet<string>): string[] {
  return [...still].filter((id) => feed.rows.has(id) && !store.held.has(id));
}

/** Reads pages until one is short, and believes it. */
async function naively(feed: MovingFeed, store: MemoryFeedStore): Promise<void> {
  for (let page = 1; page < 1_000; page += 1) {
    const read = await feed.read(range, page);
    await store.saveRows(read);
    if (read.items < feed.habits.pageCap) return;
  }
}

describe('a feed that moves while it is read', () => {
  const habitsOf = (random: Random): Partial<FeedHabits> => ({
    inclusive: random.below(2) === 0,
    grainMs: random.pick([1, 1_000]),
    pageCap: random.pick([10, 20, 100]),
    restlessness: random.pick([0, 0.05, 0.2]),
    endless: random.below(4) === 0,
  });

  it('is held whole wherever a window is proven, with any bounds, pages and steps of time; also after a kill', async () => {
    let proven = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const random = new Random(seed);
      const feed = feedOf(seed, 20 + random.below(900), habitsOf(random));
      const still = new Set(feed.rows.keys());
      const store = new MemoryFeedStore();
      for (let run = 0; run < 40; run += 1) {
        const { left, failed } = await cover(feed, store, 30);
        if (left.length === 0 && failed.length === 0) break;
      }
      const inside = new Set(
        [...still].filter((id) => {
          const at = feed.rows.get(id)?.createdAt ?? -1;
          return store.windows.counted.some(({ from, to }) => at > from + 1_000 && at < to - 1_000);
        }),
      );
      expect(lacking(feed, store, inside), `seed ${seed}`).toEqual([]);
      if (uncovered(range, store.windows.counted).length === 0) proven += 1;
      const falsely = [...store.missing].filter((id) => feed.rows.has(id));
      expect(falsely, `seed ${seed}`).toEqual([]);
    }
    expect(proven).toBeGreaterThan(SEEDS * 0.9);
  });

  it('defeats whoever believes the first short page', async () => {
    let holed = 0;
    const seeds = 8;
    for (let seed = 1; seed <= seeds; seed += 1) {
      const feed = feedOf(seed, 900, { pageCap: 10, restlessness: 0.2 });
      const still = new Set(feed.rows.keys());
      const store = new MemoryFeedStore();
      await naively(feed, store);
      if (lacking(feed, store, still).length > 0) holed += 1;
    }
    expect(holed).toBeGreaterThan(seeds / 2);
  });
});

describe('a feed that is not what it should be', () => {
  it('without a count is read twice, and that is all that is claimed', async () => {
    const feed = feedOf(1, 350, { total: 'missing' });
    const store = new MemoryFeedStore();
    expect((await cover(feed, store)).windows).toMatchObject({ counted: 0 });
    expect(store.windows.counted).toEqual([]);
    expect(uncovered(range, store.windows.read_twice)).toEqual([]);
    expect(lacking(feed, store, new Set(feed.rows.keys()))).toEqual([]);
  });

  it.each([350, 200, 100, 1])('with half the count is found out, all of %i rows are read', async (rows) => {
    const feed = feedOf(2, rows, { total: 'wrong' });
    const store = new MemoryFeedStore();
    const { windows, failed } = await cover(feed, store);
    expect(failed).toEqual([]);
    expect(windows.counted).toBe(0);
    expect(store.held.size).toBe(rows);
  });

  it('that repeats its first page is parted until each window is one page', async () => {
    const feed = feedOf(3, 450, { repeatPage: true });
    const store = new MemoryFeedStore();
    const { failed } = await cover(feed, store);
    expect(failed).toEqual([]);
    expect(store.held.size).toBe(450);
    expect(uncovered(range, store.windows.counted)).toEqual([]);
  });

  it('that repeats its first page and has no count is not believed where a page may be cut', async () => {
    const feed = feedOf(4, 450, { repeatPage: true, total: 'missing' });
    const store = new MemoryFeedStore();
    const { left } = await cover(feed, store, 200);
    expect(store.held.size).toBeLessThan(450);
    expect(left.length).toBeGreaterThan(0);
    for (const { createdAt } of [...feed.rows.values()].filter(({ id }) => !store.held.has(id))) {
      const claimed = store.windows.read_twice.some(({ from, to }) => createdAt > from && createdAt < to);
      expect(claimed).toBe(false);
    }
  });
});

function auditing(feed: MovingFeed, store: MemoryFeedStore): Auditing {
  const covering: Covering = { read: feed.read, store, counts: 'right', isSpent: () => false };
  const settle = async ({ from, to }: Window): Promise<boolean> => {
    await coverRange(covering, [{ from: Math.max(0, from - 2_000), to: to + 2_000 }]);
    return covering.counts === 'right';
  };
  return { read: feed.read, store, settle };
}

describe('an audit by counts', () => {
  async function known(rows: number, habits: Partial<FeedHabits> = {}) {
    const feed = feedOf(7, rows, habits);
    const store = new MemoryFeedStore();
    await cover(feed, store);
    expect(store.held.size).toBe(rows);
    feed.calls = 0;
    return { feed, store };
  }

  it('is one call where the count agrees', async () => {
    const { feed, store } = await known(900);
    expect(await findHoles(auditing(feed, store), range)).toMatchObject({ outcome: 'count_agrees', ours: 900 });
    expect(feed.calls).toBe(1);
  });

  it.each([true, false])(
    'finds a hole in calls that grow with the logarithm (inclusive bounds: %s)',
    async (inclusive) => {
      const took: number[] = [];
      for (const rows of [400, 1_600, 6_400]) {
        const { feed, store } = await known(rows, { inclusive });
        const hole = feed.newestFirst()[Math.floor(rows * 0.7)]!.id;
        store.held.delete(hole);
        const { outcome, differing } = await findHoles(auditing(feed, store), range);
        expect(outcome).toBe('count_differs');
        const covering = { read: feed.read, store, counts: 'right' as const, isSpent: () => false };
        await coverRange(covering, differing);
        expect(store.held.has(hole)).toBe(true);
        took.push(feed.calls);
      }
      expect(Math.max(...took)).toBeLessThan(40);
      expect(took[2]! - took[0]!).toBeLessThan(20);
    },
  );

  it('says of a hole beside a foreign row that the count agrees; reading again finds both', async () => {
    const { feed, store } = await known(500);
    const [gone] = feed.newestFirst().slice(250);
    const foreign = { ...gone!, id: 'tx_foreign' };
    store.held.delete(gone!.id);
    store.held.set(foreign.id, foreign);
    expect(await findHoles(auditing(feed, store), range)).toMatchObject({ outcome: 'count_agrees' });
    const covering = { read: feed.read, store, counts: 'right' as const, isSpent: () => false };
    expect(await coverRange(covering, [range])).toMatchObject({ missing: 1 });
    expect(store.held.has(gone!.id)).toBe(true);
    expect([...store.missing]).toEqual(['tx_foreign']);
  });
});
