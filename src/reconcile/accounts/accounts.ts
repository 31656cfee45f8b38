import { isJsonObject, type Json } from '../../domain/json.js';
import type { Observation } from '../../domain/observation.js';
import { ownText } from '../../domain/own-text.js';
import { textField } from '../../domain/records.js';
import { listedIds } from '../../records/runs/listed-ids.js';
import { waitingRefreshRequests } from '../../records/runs/refresh-requests.js';
import type { Outcome, RunContext } from '../deps.js';
import { StrangeListError } from '../lists/same-list.js';
import { ask, type Row, rowsOf } from '../service-reader.js';
import { itemsOf } from '../transactions/read-feed.js';
import { saveFenced } from '../write-fenced.js';
import { settleUnlisted } from './settle-unlisted.js';

/** Specification 3.6, 4.10. */
const statuses = ['active', 'frozen', 'closed'] as const;

/** Fewer sub-wallets than this may well be gone all at once. */
const TOO_FEW = 5;

interface Pass {
  seen: Set<string>;
  reasons: string[];
  from: number;
  to: number;
}

/** An event may come before the list shows what it reports. */
const SETTLE_MS = 30_000;
/** Each may take a call. */
const MOST_NAMED = 30;

/**
 * STORY of one poll of the sub-wallets: every list, by status; then, if one that was listed, or that events named, is in
 * none of them, all lists once more, because it may have moved from one to another between the two. One that is in none again
 * is asked for by its own transactions: a closed one was archived, one that the service denies is a break.
 */
export async function reconcileAccounts(run: RunContext): Promise<Outcome> {
  const { db } = run.deps;
  const requests = await waitingRefreshRequests(db, 'account', { olderThanMs: SETTLE_MS, limit: MOST_NAMED });
  const first = await readAll(run);
  const listed = await listedIds(db, 'account');
  if (listed.length >= TOO_FEW && first.seen.size > 0 && !listed.some((id) => first.seen.has(id))) {
    throw new StrangeListError(
      'the service lists none of the sub-wallets that this database holds: see SERVICE_API_KEY',
    );
  }
  const unseen = listed.filter((id) => !first.seen.has(id));
  const isWhole = unseen.length === 0 && requests.every(({ id }) => first.seen.has(id));
  const second = isWhole || first.reasons.length > 0 ? null : await readAll(run);
  const seen = new Set([...first.seen, ...(second?.seen ?? [])]);
  const reasons = [...first.reasons, ...(second?.reasons ?? [])];
  const unlisted =
    reasons.length > 0
      ? null
      : await settleUnlisted(run, {
          seen,
          vanished: unseen.filter((id) => !seen.has(id)),
          named: requests.filter(({ id }) => !seen.has(id)),
          after: first.from,
          from: (second ?? first).from,
          to: (second ?? first).to,
        });
  if (unlisted?.reason) reasons.push(unlisted.reason);
  return {
    complete: reasons.length === 0,
    proof: {
      ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
      listed: first.seen.size,
      absent: unlisted?.absent ?? 0,
      ...unlisted?.proof,
      lists: [...statuses],
    },
    watermarks: new Map([['head', { at: first.from }]]),
  };
}

/** One pass over the lists of all statuses; what they show is saved page by page. */
export async function readAll(run: RunContext): Promise<Pass> {
  const pass: Pass = { seen: new Set(), reasons: [], from: Number.POSITIVE_INFINITY, to: 0 };
  for (const status of statuses) {
    const scan = await scanAccounts(run, status, async (page) => {
      pass.from = Math.min(pass.from, page.from);
      pass.to = Math.max(pass.to, page.to);
      await savePage(run, page);
    });
    for (const id of scan.ids) pass.seen.add(id);
    if (scan.flaw !== null) pass.reasons.push(`the list of ${status} sub-wallets: ${words[scan.flaw]}`);
  }
  return pass;
}

const words: Readonly<Record<NonNullable<AccountsScan['flaw']>, string>> = {
  item_without_id: 'an item has no id',
  repeats: 'its pages repeat',
  moved: 'it moved while it was read',
  endless: 'it never ends',
};

async function savePage(run: RunContext, { rows, from, to }: AccountPage): Promise<void> {
  const { source, tally, progress } = run;
  tally.seen += rows.length;
  progress({ seen: tally.seen, calls: tally.calls, oldest: null, total: null });
  await saveFenced(
    run,
    rows.map(({ id, fields }): Observation => ({ type: 'poll', kind: 'account', id, from, to, source, fields })),
  );
}

interface AccountPage {
  rows: Row[];
  from: number;
  to: number;
}

interface AccountsScan {
  ids: Set<string>;
  /** Why the list was not read to its end for certain; null: it was. */
  flaw: 'item_without_id' | 'repeats' | 'moved' | 'endless' | null;
}

const operation = 'listAccounts';
const TAKE = 100;
const MOST_PAGES = 2_000;

/** One list of sub-wallets (specification 4.10). Its shape is not shown: paged by row, or `{items, nextCursor}`. */
async function scanAccounts(
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

/** `last`: the row that the page should begin with. One that is gone from there takes its neighbours' place with it. */
function byRow(rows: Row[], news: Row[], last: string | null): Next {
  const overlaps = last === null || rows[0]?.id === last;
  if (!overlaps) return { type: 'flaw', flaw: news.length === 0 && rows.length > 0 ? 'repeats' : 'moved' };
  const [before, end] = [rows.at(-2), rows.at(-1)];
  // One row alone can't be overlapped with: it is the whole list, or the row that the last page ended with.
  if (news.length === 0 || before === undefined || end === undefined) return { type: 'end' };
  return { type: 'next', cursor: before.id, last: end.id };
}

function byCursor(next: string | null, news: Row[]): Next {
  if (next === null) return { type: 'end' };
  return news.length === 0 ? { type: 'flaw', flaw: 'repeats' } : { type: 'next', cursor: next, last: null };
}

type Answered = AccountPage & { flawed: boolean; next: string | null | undefined };

async function readPage(run: RunContext, query: Record<string, string | number>): Promise<Answered> {
  const { data, from, to } = await ask(run, operation, { query });
  const items = itemsOf(data, operation);
  const rows = rowsOf(items).map(({ id, fields }) => ({ id: ownText(id), fields }));
  return { rows, flawed: rows.length < items.length, next: nextCursorOf(data), from, to };
}

/** Undefined: the answer is an array. */
function nextCursorOf(data: Json): string | null | undefined {
  if (!isJsonObject(data)) return undefined;
  const cursor = textField(data, 'nextCursor');
  return cursor === '' ? null : cursor;
}
