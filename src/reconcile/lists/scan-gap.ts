import { type KeptPage, keepPages, type ListPoll } from './list-poll.js';
import type { Place } from './list-row.js';
import type { Gap, GapMove } from './list-store.js';
import { type Bound, type Scan, type ScanPage, scanList } from './scan-list.js';

/** The gap above everything that was ever read: there is always one, and it begins at the head. */
export const HEAD = 'head';
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
        ...(poll.signal ? { signal: poll.signal } : {}),
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
      else if (failed || rowsOf(waiting) >= MOST_WAITING) await saving;
    },
    settle,
  };
}

function rowsOf(pages: readonly KeptPage[]): number {
  return pages.reduce((sum, { page }) => sum + page.rows.length, 0);
}
