import type { Progress } from '../deps.js';
import type { PageReader } from '../service-reader.js';
import type { ListPlan, Place } from './list-row.js';
import type { GapMove, ListStore } from './list-store.js';
import type { ScanPage } from './scan-list.js';
import { SETTLE_MS, spansOf } from './span.js';

/** Pages of a list that the service may page by cursors of its own: those lead deep into it at once. */
export interface ResumablePages extends PageReader {
  /** The cursor of the page that the last answer of the whole list goes on from; null: the head, or no such cursor. */
  token?(): string | null;
  /** From here on rows near that page are met with few calls. A cursor that is refused changes nothing. */
  resume?(token: string): Promise<void>;
}

/** One poll of a list under way: a run's, or one round of refresh requests. */
export interface ListPoll {
  plan: ListPlan;
  read: ResumablePages;
  store: ListStore;
  now: () => number;
  signal?: AbortSignal | undefined;
  /** Listed and open when the poll began, and not met since. */
  unseen: Map<string, Place>;
  /** Candidates for absence: held here, but missing where a page would have shown them; polled once more. */
  candidates: Map<string, Place>;
  /** Met since the poll began when they were just made: what becomes of them at once is later than the poll. */
  recent: Set<string>;
  /** There are more of them than are listed at once; what is left has its turn in the next run. */
  moreCandidates: boolean;
  /** Counts what was read. */
  tally: { calls: number; seen: number };
  progress: (at: Progress) => void;
}

export function newListPoll(
  parts: Omit<ListPoll, 'unseen' | 'candidates' | 'recent' | 'moreCandidates' | 'tally' | 'progress'> &
    Partial<Pick<ListPoll, 'tally' | 'progress'>>,
): ListPoll {
  return {
    tally: { calls: 0, seen: 0 },
    progress: () => {},
    ...parts,
    unseen: new Map(),
    candidates: new Map(),
    recent: new Set(),
    moreCandidates: false,
  };
}

/** A page of the whole list, and how it changes what is known to be unread. */
export interface KeptPage {
  page: ScanPage;
  moves: readonly GapMove[];
}

/**
 * Saves a page and takes note of what it shows and, of the whole list, of what it lacks. `status`: the filter that the
 * page was read with; a filtered page says nothing of what it lacks.
 */
export async function keepPage(poll: ListPoll, page: ScanPage, about: { status?: string } = {}): Promise<void> {
  await savePages(poll, [{ page, moves: [] }]);
  if (about.status === undefined) await addLacking(poll, [page]);
}

/** The same of pages of the whole list that follow one another, all saved in one transaction. */
export async function keepPages(poll: ListPoll, kept: readonly KeptPage[]): Promise<void> {
  await savePages(poll, kept);
  await addLacking(
    poll,
    kept.map(({ page }) => page),
  );
}

async function savePages(poll: ListPoll, kept: readonly KeptPage[]): Promise<void> {
  const pages = kept.map(({ page }) => page);
  poll.tally.seen += pages.reduce((sum, { fresh }) => sum + fresh, 0);
  await poll.store.save(pages, lastMoves(kept.flatMap(({ moves }) => moves)));
  for (const page of pages) {
    reportProgress(poll, page);
    for (const { id, createdAt } of page.rows) {
      poll.unseen.delete(id);
      poll.candidates.delete(id);
      if (createdAt !== null && createdAt >= page.from - SETTLE_MS) poll.recent.add(id);
    }
  }
}

/** Without those of a gap that later ones go beyond. */
function lastMoves(moves: readonly GapMove[]): GapMove[] {
  const last = new Map(moves.map((move) => [move.type === 'open' ? move : move.id, move]));
  return [...last.values()];
}

async function addLacking(poll: ListPoll, pages: readonly ScanPage[]): Promise<void> {
  const shown = pages.flatMap(({ rows }) => rows.map(({ id }) => id));
  for (const span of spansOf(pages)) {
    const lacking = await poll.store.between(span, shown);
    for (const place of lacking.places) poll.candidates.set(place.id, place);
    poll.moreCandidates ||= lacking.more;
  }
}

function reportProgress({ tally, progress }: ListPoll, { rows }: ScanPage): void {
  const oldest = rows.reduce((least, { createdAt }) => Math.min(least, createdAt ?? least), Number.POSITIVE_INFINITY);
  progress({ seen: tally.seen, calls: tally.calls, oldest: Number.isFinite(oldest) ? oldest : null, total: null });
}
