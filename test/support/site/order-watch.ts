import { expect } from 'vitest';
import { until } from '../drill.js';
import type { Site } from './site.js';

/** What is asked of orders at a site: now, and of every moment by the feed of changes. */
export interface OrderWatch {
  becomesSafe(reference: string): Promise<void>;
  /** Known, not safe, for one of these reasons. */
  becomesHeld(reference: string, reasons: readonly string[], timeoutMs?: number): Promise<void>;
  /** A place in the history of the order's release: what follows comes after what was just seen. */
  place(reference: string): Promise<number>;
  /** Not safe now, when all is read, and at no moment since that place. */
  wasNeverSafe(reference: string, since?: number): Promise<void>;
  /** Safe now, when all is read, and at every moment since that place. */
  wasAlwaysSafe(reference: string, since: number): Promise<void>;
}

/** In which what needs no person has to be well again; lists are read every two seconds at such a site. */
const HEALED_MS = 30_000;

export function watchOrders(site: Site): OrderWatch {
  const since = async (reference: string, place: number) => {
    await site.quiet();
    await site.feed.catchUp();
    return site.feed.of(reference).slice(place);
  };
  return {
    async becomesSafe(reference) {
      const isSafe = async () => {
        const order = await site.api.order(reference);
        return order?.release.safe === true || order;
      };
      await until(`${reference} is safe`, isSafe, { timeoutMs: HEALED_MS, intervalMs: 200 });
    },
    async becomesHeld(reference, reasons, timeoutMs = HEALED_MS) {
      const isHeld = async () => {
        const order = await site.api.order(reference);
        return (order && !order.release.safe && reasons.includes(order.release.reason)) || order;
      };
      await until(`${reference} is held: ${reasons.join(', ')}`, isHeld, { timeoutMs, intervalMs: 200 });
    },
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
