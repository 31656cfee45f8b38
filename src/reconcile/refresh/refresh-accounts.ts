import { dueRequests } from '../../records/runs/due-requests.js';
import { isOfReports, postponeRefreshRequests } from '../../records/runs/refresh-requests.js';
import { readAll } from '../accounts/accounts.js';
import { freeShare } from '../call-share.js';
import type { RunContext } from '../deps.js';
import { createFeedReader } from '../transactions/read-feed.js';
import { readTwice } from '../transactions/read-window.js';
import { createFeedStore } from '../transactions/sql-feed-store.js';
import type { RefreshRound } from './refresh-memory.js';

const PER_ROUND = 500;
/** What was not found is left to the runs, and asked for ever more rarely. */
const AGAIN_MS = 60_000;
/** An event comes soon after the transaction that it reports. */
const RECENT_MS = 60 * 60_000;
/** There is no call for one sub-wallet: where there are thousands, events alone must not spend the rate on their lists. */
const REST_MS_PER_CALL = 2_000;

/**
 * Sub-wallets that something asked to be read: all lists are read, once. An event that names them reports a transaction more
 * often than not, and seldom by the id that the feed knows it by (specification 4.12): so the newest of the feed is read first.
 */
export async function refreshAccounts(round: RefreshRound): Promise<void> {
  await readDue(round, 'account', async (run) => {
    await readNewestTransactions(run);
    await readAll(run);
  });
}

/** Transactions that something asked to be read. */
export async function refreshTransactions(round: RefreshRound): Promise<void> {
  await readDue(round, 'transaction', readNewestTransactions);
}

async function readDue(
  { deps, memory, signal }: RefreshRound,
  kind: 'account' | 'transaction',
  read: (run: RunContext) => Promise<void>,
): Promise<void> {
  const now = () => deps.now().getTime();
  if (now() < (memory.restUntil.get(kind) ?? 0)) return;
  const due = await dueRequests(deps.db, kind, PER_ROUND);
  if (due.length === 0) return;
  const { share = freeShare(deps.client) } = deps;
  const isReports = due.every(isOfReports);
  if (isReports && !share.hasEarned() && !share.isQuiet()) return;
  const client = isReports ? share.reports : deps.client;
  const run = roundOf({ deps: { ...deps, client }, ...(signal ? { signal } : {}) });
  await read(run).finally(() => memory.restUntil.set(kind, now() + run.tally.calls * REST_MS_PER_CALL));
  await postponeRefreshRequests(
    deps.db,
    kind,
    due.map(({ id }) => id),
    AGAIN_MS,
  );
}

/** The last hour of the feed; the run that comes to it proves it. */
async function readNewestTransactions(run: RunContext): Promise<void> {
  const now = Math.floor(run.deps.client.serviceNow());
  await readTwice(createFeedReader(run), createFeedStore(run), { from: now - RECENT_MS, to: now + RECENT_MS });
}

function roundOf({ deps, signal }: Pick<RunContext, 'deps' | 'signal'>): RunContext {
  return {
    deps,
    source: { type: 'poll', ref: 'verify-claims' },
    tally: { calls: 0, seen: 0, changed: 0, breaksOpened: 0 },
    fence: { runId: null, dryRun: false },
    options: { full: false, since: null, resume: false, pages: null },
    ...(signal ? { signal } : {}),
    progress: () => {},
  };
}
