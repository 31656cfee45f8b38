import { type KeptPage, keepPages, type ListPoll } from './list-poll.js';
import type { Place } from './list-row.js';
import type { Gap, GapMove } from './list-store.js';
import { type Bound, type Scan, type ScanPage, scanList } from './scan-list.js';
import { CLOCKS_APART_MS } from './span.js';

/** The gap above everything that was ever read: there is always one, and it begins at the head. */
const HEAD = 'head';
const STONES = 64;

/**
 * Scans a gap of the whole list from its newer end to `bound`. Pages are saved while the next ones are read, each
 * together with how far the gap is read, so that whoever comes after a crash goes on from there. The gap at the head splits
 * with its first page: what comes in above from now on is a gap of its own.
 */
export async function scanGap(
  poll: ListPoll,
  gap: Gap,
  options: { bound: Bound | null; maxPages?: number },
): Promise<Scan> {
  const trail = gap.newer === null ? [] : await stonesTo(poll, gap.newer);
  if (trail.length > 0 && gap.token != null) await poll.read.resume?.(gap.token);
  const saver = createPageSaver(poll);
  const progress = { newer: gap.newer, split: gap.list !== HEAD || gap.newer !== null };
  const scan = (from: readonly Place[]): Promise<Scan> =>
    scanList(
      poll.read,
      {
        ...options,
        trail: from,
        expectsRows: async () => {
          await saver.settle();
          return poll.store.holdsListed();
        },
        signal: poll.signal,
      },
      (page) => saver.take({ page, moves: movesOf(gap, page, progress, poll.read.token?.() ?? null) }),
    );
  try {
    const scanned = await scan(trail);
    return scanned.reason === 'lost_place' ? await scan([]) : scanned;
  } finally {
    await saver.settle();
  }
}

/** The listed records next above the place that the poll had come to, itself included. */
async function stonesTo(poll: ListPoll, newer: Place): Promise<Place[]> {
  return newer.createdAt === null ? [] : poll.store.listedFrom(newer.createdAt, STONES);
}

function movesOf(
  gap: Gap,
  page: ScanPage,
  progress: { newer: Place | null; split: boolean },
  token: string | null,
): GapMove[] {
  if (!page.contiguous) return [];
  const moves: GapMove[] = [];
  if (!progress.split) {
    const ceiling = ceilingOf(page);
    if (ceiling === null) return [];
    progress.split = true;
    moves.push({ type: 'open', list: HEAD, newer: null, older: ceiling });
  }
  const last = page.chain.at(-1);
  if (page.done) moves.push({ type: 'close', id: gap.id });
  else if (last !== undefined && isFurther(last, progress.newer)) {
    progress.newer = { id: last.id, createdAt: last.createdAt };
    moves.push({ type: 'shrink', id: gap.id, newer: progress.newer, token });
  }
  return moves;
}

/** The newest row that was not dated ahead: one dated 2099 would hide everything that follows. */
function ceilingOf(page: ScanPage): Place | null {
  const row =
    page.above === null ? page.chain.find(({ createdAt }) => createdAt !== null && createdAt <= page.from) : undefined;
  return row === undefined ? null : { id: row.id, createdAt: row.createdAt };
}

/** A scan that lost its place and began again passes what it has read before. */
function isFurther(last: Place, newer: Place | null): boolean {
  if (newer === null) return true;
  return last.createdAt !== null && newer.createdAt !== null && last.createdAt < newer.createdAt;
}

/** So many rows may wait while others are saved; then the poll waits too. */
const MOST_WAITING = 400;

/** Saves the pages of the whole list in the order in which they come, while the next ones are read. */
export interface PageSaver {
  /**
   * Saves the page at once where no other is being saved, otherwise together with those that come meanwhile. Resolves as
   * soon as the next one may come; rejects with what the saving of an earlier one threw.
   */
  take(kept: KeptPage): Promise<void>;
  /** Resolves once everything that was taken is saved. */
  settle(): Promise<void>;
}

export function createPageSaver(poll: ListPoll): PageSaver {
  let waiting: KeptPage[] = [];
  let saving: Promise<void> | null = null;
  let failed = false;

  const save = (): void => {
    const pages = waiting;
    waiting = [];
    saving = keepPages(poll, pages).then(() => {
      saving = null;
      if (waiting.length > 0) save();
    });
    saving.catch(() => {
      failed = true;
    });
  };
  const settle = async (): Promise<void> => {
    if (saving === null) return;
    await saving;
    return settle();
  };
  return {
    take: async (kept) => {
      waiting.push(kept);
      if (saving === null) save();
      else if (failed || waiting.reduce((sum, { page }) => sum + page.rows.length, 0) >= MOST_WAITING) await saving;
    },
    settle,
  };
}

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
