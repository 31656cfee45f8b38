import {
  type Coverage,
  type FeedPage,
  type FeedRow,
  type FeedStore,
  merged,
  type Proof,
  type ReadFeed,
  type Window,
} from '../../src/reconcile/transactions/feed.js';
import type { Random } from './random.js';

export interface FeedHabits {
  inclusive: boolean;
  /** Times are compared, and shown, in steps of so many ms. */
  grainMs: number;
  pageCap: number;
  total: 'right' | 'missing' | 'wrong';
  repeatPage: boolean;
  endless: boolean;
  /** Chance that a row comes or goes between two calls, anywhere in the feed. */
  restlessness: number;
}

export const calm: FeedHabits = {
  inclusive: true,
  grainMs: 1,
  pageCap: 100,
  total: 'right',
  repeatPage: false,
  endless: false,
  restlessness: 0,
};

/** A feed paged by offset, newest first, that moves between two calls. */
export class MovingFeed {
  readonly rows = new Map<string, FeedRow>();
  readonly habits: FeedHabits;
  calls = 0;
  now: number;
  private readonly random: Random;
  private made = 0;
  /** Null: rows came or went since. */
  private sorted: readonly FeedRow[] | null = null;

  constructor(random: Random, habits: FeedHabits, now: number) {
    this.random = random;
    this.habits = habits;
    this.now = now;
  }

  add(createdAt: number): FeedRow {
    this.made += 1;
    const at = createdAt - (createdAt % this.habits.grainMs);
    const row = { id: `tx_${this.made}`, createdAt: at, fields: { id: `tx_${this.made}`, amount: String(this.made) } };
    this.rows.set(row.id, row);
    this.sorted = null;
    return row;
  }

  newestFirst(): readonly FeedRow[] {
    this.sorted ??= [...this.rows.values()].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    return this.sorted;
  }

  readonly read: ReadFeed = async (window, page) => {
    this.calls += 1;
    this.now += 100;
    if (this.random.below(1_000) < this.habits.restlessness * 1_000) this.move();
    const { pageCap, total } = this.habits;
    const rows = this.newestFirst().filter(({ createdAt }) => this.matches(createdAt, window));
    const asked = this.habits.repeatPage && page > 1 ? 1 : page;
    let shown = rows.slice((asked - 1) * pageCap, asked * pageCap);
    if (this.habits.endless && page > 1 && shown.length < pageCap) shown = [...shown, ...rows].slice(0, pageCap);
    const counted = { right: rows.length, missing: null, wrong: Math.floor(rows.length / 2) }[total];
    return pageOf(shown, counted, this.now);
  };

  private matches(createdAt: number, { from, to }: Window): boolean {
    return this.habits.inclusive ? createdAt >= from && createdAt <= to : createdAt > from && createdAt < to;
  }

  private move(): void {
    const ids = [...this.rows.keys()];
    if (this.random.below(2) === 0 || ids.length === 0) this.add(this.now - this.random.below(30 * 86_400_000));
    else {
      this.rows.delete(this.random.pick(ids));
      this.sorted = null;
    }
  }
}

function pageOf(shown: FeedRow[], total: number | null, now: number): FeedPage {
  const rows = [...new Map(shown.map((row) => [row.id, row])).values()];
  const flaw = rows.length < shown.length ? 'duplicate_in_page' : null;
  return { rows, items: shown.length, flaw, total, from: now, to: now + 50 };
}

/** What the SQL store promises, in memory. */
export class MemoryFeedStore implements FeedStore {
  readonly held = new Map<string, FeedRow>();
  readonly missing = new Set<string>();
  windows: Record<Proof, Window[]> = { counted: [], read_twice: [] };

  async saveRows({ rows }: FeedPage): Promise<void> {
    for (const row of rows) {
      this.held.set(row.id, row);
      this.missing.delete(row.id);
    }
  }

  async readBetween(window: Window): Promise<string[]> {
    return this.between(window).map(({ id }) => id);
  }

  async countBetween(window: Window): Promise<number> {
    return this.between(window).length;
  }

  async middle(window: Window): Promise<number | null> {
    const rows = this.between(window).toSorted((a, b) => a.createdAt - b.createdAt);
    for (let step = 0; step < rows.length / 2; step += 1) {
      const [before, after] = [rows[(rows.length >> 1) + step - 1], rows[(rows.length >> 1) + step]];
      if (before && after && after.createdAt - before.createdAt > 4_000)
        return (before.createdAt + after.createdAt) / 2;
    }
    return null;
  }

  async saveMissing(ids: readonly string[]): Promise<{ doubtful: number }> {
    for (const id of ids) this.missing.add(id);
    return { doubtful: 0 };
  }

  async covered(): Promise<Coverage> {
    return this.windows;
  }

  async cover(window: Window, proof: Proof): Promise<void> {
    const { whole, absorbed } = merged(window, this.windows[proof]);
    this.windows[proof] = [...this.windows[proof].filter((other) => !absorbed.includes(other)), whole];
  }

  private between({ from, to }: Window): FeedRow[] {
    return [...this.held.values()].filter(
      ({ id, createdAt }) => createdAt > from && createdAt < to && !this.missing.has(id),
    );
  }
}
