import type { Bound, Walk } from './follow-list.js';
import type { ListReading } from './list-reading.js';
import type { Stretch } from './list-store.js';
import { HEAD, readStretch } from './read-stretch.js';
import { CLOCKS_APART_MS } from './span.js';

/** A record may show up so long after others that were created later. */
const OVERLAP_MS = 600_000;

/** The whole list was read: what stood in it from `from` to `to` (ms of the service's clock) was met. */
interface WholeReading {
  from: number;
  to: number;
  /** When it began, by our clock. */
  at: number;
  /** By this run alone. */
  inOne: boolean;
}

export interface HeadReading {
  complete: boolean;
  /** There were more pages than this run was to read: what is left has been written down, and the next run goes on. */
  continues: boolean;
  walks: Walk[];
  /** What is read of the list, by this run and those before it that it went on with, reaches from the head to the end. */
  whole: WholeReading | null;
}

/**
 * Step 1: everything above what was read before, and whatever earlier runs left unread further down. It never stops at
 * a record that is known: events make islands of known records above unread gaps. `pages`: so many at most, those
 * nearest the head first.
 */
export async function readHead(reading: ListReading, pages: number | null): Promise<HeadReading> {
  const stretches = (await reading.store.stretches()).filter(({ list }) => list === HEAD);
  if (!stretches.some(({ newer }) => newer === null)) stretches.unshift(await reading.store.openStretch(HEAD, null));
  const result: HeadReading = { complete: true, continues: false, walks: [], whole: null };
  let pieced: Stretch | null = null;
  let left = pages ?? Number.POSITIVE_INFINITY;
  for (const stretch of stretches) {
    result.continues ||= left <= 0;
    if (left <= 0) break;
    const began = reading.now();
    const walk = await readStretch(reading, stretch, { bound: boundOf(stretch), maxPages: left });
    left -= walk.calls;
    result.walks.push(walk);
    result.complete &&= walk.complete;
    result.continues ||= walk.reason === 'page_limit';
    if (walk.atEnd && walk.fromHead) result.whole = { from: walk.from, to: walk.to, at: began, inOne: true };
    else if (stretch.older === null) pieced = stretch;
  }
  result.complete &&= !result.continues;
  const last = result.walks.at(-1);
  // A complete walk without a bound has come to the end.
  if (result.complete && pieced !== null && last !== undefined) result.whole ??= joined(pieced, last);
  return result;
}

/** Everything that is not in this stretch was read after it was opened. */
function joined({ openedAt }: Stretch, { to }: Walk): WholeReading {
  return { from: openedAt - CLOCKS_APART_MS, to, at: openedAt, inOne: false };
}

function boundOf({ older }: Stretch): Bound | null {
  if (older === null) return null;
  return { id: older.id, createdAt: older.createdAt === null ? null : older.createdAt - OVERLAP_MS };
}
