import { expect } from 'vitest';
import { until } from '../drill.js';
import type { ReleaseChange } from './release-feed.js';
import type { Site } from './site.js';

/** What is asked of orders at a site: now, and of every moment by the feed of changes. */
export interface OrderWatch {
  becomesSafe(reference: string): Promise<void>;
  /** Known, not safe, for one of these reasons. */
  becomesHeld(reference: string, reasons: readonly string[]): Promise<void>;
  /** A place in the history of the order's release: what follows comes after what was just seen. */
  place(reference: string): Promise<number>;
  /** Not safe now, when all is read, and at no moment since that place. */
  wasNeverSafe(reference: string, since?: number): Promise<void>;
  /** Safe now, when all is read, and at every moment since that place. */
  wasAlwaysSafe(reference: string, since: number): Promise<void>;
}

type Release = Pick<ReleaseChange, 'safe' | 'reason'>;

/** In which what needs no person has to be well again; lists are read every two seconds at such a site. */
const HEALED_MS = 30_000;

export function watchOrders(site: Site): OrderWatch {
  const since = async (reference: string, place: number) => {
    await site.quiet();
    await site.feed.catchUp();
    return site.feed.of(reference).slice(place);
  };
  /** The feed is read for all orders at once; the order itself is asked for when the feed says so. */
  const becomes = async (what: string, reference: string, is: (release: Release) => boolean) => {
    const shown = async () => {
      const last = site.feed.of(reference).at(-1);
      if (last === undefined || !is(last)) return last;
      const order = await site.api.order(reference);
      return (order !== null && is(order.release)) || order;
    };
    await until(`${reference} is ${what}`, shown, { timeoutMs: HEALED_MS });
  };
  return {
    becomesSafe: (reference) => becomes('safe', reference, ({ safe }) => safe),
    becomesHeld: (reference, reasons) =>
      becomes(`held: ${reasons.join(', ')}`, reference, ({ safe, reason }) => !safe && reasons.includes(reason)),
    async place(reference) {
      await site.feed.catchUp();
      return site.feed.of(reference).length;
    },
    async wasNeverSafe(reference, place = 0) {
      expect((await since(reference, place)).filter(({ safe }) => safe)).toEqual([]);
      expect((await site.api.order(reference))?.release.safe ?? false).toBe(false);
    },
    async wasAlwaysSafe(reference, place) {
      expect((await since(reference, place)).filter(({ safe }) => !safe)).toEqual([]);
      expect((await site.api.order(reference))?.release).toMatchObject({ safe: true, reason: 'proven' });
    },
  };
}
