import type { FeedFlaw, FeedPage, FeedRow, FeedStore, ReadFeed, Window } from './feed.js';

type Unproven =
  | { type: 'flawed'; flaw: FeedFlaw | 'endless' }
  /** More rows than are read in one go. `at`: a time that parts them about evenly; null: not known. */
  | { type: 'too_big'; at: number | null }
  /** It moved while it was read, or its pages repeat. */
  | { type: 'unstable' }
  /** The pages hold more rows than X-Total-Count says, or there is no such header. */
  | { type: 'uncounted'; header: 'missing' | 'wrong' };

export type WindowPoll =
  | { type: 'counted' | 'read_twice'; ids: ReadonlySet<string>; from: number; to: number }
  | Unproven;

/** Rows of a window: so many pages at most. */
const MOST_PAGES = 20;

interface Pages {
  rows: Map<string, FeedRow>;
  first: FeedPage;
  last: FeedPage;
  /** The pages came to an end by one that was empty or shorter than the first. */
  ended: boolean;
}

/**
 * All pages of one window, saved as they come. `counted` only if X-Total-Count of every page, and of the first once more
 * after all others, is the number of distinct rows, and the first page is the same as before.
 */
export async function readCounted(read: ReadFeed, store: FeedStore, window: Window): Promise<WindowPoll> {
  const pages = await readPages(read, store, window, true);
  if ('type' in pages) return pages;
  const { rows, first } = pages;
  const again = await read(window, 1);
  if (isFlawed(again, true)) return { type: 'flawed', flaw: again.flaw };
  if (again.total !== first.total || !sameRows(first, again)) return { type: 'unstable' };
  if (rows.size > (first.total ?? 0)) return { type: 'uncounted', header: 'wrong' };
  if (rows.size !== first.total) return { type: 'unstable' };
  return { type: 'counted', ids: new Set(rows.keys()), from: first.from, to: again.to };
}

/** Without a count to go by: all pages, twice, with the same rows. A row that both scans missed would not show. */
export async function readTwice(read: ReadFeed, store: FeedStore, window: Window): Promise<WindowPoll> {
  const one = await readPages(read, store, window, false);
  if ('type' in one) return one;
  const two = await readPages(read, store, window, false);
  if ('type' in two) return two;
  const alike = one.rows.size === two.rows.size && [...one.rows.keys()].every((id) => two.rows.has(id));
  if (!alike || !one.ended || !two.ended) return { type: 'unstable' };
  return { type: 'read_twice', ids: new Set(one.rows.keys()), from: one.first.from, to: two.last.to };
}

/** Reads on until a page brings nothing new: a count that is too low would otherwise hide what follows. */
async function readPages(read: ReadFeed, store: FeedStore, window: Window, counts: boolean): Promise<Pages | Unproven> {
  const first = await read(window, 1);
  if (isFlawed(first, counts)) return flawed(store, first);
  const total = counts ? first.total : null;
  if (counts && total === null) return { type: 'uncounted', header: 'missing' };
  const size = Math.max(first.items, 1);
  if (total !== null && total > size * MOST_PAGES)
    return { type: 'too_big', at: await timeOf(read, window, Math.ceil(total / size / 2)) };
  const rows = new Map(first.rows.map((row) => [row.id, row]));
  await store.saveRows(first);
  const pages: Pages = { rows, first, last: first, ended: first.items === 0 };
  for (let number = 2; pages.last.items > 0; number += 1) {
    if (total !== null && rows.size > total) return pages;
    if (number > MOST_PAGES + 2) return counts ? { type: 'flawed', flaw: 'endless' } : { type: 'too_big', at: null };
    const page = await read(window, number);
    if (isFlawed(page, counts)) return flawed(store, page);
    // A row that came and one that went between two polls of the first page would leave its count the same.
    if (total !== null && page.total !== total) return { type: 'unstable' };
    const news = page.rows.filter(({ id }) => !rows.has(id));
    for (const row of news) rows.set(row.id, row);
    await store.saveRows({ ...page, rows: news });
    pages.last = page;
    pages.ended = page.items < first.items;
    if (news.length === 0 || (pages.ended && rows.size === total)) return pages;
  }
  return pages;
}

/** A row that stands twice in a page is no harm where distinct rows are counted. */
function isFlawed(page: FeedPage, counts: boolean): page is FeedPage & { flaw: FeedFlaw } {
  return page.flaw !== null && !(counts && page.flaw === 'duplicate_in_page');
}

/** What can be read of such a page is kept all the same. */
async function flawed(store: FeedStore, page: FeedPage & { flaw: FeedFlaw }): Promise<Unproven> {
  await store.saveRows(page);
  return { type: 'flawed', flaw: page.flaw };
}

async function timeOf(read: ReadFeed, window: Window, page: number): Promise<number | null> {
  const { rows } = await read(window, page);
  return rows[0]?.createdAt ?? null;
}

function sameRows(a: FeedPage, b: FeedPage): boolean {
  return a.rows.length === b.rows.length && a.rows.every(({ id }, at) => b.rows[at]?.id === id);
}
