import { grouped } from '../../domain/grouped.js';
import { counted, isoTime } from '../../domain/in-words.js';
import { type NamedTransaction, namedTransactions } from '../../records/balances/transaction-rows.js';
import {
  endRefreshRequests,
  type WaitingRefreshRequest,
  waitingRefreshRequests,
} from '../../records/runs/refresh-requests.js';
import { readWatermarks, type Watermark, writeWatermarks } from '../../records/runs/watermarks.js';
import { type Outcome, outcomeOf, type RunContext } from '../deps.js';
import { writeFenced } from '../write-fenced.js';
import { type Audit, type Covered, type Covering, coverRange, findHoles } from './cover-range.js';
import { EDGE_MS, OVERLAP_MS, type ReadFeed, uncovered, type Window } from './feed.js';
import { createFeedReader } from './read-feed.js';
import { readTwice } from './read-window.js';
import { createFeedStore } from './sql-feed-store.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Rows may come into the feed a little later than they say: a window that ended so long ago holds still. */
const CLOSED_MS = 5 * MINUTE;
/** What is read again and compared row by row goes round through so many days, a slice on each run. */
const REREAD_MS = 30 * DAY;
const SLICE_MS = 6 * 60 * MINUTE;
const CALLS_PER_PAGE_OPTION = 2;
/** Of ids in a run's proof. */
const SHOWN = 10;

/**
 * STORY of one poll of the transactions of all sub-wallets (specification 4.12): what was never read, in closed windows
 * that are proven by counts → what is newer than these → the count of all → a slice of the last 30 days again. Complete:
 * every closed window was read whole, and the count agrees.
 */
export async function reconcileTransactions(run: RunContext): Promise<Outcome> {
  const { deps, tally, options } = run;
  const read = withProgress(run, createFeedReader(run));
  const store = createFeedStore(run);
  const begun = tally.calls;
  const most = options.pages === null ? Number.POSITIVE_INFINITY : options.pages * CALLS_PER_PAGE_OPTION;
  const covering: Covering = { read, store, counts: 'right', isSpent: () => tally.calls - begun >= most };
  const range: Window = { from: 0, to: Math.floor(deps.client.serviceNow()) - CLOSED_MS };

  const history = await readHistory(covering, range, options);
  const newest = await readNewest(covering, range.to);
  const audit = history.left.length > 0 ? null : await auditCounts(covering, range);
  const again = await readAgain(covering, range, await readWatermarks(deps.db, 'transactions'));
  await noteAgain(run, again.next);
  const reasons = whyIncomplete({ covering, history, newest, audit, again: again.covered });
  const named = { range, olderThanMs: 3 * CLOSED_MS };
  const unknown = reasons.length === 0 ? await settleNamed(run, covering, named) : [];
  const proof = {
    upTo: new Date(range.to).toISOString(),
    windows: history.windows,
    ...(audit === null ? {} : { count: saidOf(audit) }),
    readAgain: { from: isoTime(again.slice.from), to: isoTime(again.slice.to), ...again.covered.windows },
    missing: history.missing + again.covered.missing,
    ...(unknown.length === 0 ? {} : { unknownToFeed: { count: unknown.length, ids: unknown.slice(0, SHOWN) } }),
  };
  return outcomeOf(reasons, proof, { watermarks: new Map([['head', { at: range.to }]]) });
}

/** What no proven window covers; everything with `--full`, and what was created since with `--since`. */
async function readHistory(
  covering: Covering,
  range: Window,
  { full, since, resume }: RunContext['options'],
): Promise<Covered> {
  const { counted, read_twice: twice } = await covering.store.covered();
  if (full && !resume) return coverRange(covering, [range]);
  const open = uncovered(range, [...counted, ...twice]);
  const asked = since === null || since >= range.to ? [] : [{ from: Math.max(0, since), to: range.to }];
  return coverRange(covering, [...open, ...asked]);
}

/** Younger than the closed windows: read, and proven by the next run. */
async function readNewest({ read, store }: Covering, closed: number): Promise<{ reason: string | null }> {
  const poll = await readTwice(read, store, { from: closed - OVERLAP_MS, to: closed + CLOSED_MS + DAY });
  return { reason: poll.type === 'flawed' && poll.flaw !== 'duplicate_in_page' ? poll.flaw : null };
}

async function auditCounts(covering: Covering, range: Window): Promise<Audit> {
  if (covering.counts !== 'right') return { outcome: 'not_counted', ours: 0, theirs: null, differing: [] };
  const settle = async ({ from, to }: Window): Promise<boolean> => {
    const wider = { from: Math.max(0, from - 2 * EDGE_MS), to: Math.min(range.to, to + 2 * EDGE_MS) };
    await coverRange(covering, [wider]);
    return covering.counts === 'right';
  };
  const audit = await findHoles({ ...covering, settle }, range);
  if (audit.outcome !== 'count_differs') return audit;
  const { read, store } = covering;
  const again = { ours: await store.countBetween(range), theirs: (await read(range, 1)).total };
  return { ...audit, ...again, outcome: again.ours === again.theirs ? 'count_agrees' : 'count_differs' };
}

interface Again {
  covered: Covered;
  slice: Window;
  /** Where the next run goes on. */
  next: number;
}

