import type { Bound, Walk } from './follow-list.js';
import type { ListReading } from './list-reading.js';
import type { Stretch } from './list-store.js';
import { HEAD, readStretch } from './read-stretch.js';

/** A record may show up so long after others that were created later. */
const OVERLAP_MS = 600_000;

export interface HeadReading {
  complete: boolean;
  walks: Walk[];
  /** This reading alone went from the head to the end of the list. */
  whole: Walk | null;
}

/**
 * Step 1: everything above what was read before, and whatever earlier runs left unread further down. It never stops at
 * a record that is known: events make islands of known records above unread gaps.
 */
export async function readHead(reading: ListReading): Promise<HeadReading> {
  const stretches = (await reading.store.stretches()).filter(({ list }) => list === HEAD);
  if (!stretches.some(({ newer }) => newer === null)) stretches.unshift(await reading.store.openStretch(HEAD, null));
  const result: HeadReading = { complete: true, walks: [], whole: null };
  for (const stretch of stretches) {
    const walk = await readStretch(reading, stretch, { bound: boundOf(stretch) });
    result.walks.push(walk);
    result.complete &&= walk.complete;
    if (walk.complete && walk.fromHead && walk.atEnd) result.whole = walk;
  }
  return result;
}

function boundOf({ older }: Stretch): Bound | null {
  if (older === null) return null;
  return { id: older.id, createdAt: older.createdAt === null ? null : older.createdAt - OVERLAP_MS };
}
