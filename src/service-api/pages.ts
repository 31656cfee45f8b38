import type { Json, JsonObject } from '../domain/json.js';
import { isJsonObject } from '../domain/json.js';
import { toJsonText } from '../domain/json-text.js';
import type { Reply } from './attempt.js';
import { ContractViolationError } from './service-errors.js';

/** One page of a list; `nextCursor` null: there is no further one. */
export interface Page<T> {
  items: T[];
  nextCursor?: string | null | undefined;
}

/** What any list is asked for beside its filters. */
interface Place {
  cursor?: string | undefined;
  page?: number | undefined;
}

/**
 * Page after page of a list, newest first, from where the query says. Ends with a page that has nothing new in it: a list
 * may move while it is read, so a short page proves nothing. Items come once; some may be missed where the list moves
 * under the cursor. What must be complete is read by the reconcilers.
 */
export async function* pages<const Q extends object, T extends object>(
  read: (query: Q) => Promise<Reply<T[] | Page<T>>>,
  query: Q,
  by: 'cursor' | 'page' = 'cursor',
): AsyncGenerator<Reply<T[]>, void, undefined> {
  const seen = new Set<string>();
  const given: Q & Place = query;
  let next: (Q & Place) | null = by === 'page' ? { ...given, page: given.page ?? 1 } : given;
  while (next !== null) {
    const { data, ...about }: Reply<T[] | Page<T>> = await read(next);
    const page: Page<T> = Array.isArray(data) ? { items: data, nextCursor: idOf(data.at(-1)) } : data;
    const news = page.items.filter((item) => !seen.has(idOf(item) ?? toJsonText(item)));
    if (news.length === 0) return;
    for (const item of news) seen.add(idOf(item) ?? toJsonText(item));
    yield { ...about, data: news };
    if (by === 'page') next = { ...next, page: (next.page ?? 1) + 1 };
    else next = page.nextCursor ? { ...next, cursor: page.nextCursor } : null;
  }
}

/** The items of `pages`, one by one. */
export async function* items<T>(from: AsyncIterable<Reply<T[]>>): AsyncGenerator<T, void, undefined> {
  for await (const { data } of from) yield* data;
}

/**
 * A list whose shape is not shown: an array, whose last item's id is the cursor of the next page as in every list that the
 * specification shows (section 4), or an object with `items` and `nextCursor`.
 */
export function pageOf(data: Json, operation: string): { items: JsonObject[]; nextCursor: string | null } {
  const inner = isJsonObject(data) ? data['items'] : data;
  if (!Array.isArray(inner) || !inner.every((item) => isJsonObject(item))) {
    const problem = 'the answer is neither an array of objects nor an object with such "items"';
    throw new ContractViolationError(problem, { operation, status: 200 });
  }
  const cursor = isJsonObject(data) ? data['nextCursor'] : idOf(inner.at(-1));
  return { items: inner, nextCursor: typeof cursor === 'string' && cursor !== '' ? cursor : null };
}

function idOf(item: object | undefined): string | null {
  const id = item !== undefined && 'id' in item ? item.id : null;
  return typeof id === 'string' && id !== '' ? id : null;
}
