import type { JsonObject } from '../../domain/json.js';

/** An interval of creation times, ms. Whether the service counts its bounds in is not shown, so what lies on them proves nothing. */
export interface Window {
  from: number;
  to: number;
}

/** One transaction of a sub-wallet, under the specification's names. */
export interface FeedRow {
  id: string;
  createdAt: number;
  fields: JsonObject;
}

/** Why a page is not what the feed answers, so that it proves nothing. */
export type FeedFlaw = 'item_without_id' | 'item_without_time' | 'duplicate_in_page' | 'outside_window';

export interface FeedPage {
  /** Each with an id and a time, once. */
  rows: FeedRow[];
  /** Items that the service sent, those of no use among them. */
  items: number;
  flaw: FeedFlaw | null;
  /** X-Total-Count; null: not there, or no number. */
  total: number | null;
  /** Start and end of the request, in ms of the service's clock. */
  from: number;
  to: number;
}

/** Pages of the consolidated feed of all sub-wallets (specification 4.12), counted from 1. */
export type ReadFeed = (window: Window, page: number) => Promise<FeedPage>;

/** `read`: the feed itself showed the row at the last poll; rows that only events spoke of are none. */
export interface FeedStore {
  saveRows(page: FeedPage): Promise<void>;
  /** Rows read before, created between the two moments (neither included). */
  readBetween(window: Window): Promise<string[]>;
  countBetween(window: Window): Promise<number>;
  /** A moment that halves the rows between, with none of them near it; null: there is none. */
  middle(window: Window): Promise<number | null>;
  /** Not in the feed, where they stood: to be settled by the list of their account, or else found absent. */
  saveMissing(ids: readonly string[], asked: { from: number; to: number }): Promise<{ doubtful: number }>;
  covered(): Promise<Coverage>;
  cover(window: Window, proof: Proof): Promise<void>;
}

/** `counted`: as many rows as the service said, before and after. `read_twice`: two polls were alike, which proves less. */
export type Proof = 'counted' | 'read_twice';
export type Coverage = Readonly<Record<Proof, readonly Window[]>>;

/** Windows overlap by this, so that no row is lost on a bound that the service leaves out. */
export const OVERLAP_MS = 60_000;
/** Rows nearer to a bound than this may or may not be in a window: times may be shown to the second only. */
export const EDGE_MS = 1_000;
const LEAST_MS = 4_000;

/** What of the range lies in none of the windows, each piece longer by the overlap at either end, newest first. */
export function uncovered(range: Window, windows: readonly Window[]): Window[] {
  let open: Window[] = [range];
  for (const window of windows) {
    open = open.flatMap((piece) => {
      if (window.to <= piece.from || window.from >= piece.to) return [piece];
      const parts: Window[] = [];
      if (window.from > piece.from) parts.push({ from: piece.from, to: window.from });
      if (window.to < piece.to) parts.push({ from: window.to, to: piece.to });
      return parts;
    });
  }
  return open
    .map(({ from, to }) => ({
      from: from === range.from ? from : Math.max(range.from, from - OVERLAP_MS),
      to: to === range.to ? to : Math.min(range.to, to + OVERLAP_MS),
    }))
    .toSorted((a, b) => b.to - a.to);
}

/** The window together with those that overlap it: what is proven of them is proven of the whole. */
export function merged(window: Window, windows: readonly Window[]): { whole: Window; absorbed: Window[] } {
  let whole = window;
  const absorbed: Window[] = [];
  for (const other of windows.toSorted((a, b) => a.from - b.from)) {
    if (!overlaps(whole, other)) continue;
    absorbed.push(other);
    whole = { from: Math.min(whole.from, other.from), to: Math.max(whole.to, other.to) };
  }
  return { whole, absorbed };
}

/** The two parts of a window, overlapping, the newer one first; null: it is too short. `at`: where to part it. */
export function halves({ from, to }: Window, at: number | null): [Window, Window] | null {
  const width = to - from;
  if (width < LEAST_MS) return null;
  const overlap = Math.min(OVERLAP_MS, Math.floor(width / 8));
  const least = from + 2 * overlap;
  const most = to - 2 * overlap;
  const middle = Math.floor(at === null ? from + width / 2 : Math.min(Math.max(at, least), most));
  return [
    { from: middle - overlap, to },
    { from, to: middle + overlap },
  ];
}

/** The part of a window whose rows are in it for certain. */
export const inner = ({ from, to }: Window): Window => ({ from: from + EDGE_MS, to: to - EDGE_MS });

/** By more than the bounds: a row that stands on the bound of both is in neither. */
const overlaps = (a: Window, b: Window): boolean => Math.min(a.to, b.to) - Math.max(a.from, b.from) >= 2 * EDGE_MS;
