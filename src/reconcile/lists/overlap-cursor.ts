import { isNewer, type Place } from './list-row.js';

/** What to ask for next, so that the answer shows by itself whether it follows on without a gap. */
export interface Overlap {
  /** Null: from the head. */
  cursor: string | null;
  /** The answer follows on if it holds one of these. */
  anchors: ReadonlySet<string>;
  /** It only does so if the service keeps rows of one moment in one order. */
  onTrust: boolean;
}

/**
 * `trail` is the stretch read so far, without a gap, newest first. An answer that begins with a row of the trail has
 * skipped nothing, whatever became of the cursor's own row: a service that looks the cursor up skips a row when that
 * row left the filter, and answers an empty page when it is gone. The anchors are strictly newer than the trail's end,
 * because rows of equal `createdAt` may come in another order, or fall out altogether, next time.
 *
 * Each `stepBack` goes twice as far up the trail, in the end to the head. `trustOrder`: the rows of one millisecond fill
 * a page, so there is no way but to take their order for stable.
 */
export function overlapCursor(trail: readonly Place[], stepBack: number, trustOrder: boolean): Overlap {
  const firm = trustOrder ? trail.length - 1 : firmEnd(trail);
  const cursor = trail[firm - 2 ** stepBack]?.id ?? null;
  const anchors = new Set(trail.slice(0, firm + 1).map((place) => place.id));
  return { cursor, anchors, onTrust: cursor !== null && firm === trail.length - 1 };
}

/** Index of the oldest row that is strictly newer than the last. */
function firmEnd(trail: readonly Place[]): number {
  const last = trail.at(-1);
  const firm = last === undefined ? -1 : trail.findLastIndex((place) => isNewer(place, last));
  return firm < 0 ? trail.length - 1 : firm;
}
