import { dueMarks, postponeMarks } from '../records/marks.js';
import { readAll } from './accounts.js';
import type { Marked } from './claim-memory.js';
import type { RunContext } from './deps.js';
import { createFeedReader } from './transactions/read-feed.js';
import { readTwice } from './transactions/read-window.js';
import { createFeedStore } from './transactions/sql-feed-store.js';

const PER_ROUND = 500;
/** What was not found is left to the runs, and asked for ever more rarely. */
const AGAIN_MS = 60_000;
/** An event comes soon after the movement that it tells of. */
const RECENT_MS = 60 * 60_000;

/** Sub-wallets that something asked to be read: there is no call for one of them, so all lists are read, once. */
export async function readMarkedAccounts({ deps, signal }: Marked): Promise<void> {
  const due = await dueMarks(deps.db, 'account', PER_ROUND);
  if (due.length === 0) return;
  await readAll(roundOf({ deps, ...(signal ? { signal } : {}) }));
  await postponeMarks(
    deps.db,
    'account',
    due.map(({ id }) => id),
    AGAIN_MS,
  );
}

/** Movements that something asked to be read: the last hour of the feed is read. */
export async function readMarkedTransactions({ deps, signal }: Marked): Promise<void> {
  const due = await dueMarks(deps.db, 'transaction', PER_ROUND);
  if (due.length === 0) return;
  const run = roundOf({ deps, ...(signal ? { signal } : {}) });
  const now = Math.floor(deps.client.serviceNow());
  await readTwice(createFeedReader(run), createFeedStore(run), { from: now - RECENT_MS, to: now + RECENT_MS });
  await postponeMarks(
    deps.db,
    'transaction',
    due.map(({ id }) => id),
    AGAIN_MS,
  );
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
