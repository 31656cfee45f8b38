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

/**
 * What is known of the feed here. `read`: the feed itself showed the row at the last poll; rows that only
 * events spoke of are none.
 */
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
