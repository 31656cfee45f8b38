import type { PageReader, Progress } from '../deps.js';
import type { WalkPage } from './follow-list.js';
import type { ListPlan } from './list-plan.js';
import type { Place } from './list-row.js';
import type { ListStore, StretchMove } from './list-store.js';
import { SETTLE_MS, spanOf } from './span.js';

/** Pages of a list that the service may page by cursors of its own: those lead deep into it at once. */
export interface ResumablePages extends PageReader {
  /** The cursor of the page that the last answer of the whole list goes on from; null: the head, or no such cursor. */
  token?(): string | null;
  /** From here on rows near that page are met with few calls. A cursor that is refused changes nothing. */
  resume?(token: string): Promise<void>;
}

/** One reading of a list under way: a run's, or one round of verify-claims. */
export interface ListReading {
  plan: ListPlan;
  read: ResumablePages;
  store: ListStore;
  now: () => number;
  signal?: AbortSignal;
  /** Listed and open when the reading began, and not met since. */
  unseen: Map<string, Place>;
  /** Held here, but missing where a page would have shown it: to be looked for once more. */
  suspects: Map<string, Place>;
  /** Met since the reading began when they were just made: what becomes of them at once is later than the reading. */
  young: Set<string>;
  /** There are more of them than are told at once; what is left has its turn in the next run. */
  moreSuspects: boolean;
  /** Counts what was read. */
  tally: { calls: number; seen: number };
  progress: (at: Progress) => void;
}

export function newReading(
  parts: Omit<ListReading, 'unseen' | 'suspects' | 'young' | 'moreSuspects' | 'tally' | 'progress'> &
    Partial<Pick<ListReading, 'tally' | 'progress'>>,
): ListReading {
  return {
    tally: { calls: 0, seen: 0 },
    progress: () => {},
    ...parts,
    unseen: new Map(),
    suspects: new Map(),
    young: new Set(),
    moreSuspects: false,
  };
}

/**
 * Saves a page and takes note of what it shows and, of the whole list, of what it lacks. `status`: the filter that the
 * page was read with; a filtered page says nothing of what it lacks.
 */
export async function keepPage(
  reading: ListReading,
  page: WalkPage,
  about: { status?: string; moves?: readonly StretchMove[] } = {},
): Promise<void> {
  reading.tally.seen += page.fresh;
  await reading.store.save(page, about.moves ?? []);
  tellProgress(reading, page);
  for (const { id, createdAt } of page.rows) {
    reading.unseen.delete(id);
    reading.suspects.delete(id);
    if (createdAt !== null && createdAt >= page.from - SETTLE_MS) reading.young.add(id);
  }
  const span = about.status === undefined ? spanOf(page) : null;
  if (span === null) return;
  const lacking = await reading.store.between(
    span,
    page.rows.map((row) => row.id),
  );
  for (const place of lacking.places) reading.suspects.set(place.id, place);
  reading.moreSuspects ||= lacking.more;
}

function tellProgress({ tally, progress }: ListReading, { rows }: WalkPage): void {
  const oldest = rows.reduce((least, { createdAt }) => Math.min(least, createdAt ?? least), Number.POSITIVE_INFINITY);
  progress({ seen: tally.seen, calls: tally.calls, oldest: Number.isFinite(oldest) ? oldest : null, total: null });
}