/** A slice on each run, from the newest to the oldest of the last 30 days, then from the newest again. */
async function readAgain(covering: Covering, range: Window, known: ReadonlyMap<string, Watermark>): Promise<Again> {
  const oldest = range.to - REREAD_MS;
  const watermark = Number(known.get('again')?.['at'] ?? Number.NaN);
  const to = watermark > oldest && watermark <= range.to ? watermark : range.to;
  const slice = { from: Math.max(oldest, to - SLICE_MS) - OVERLAP_MS, to: Math.min(range.to, to + OVERLAP_MS) };
  const covered = await coverRange(covering, [slice]);
  const done = covered.left.length === 0 && covered.failed.length === 0;
  return { covered, slice, next: done ? slice.from + OVERLAP_MS : to };
}

/** At once: a slice that was read again need not wait for the rest of the run to be proven, which it never is without a count. */
async function noteAgain(run: RunContext, next: number): Promise<void> {
  const { runId } = run.fence;
  if (runId === null) return;
  const watermarks = new Map([['again', { at: next }]]);
  await writeFenced({ ...run.deps, ...run }, (trx) => writeWatermarks(trx, 'transactions', runId, watermarks));
}

interface Parts {
  covering: Covering;
  history: Covered;
  newest: { reason: string | null };
  audit: Audit | null;
  again: Covered;
}

function whyIncomplete({ covering, history, newest, audit, again }: Parts): string[] {
  const reasons: string[] = [];
  if (history.left.length > 0) reasons.push('the scan of what was never read goes on with the next run');
  const failed = [...history.failed, ...again.failed];
  for (const [reason, windows] of grouped(failed, (one) => one.reason))
    reasons.push(`${counted(windows.length, 'window')}: ${reason}`);
  if (newest.reason !== null) reasons.push(`the newest part: ${newest.reason}`);
  if (audit?.outcome === 'count_differs')
    reasons.push(`the service counts ${audit.theirs ?? '?'} transactions, of which ${audit.ours} are here`);
  if (audit?.outcome === 'flawed') reasons.push('the page that carries the count is not what the feed answers');
  const doubtful = history.doubtful + again.doubtful;
  if (doubtful > 0)
    reasons.push(
      `${counted(doubtful, 'transaction is in the list of its', 'transactions are in the list of their')} account and not in the feed`,
    );
  // Last: beside another reason it is not the one that decides.
  if (covering.counts !== 'right') {
    reasons.push(
      `degraded: X-Total-Count is ${covering.counts}: windows were read twice instead, which proves less than a count`,
    );
  }
  return reasons;
}

function saidOf({ outcome, ours, theirs, differing }: Audit): Record<string, unknown> {
  const said = outcome === 'count_agrees' ? 'count agrees' : outcome.replaceAll('_', ' ');
  return { said, ours, theirs, partsReadAgain: differing.length };
}

function withProgress({ tally, progress }: RunContext, read: ReadFeed): ReadFeed {
  let oldest: number | null = null;
  return async (window, page) => {
    const answer = await read(window, page);
    for (const { createdAt } of answer.rows) oldest = Math.min(oldest ?? createdAt, createdAt);
    progress({ seen: tally.seen, calls: tally.calls, oldest, total: null });
    return answer;
  };
}

const MOST_REQUESTS = 1_000;
/** Each a window of its own, of three calls or so; the others have their turn in the next runs. */
const MOST_CHECKED = 20;

/**
 * Transactions that events named longer ago than any closed window, once all of the feed was read. One that the feed has shown,
 * or of which an event says when it was, is read again where it stands, which settles it. What the feed does not know then
 * nothing would ever settle: its refresh request ends. Answers the ids of those.
 */
async function settleNamed(
  run: RunContext,
  covering: Covering,
  { range, olderThanMs }: { range: Window; olderThanMs: number },
): Promise<string[]> {
  const { db } = run.deps;
  const about = { olderThanMs, limit: MOST_REQUESTS };
  const known = await placesOf(run, await waitingRefreshRequests(db, 'transaction', about));
  const standing = [...known.values()].filter((place) => isWithin(place, range)).slice(0, MOST_CHECKED);
  for (const { createdAt } of standing) {
    if (createdAt === null || run.fence.dryRun) continue;
    await coverRange(covering, [{ from: createdAt - OVERLAP_MS, to: Math.min(range.to, createdAt + OVERLAP_MS) }]);
  }
  const left = await waitingRefreshRequests(db, 'transaction', about);
  const places = await placesOf(run, left);
  const checked = new Set(standing.map(({ id }) => id));
  const unknown = left.filter(({ id }) => {
    const place = places.get(id);
    return place === undefined || (!place.isRead && (checked.has(id) || !isWithin(place, range)));
  });
  if (unknown.length === 0) return [];
  await writeFenced({ ...run.deps, ...run }, (trx) => endRefreshRequests(trx, 'transaction', unknown));
  return unknown.map(({ id }) => id);
}

async function placesOf(
  { deps }: RunContext,
  requests: readonly WaitingRefreshRequest[],
): Promise<Map<string, NamedTransaction>> {
  const held = requests.filter((request) => request.held).map(({ id }) => id);
  return new Map((await namedTransactions(deps.db, held)).map((place) => [place.id, place]));
}

function isWithin({ createdAt }: NamedTransaction, { from, to }: Window): boolean {
  return createdAt !== null && createdAt >= from && createdAt <= to;
}
