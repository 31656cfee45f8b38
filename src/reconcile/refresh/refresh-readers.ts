import {
  endRefreshRequests,
  isOfReports,
  postponeMet,
  postponeRefreshRequests,
  type RefreshKind,
} from '../../records/runs/refresh-requests.js';
import { newTally } from '../../records/runs/runs.js';
import { type DueRequest, dueRequests } from '../../records/runs/settle-requests.js';
import { readWatermarks } from '../../records/runs/watermarks.js';
import { readAll } from '../accounts/accounts.js';
import type { RunContext } from '../deps.js';
import { invoiceList } from '../lists/invoices.js';
import { paymentIntentList } from '../lists/payment-intents.js';
import { hasNoPayoutList, hasPayoutList, payoutList } from '../lists/payouts.js';
import { readPayins } from '../read-payins.js';
import { type SearchedRecord, searchDeliveries } from '../search-deliveries.js';
import { freeShare, takeTurns } from '../take-turns.js';
import { createFeedReader } from '../transactions/read-feed.js';
import { readTwice } from '../transactions/read-window.js';
import { createFeedStore } from '../transactions/sql-feed-store.js';
import { type RefreshRound, refreshList, source } from './refresh-list.js';

/** Payins take one call each, in a lane of their own: a backlog is read without a pause between a few of them. */
const PAYINS_PER_ROUND = 200;
const PAYINS_TURN_MS = 20_000;
const PAYOUTS_PER_ROUND = 20;
/** An event comes a while after what it reports. */
const PAYOUT_AGAIN_MS = 60_000;
/** For half an hour or so. Then the runs alone search for it, while it is open, and say of how many nothing is shown. */
const MOST_PAYOUT_SEARCHES = 5;
/** The history is written a little after its event. */
const SEARCH_AGAIN_MS = 5_000;
const MOST_SEARCHES = 5;

/** Payins last. The other kinds are named by no event: their runs read all of them. */
export const refreshReaders: readonly { kind: RefreshKind; read: (round: RefreshRound) => Promise<void> }[] = [
  { kind: 'payment_intent', read: (round) => refreshList(round, paymentIntentList) },
  { kind: 'invoice', read: (round) => refreshList(round, invoiceList) },
  { kind: 'payout', read: refreshPayouts },
  { kind: 'account', read: refreshAccounts },
  { kind: 'transaction', read: refreshTransactions },
  { kind: 'payin', read: refreshPayins },
  { kind: 'delivery', read: refreshDeliveries },
];

/** So many of them in turn at most, each with what it is asked by. */
function* inTurn({ deps, memory, signal }: RefreshRound, kind: RefreshKind, due: readonly DueRequest[], most: number) {
  const { share = freeShare(deps.client) } = deps;
  const turns = takeTurns(due, share, memory.rotationOf(kind));
  for (let asked = 0; asked < most; asked += 1) {
    const request = turns.next();
    if (request === null) return;
    const client = isOfReports(request) ? share.reports : deps.client;
    yield { request, searching: { deps: { ...deps, client }, tally: newTally(), fence: null, signal } };
  }
}

/** What only reports link: the delivery history is asked, now and a little later, since it may lag behind its events. */
async function refreshDeliveries(round: RefreshRound): Promise<void> {
  const { db } = round.deps;
  const due = await dueRequests(db, 'delivery', PAYOUTS_PER_ROUND);
  for (const { request, searching } of inTurn(round, 'delivery', due, due.length)) {
    const record = searchedRecord(request.id);
    // What fails of one does not stand before the others in the next round.
    await postponeMet(db, 'delivery', request, SEARCH_AGAIN_MS * 2 ** request.attempts);
    const asked = record === null ? 0 : (await searchDeliveries(searching, [record])).asked;
    if (asked === 0 || request.attempts >= MOST_SEARCHES) await endRefreshRequests(db, 'delivery', [request]);
  }
}

function searchedRecord(id: string): SearchedRecord | null {
  const at = id.indexOf(' ');
  const kind = (['payout', 'invoice'] as const).find((one) => one === id.slice(0, at));
  return kind === undefined ? null : { kind, id: id.slice(at + 1) };
}

async function refreshPayins({ deps, memory, signal }: RefreshRound): Promise<void> {
  const until = new Date(deps.now().getTime() + PAYINS_TURN_MS);
  const rotation = memory.rotationOf('payin');
  const limit = PAYINS_PER_ROUND;
  await readPayins(deps, { source, tally: newTally(), fence: null, rotation, limit, until, signal });
}

/** Where there is no list, nothing can settle such a refresh request: it is tried ever more rarely, and ends. */
async function refreshPayouts(round: RefreshRound): Promise<void> {
  const { db } = round.deps;
  const due = await dueRequests(db, 'payout', PAYOUTS_PER_ROUND);
  if (due.length === 0) return;
  const known = await readWatermarks(db, payoutList.kind);
  if (hasPayoutList(known)) return refreshList(round, payoutList);
  const isUnlisted = hasNoPayoutList(known);
  for (const { request, searching } of inTurn(round, 'payout', due, PAYOUTS_PER_ROUND)) {
    if (isUnlisted) await searchDeliveries(searching, [{ kind: 'payout', id: request.id }]);
    if (isUnlisted && request.attempts >= MOST_PAYOUT_SEARCHES) await endRefreshRequests(db, 'payout', [request]);
    await postponeRefreshRequests(db, 'payout', [request.id], PAYOUT_AGAIN_MS);
  }
}

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
  const run: RunContext = {
    deps: { ...deps, client },
    source,
    tally: newTally(),
    fence: { runId: null, dryRun: false },
    options: { full: false, since: null, resume: false, pages: null },
    signal,
    progress: () => {},
  };
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
