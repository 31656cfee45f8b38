import { isLosslessNumber } from 'lossless-json';
import { isJsonObject, type Json, type JsonObject, toJsonText } from '../domain/json.js';
import type { Reply } from './attempt.js';
import { ContractViolationError } from './service-errors.js';

/** One page of a list; `nextCursor` null: there is no further one; undefined: nothing says how to ask for it. */
export interface Page<T> {
  items: T[];
  nextCursor?: string | null | undefined;
}

/** What any list is asked for beside its filters. */
interface Place {
  cursor?: string | undefined;
  page?: number | undefined;
}

/** Pages in a row that may be empty, or hold nothing but what was seen, before a list is given up. */
const MOST_BARREN = 5;

/**
 * Page after page of a list, newest first, from where the query says. A short page proves nothing, since a list may move
 * while it is read: it ends with an empty page, with the end of the cursors, or with a page that has nothing new where no
 * count says that more follow. Items come once; some may be missed where the list moves under the cursor. What must be
 * complete is read by the reconcilers. Rejects with a ContractViolationError where it is not known how to go on.
 */
export async function* pages<const Q extends object, T extends object>(
  read: (query: Q) => Promise<Reply<T[] | Page<T>>>,
  query: Q,
  by: 'cursor' | 'page' = 'cursor',
): AsyncGenerator<Reply<T[]>, void, undefined> {
  const seen = new Set<string>();
  const given: Q & Place = query;
  const first: Q & Place = by === 'page' ? { ...given, page: given.page ?? 1 } : given;
  const cursors = new Set<string>();
  let next: (Q & Place) | null = first;
  let barren = 0;
  while (next !== null) {
    const { data, ...about }: Reply<T[] | Page<T>> = await read(next);
    const page: Page<T> = Array.isArray(data) ? { items: data, nextCursor: cursorAfter(data) } : data;
    const news = page.items.filter((item) => !seen.has(idOf(item) ?? toJsonText(item)));
    for (const item of news) seen.add(idOf(item) ?? toJsonText(item));
    if (news.length > 0) yield { ...about, data: news };
    barren = news.length > 0 ? 0 : barren + 1;
    const isCounted = about.totalCount !== null && seen.size < about.totalCount;
    if (by !== 'page') next = placeAfter(next, page, cursors);
    else if (page.items.length > 0 && (news.length > 0 || isCounted)) next = { ...next, page: (next.page ?? 1) + 1 };
    else next = null;
    if (next !== null && barren >= MOST_BARREN) throw lost(`${barren} pages in a row have nothing new`);
  }
}

/** Null at the end. `asked`: cursors that were used before; one that comes again leads nowhere. */
function placeAfter<P extends Place>(place: P, { items, nextCursor }: Page<object>, asked: Set<string>): P | null {
  if (nextCursor === undefined && items.length > 0)
    throw lost('the last item has no id, so there is no cursor of the next page');
  if (!nextCursor || asked.has(nextCursor)) return null;
  asked.add(nextCursor);
  return { ...place, cursor: nextCursor };
}

function lost(problem: string): ContractViolationError {
  return new ContractViolationError(`the list can’t be read to its end: ${problem}`, {
    operation: 'pages',
    status: 200,
  });
}

/** The items of `pages`, one by one. */
export async function* items<T>(from: AsyncIterable<Reply<T[]>>): AsyncGenerator<T, void, undefined> {
  for await (const { data } of from) yield* data;
}

/**
 * A list whose shape is not shown: an array, or an object with `items` and `nextCursor`. Without a `nextCursor` the last
 * item's id is the cursor of the next page, as in every list that the specification shows (section 4).
 */
export function pageOf(data: Json, operation: string): { items: JsonObject[]; nextCursor: string | null | undefined } {
  const inner = isJsonObject(data) ? data['items'] : data;
  if (!Array.isArray(inner) || !inner.every((item) => isJsonObject(item))) {
    const problem = 'the answer is neither an array of objects nor an object with such "items"';
    throw new ContractViolationError(problem, { operation, status: 200 });
  }
  const given = isJsonObject(data) ? data['nextCursor'] : undefined;
  if (given === undefined) return { items: inner, nextCursor: cursorAfter(inner) };
  if (given === null || typeof given === 'string') return { items: inner, nextCursor: given || null };
  if (isLosslessNumber(given)) return { items: inner, nextCursor: given.toString() };
  throw new ContractViolationError('"nextCursor" is no text', { operation, status: 200 });
}

/** Null: the page is empty, and so the last. Undefined: its last item has no id. */
function cursorAfter(list: readonly object[]): string | null | undefined {
  return list.length === 0 ? null : (idOf(list.at(-1)) ?? undefined);
}

function idOf(item: object | undefined): string | null {
  const id = item !== undefined && 'id' in item ? item.id : null;
  return typeof id === 'string' && id !== '' ? id : null;
}
