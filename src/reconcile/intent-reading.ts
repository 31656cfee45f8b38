import type { PageReader } from './deps.js';
import type { WalkPage } from './follow-list.js';
import type { IntentStore, StretchMove } from './intent-store.js';
import type { Place } from './list-row.js';
import { spanOf } from './span.js';

/** One reading of payment intents under way: a run's, or one round of verify-claims. */
export interface IntentReading {
  read: PageReader;
  store: IntentStore;
  now: () => number;
  signal?: AbortSignal;
  /** Listed and open when the reading began, and not met since. */
  unseen: Map<string, Place>;
  /** Held here, but missing where a page would have shown it: to be looked for once more. */
  suspects: Map<string, Place>;
  /** There are more of them than are told at once; what is left has its turn in the next run. */
  moreSuspects: boolean;
  /** Counts what was read. */
  tally: { seen: number };
}

export function newReading(
  parts: Omit<IntentReading, 'unseen' | 'suspects' | 'moreSuspects' | 'tally'> & Partial<Pick<IntentReading, 'tally'>>,
): IntentReading {
  return { tally: { seen: 0 }, ...parts, unseen: new Map(), suspects: new Map(), moreSuspects: false };
}

/**
 * Saves a page and takes note of what it shows and, of the whole list, of what it lacks. `status`: the filter that the
 * page was read with; a filtered page says nothing of what it lacks.
 */
export async function keepPage(
  reading: IntentReading,
  page: WalkPage,
  about: { status?: string; moves?: readonly StretchMove[] } = {},
): Promise<void> {
  reading.tally.seen += page.fresh;
  await reading.store.save(page, about.moves ?? []);
  for (const { id } of page.rows) {
    reading.unseen.delete(id);
    reading.suspects.delete(id);
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
