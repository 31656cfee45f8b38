import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { ownText } from '../../domain/own-text.js';
import { textField } from '../../domain/records.js';
import type { RunContext } from '../deps.js';
import { ask } from '../service-reader.js';
import { itemsOf } from '../transactions/read-feed.js';

interface AccountRow {
  id: string;
  fields: JsonObject;
}

export interface AccountPage {
  rows: AccountRow[];
  /** Start and end of the request, in ms of the service's clock. */
  from: number;
  to: number;
}

export interface AccountsScan {
  ids: Set<string>;
  /** Why the list was not read to its end for certain; null: it was. */
  flaw: 'item_without_id' | 'repeats' | 'moved' | 'endless' | null;
}

const operation = 'listAccounts';
const TAKE = 100;
const MOST_PAGES = 2_000;

/**
 * All pages of one list of sub-wallets (specification 4.10), whose shape is not shown: an array, paged by the id of a row,
 * where each page begins with the last row of the one before; or `{items, nextCursor}`.
 */
export async function scanAccounts(
  run: RunContext,
  status: string,
  keep: (page: AccountPage) => Promise<void>,
): Promise<AccountsScan> {
  const ids = new Set<string>();
  let cursor: string | undefined;
  let last: string | null = null;
  for (let number = 0; number < MOST_PAGES; number += 1) {
    const page: Answered = await readPage(run, { status, take: TAKE, ...(cursor === undefined ? {} : { cursor }) });
    await keep(page);
    if (page.flawed) return { ids, flaw: 'item_without_id' };
    const news = page.rows.filter(({ id }) => !ids.has(id));
    for (const { id } of news) ids.add(id);
    const next: Next = page.next === undefined ? byRow(page.rows, news, last) : byCursor(page.next, news);
    if (next.type === 'end') return { ids, flaw: null };
    if (next.type === 'flaw') return { ids, flaw: next.flaw };
    cursor = next.cursor;
    last = next.last;
  }
  return { ids, flaw: 'endless' };
}

type Next =
  | { type: 'end' }
  | { type: 'flaw'; flaw: 'repeats' | 'moved' }
  | { type: 'next'; cursor: string; last: string | null };

/**
 * `last`: the row that the page should begin with, since the cursor was the one before it. A row that is gone from there
 * takes its neighbours' place with it.
 */
function byRow(rows: AccountRow[], news: AccountRow[], last: string | null): Next {
  const overlaps = last === null || rows[0]?.id === last;
  if (!overlaps) return { type: 'flaw', flaw: news.length === 0 && rows.length > 0 ? 'repeats' : 'moved' };
  const [before, end] = [rows.at(-2), rows.at(-1)];
  // One row alone can't be overlapped with: it is the whole list, or the row that the last page ended with.
  if (news.length === 0 || before === undefined || end === undefined) return { type: 'end' };
  return { type: 'next', cursor: before.id, last: end.id };
}

function byCursor(next: string | null, news: AccountRow[]): Next {
  if (next === null) return { type: 'end' };
  return news.length === 0 ? { type: 'flaw', flaw: 'repeats' } : { type: 'next', cursor: next, last: null };
}

type Answered = AccountPage & { flawed: boolean; next: string | null | undefined };

async function readPage(run: RunContext, query: Record<string, string | number>): Promise<Answered> {
  const { data, from, to } = await ask(run, operation, { query });
  const items = itemsOf(data, operation);
  const rows = items.flatMap(rowOf);
  return { rows, flawed: rows.length < items.length, next: nextCursorOf(data), from, to };
}

function rowOf(item: Json): AccountRow[] {
  const id = isJsonObject(item) ? textField(item, 'id') : null;
  return id === null || id === '' || !isJsonObject(item) ? [] : [{ id: ownText(id), fields: item }];
}

/** Undefined: the answer is an array. */
function nextCursorOf(data: Json): string | null | undefined {
  if (!isJsonObject(data)) return undefined;
  const cursor = textField(data, 'nextCursor');
  return cursor === '' ? null : cursor;
}
