import { type KeptPage, keepPages, type ListPoll } from './list-poll.js';

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
