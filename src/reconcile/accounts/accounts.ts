import { isJsonObject, type Json } from '../../domain/json.js';
import type { Observation } from '../../domain/observation.js';
import { ownText } from '../../domain/plain-text.js';
import { textField } from '../../domain/records.js';
import { listedIds } from '../../records/runs/record-places.js';
import { waitingRefreshRequests } from '../../records/runs/refresh-requests.js';
import { type Outcome, outcomeOf, type RunContext } from '../deps.js';
import { StrangeListError } from '../lists/same-list.js';
import { type Answer, ask, type Row, rowsOf } from '../service-reader.js';
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
  const absent = unlisted?.absent ?? 0;
  const proof = { listed: first.seen.size, absent, ...unlisted?.proof, lists: [...statuses] };
  return outcomeOf(reasons, proof, { watermarks: new Map([['head', { at: first.from }]]) });
}

/** One pass over the lists of all statuses; what they show is saved page by page. */
export async function readAll(run: RunContext): Promise<Pass> {
  const pass: Pass = { seen: new Set(), reasons: [], from: Number.POSITIVE_INFINITY, to: 0 };
  for (const status of statuses) {
    const flaw = await scanAccounts(run, status, pass);
    if (flaw !== null) pass.reasons.push(`the list of ${status} sub-wallets: ${flaws[flaw]}`);
  }
  return pass;
}

/** Why a list was not read to its end for certain. */
const flaws = {
  item_without_id: 'an item has no id',
  repeats: 'its pages repeat',
  moved: 'it moved while it was read',
  endless: 'it never ends',
} as const;
type Flaw = keyof typeof flaws;

const operation = 'listAccounts';
const TAKE = 100;
const MOST_PAGES = 2_000;

/** One list of sub-wallets (specification 4.10). Its shape is not shown: paged by row, or `{items, nextCursor}`. */
async function scanAccounts(run: RunContext, status: string, pass: Pass): Promise<Flaw | null> {
  const ids = new Set<string>();
  let place: Partial<Place> = {};
  for (let number = 0; number < MOST_PAGES; number += 1) {
    const query = { status, take: TAKE, ...(place.cursor === undefined ? {} : { cursor: place.cursor }) };
    const { data, from, to }: Answer<Json> = await ask(run, operation, { query });
    const items = itemsOf(data, operation);
    const rows = rowsOf(items).map(({ id, fields }) => ({ id: ownText(id), fields }));
    pass.from = Math.min(pass.from, from);
    pass.to = Math.max(pass.to, to);
    await savePage(run, rows, { from, to });
    if (rows.length < items.length) return 'item_without_id';
    const news = rows.filter(({ id }) => !ids.has(id));
    for (const { id } of news) ids.add(id);
    for (const { id } of news) pass.seen.add(id);
    const next: Place | Flaw | null = isJsonObject(data)
      ? byCursor(textField(data, 'nextCursor'), news)
      : byRow(rows, news, place.last ?? null);
    if (next === null || typeof next === 'string') return next;
    place = next;
  }
  return 'endless';
}

async function savePage(
  run: RunContext,
  rows: readonly Row[],
  { from, to }: Omit<Answer<Json>, 'data'>,
): Promise<void> {
  const { source, tally, progress } = run;
  tally.seen += rows.length;
  progress({ seen: tally.seen, calls: tally.calls, oldest: null, total: null });
  await saveFenced(
    run,
    rows.map(({ id, fields }): Observation => ({ type: 'poll', kind: 'account', id, from, to, source, fields })),
  );
}

/** Where a list goes on. `last`: the row that the page should begin with, since the cursor is the one before it. */
interface Place {
  cursor: string;
  last: string | null;
}

/** Null: the list is at its end. A row that is gone from where it stood takes its neighbours' place with it. */
function byRow(rows: readonly Row[], news: readonly Row[], last: string | null): Place | Flaw | null {
  const overlaps = last === null || rows[0]?.id === last;
  if (!overlaps) return news.length === 0 && rows.length > 0 ? 'repeats' : 'moved';
  const [before, end] = [rows.at(-2), rows.at(-1)];
  // One row alone can't be overlapped with: it is the whole list, or the row that the last page ended with.
  if (news.length === 0 || before === undefined || end === undefined) return null;
  return { cursor: before.id, last: end.id };
}

function byCursor(cursor: string | null, news: readonly Row[]): Place | Flaw | null {
  if (cursor === null || cursor === '') return null;
  return news.length === 0 ? 'repeats' : { cursor, last: null };
}
