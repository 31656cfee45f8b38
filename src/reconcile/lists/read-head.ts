import type { ListPoll } from './list-poll.js';
import type { Gap } from './list-store.js';
import { HEAD, scanGap } from './scan-gap.js';
import type { Bound, Scan } from './scan-list.js';
import { CLOCKS_APART_MS } from './span.js';

/** A record may show up so long after others that were created later. */
const OVERLAP_MS = 600_000;

/** The whole list was read: what stood in it from `from` to `to` (ms of the service's clock) was met. */
interface FullScan {
  from: number;
  to: number;
  /** When it began, by our clock. */
  at: number;
  /** By this run alone. */
  inOne: boolean;
}

export interface HeadScans {
  complete: boolean;
  /** There were more pages than this run was to read: what is left has been written down, and the next run goes on. */
  continues: boolean;
  scans: Scan[];
  /** What is read of the list, by this run and those before it that it went on with, reaches from the head to the end. */
  whole: FullScan | null;
}

/**
 * Step 1: everything above what was read before, and whatever earlier runs left unread further down. It never stops at
 * a record that is known: events make islands of known records above unread gaps. `pages`: so many at most, those
 * nearest the head first.
 */
export async function readHead(poll: ListPoll, pages: number | null): Promise<HeadScans> {
  const gaps = (await poll.store.gaps()).filter(({ list }) => list === HEAD);
  if (!gaps.some(({ newer }) => newer === null)) gaps.unshift(await poll.store.openGap(HEAD, null));
  const result: HeadScans = { complete: true, continues: false, scans: [], whole: null };
  let pieced: Gap | null = null;
  let left = pages ?? Number.POSITIVE_INFINITY;
  for (const gap of gaps) {
    result.continues ||= left <= 0;
    if (left <= 0) break;
    const began = poll.now();
    const scan = await scanGap(poll, gap, { bound: boundOf(gap), maxPages: left });
    left -= scan.calls;
    result.scans.push(scan);
    result.complete &&= scan.complete;
    result.continues ||= scan.reason === 'page_limit';
    if (scan.atEnd && scan.fromHead) result.whole = { from: scan.from, to: scan.to, at: began, inOne: true };
    else if (gap.older === null) pieced = gap;
  }
  result.complete &&= !result.continues;
  const last = result.scans.at(-1);
  // A complete scan without a bound has come to the end.
  if (result.complete && pieced !== null && last !== undefined) result.whole ??= joined(pieced, last);
  return result;
}

/** Everything that is not in this gap was read after it was opened. */
function joined({ openedAt }: Gap, { to }: Scan): FullScan {
  return { from: openedAt - CLOCKS_APART_MS, to, at: openedAt, inOne: false };
}

function boundOf({ older }: Gap): Bound | null {
  if (older === null) return null;
  return { id: older.id, createdAt: older.createdAt === null ? null : older.createdAt - OVERLAP_MS };
}
