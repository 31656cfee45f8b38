import { dueRequests } from '../../records/runs/due-requests.js';
import { endMarks, isOfReports, type MarkKind, postponeMarks, postponeMet } from '../../records/runs/marks.js';
import { readWatermarks } from '../../records/runs/watermarks.js';
import { invoiceList } from '../invoices.js';
import { paymentIntentList } from '../payment-intents.js';
import { hasNoPayoutList, hasPayoutList, payoutList } from '../payouts.js';
import { type SearchedRecord, searchDeliveries } from '../search-deliveries.js';
import { freeShare } from './call-share.js';
import type { Marked } from './claim-memory.js';
import { readMarkedAccounts, readMarkedTransactions } from './read-marked-wallets.js';
import { readPayins } from './read-payins.js';
import { takeTurns } from './take-turns.js';
import { verifyList } from './verify-list.js';

const source = { type: 'poll', ref: 'verify-claims' } as const;
/** Deposits take one call each, in a lane of their own: a backlog is read without a pause between a few of them. */
const PAYINS_PER_ROUND = 200;
const PAYINS_TURN_MS = 20_000;
const PAYOUTS_PER_ROUND = 20;
/** An event comes a while after what it tells of. */
const PAYOUT_AGAIN_MS = 60_000;
/** For half an hour or so. Then the runs alone search for it, while it is open, and say of how many nothing is shown. */
const MOST_FOLLOWED = 5;
/** The history is written a little after its event. */
const SEARCH_AGAIN_MS = 5_000;
const MOST_SEARCHES = 5;

/**
 * How the records of a kind are read at once that something asked to be read; deposits last. The other kinds are named by
 * no event: their runs read all of them.
 */
export const markedReaders: readonly { kind: MarkKind; read: (marked: Marked) => Promise<void> }[] = [
  { kind: 'payment_intent', read: (marked) => verifyList(marked, paymentIntentList) },
  { kind: 'invoice', read: (marked) => verifyList(marked, invoiceList) },
  { kind: 'payout', read: readMarkedPayouts },
  { kind: 'account', read: readMarkedAccounts },
  { kind: 'transaction', read: readMarkedTransactions },
  { kind: 'payin', read: readMarkedPayins },
  { kind: 'delivery', read: readMarkedDeliveries },
];

/** What only reports link: the delivery history is asked, now and a little later, since it may lag behind its events. */
async function readMarkedDeliveries({ deps, memory, signal }: Marked): Promise<void> {
  const due = await dueRequests(deps.db, 'delivery', PAYOUTS_PER_ROUND);
  const { share = freeShare(deps.client) } = deps;
  const turns = takeTurns(due, share, memory.rotationOf('delivery'));
  const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
  for (let request = turns.next(); request !== null; request = turns.next()) {
    const record = searchedRecord(request.id);
    const client = isOfReports(request) ? share.reports : deps.client;
    const searching = { deps: { ...deps, client }, tally, fence: null, ...(signal ? { signal } : {}) };
    // What fails of one does not stand before the others in the next round.
    await postponeMet(deps.db, 'delivery', request, SEARCH_AGAIN_MS * 2 ** request.attempts);
    const asked = record === null ? 0 : (await searchDeliveries(searching, [record])).asked;
    if (asked === 0 || request.attempts >= MOST_SEARCHES) await endMarks(deps.db, 'delivery', [request]);
  }
}

function searchedRecord(id: string): SearchedRecord | null {
  const at = id.indexOf(' ');
  const kind = (['payout', 'invoice'] as const).find((one) => one === id.slice(0, at));
  return kind === undefined ? null : { kind, id: id.slice(at + 1) };
}

async function readMarkedPayins({ deps, memory, signal }: Marked): Promise<void> {
  const until = new Date(deps.now().getTime() + PAYINS_TURN_MS);
  const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
  await readPayins(deps, {
    source,
    tally,
    fence: null,
    rotation: memory.rotationOf('payin'),
    limit: PAYINS_PER_ROUND,
    until,
    ...(signal ? { signal } : {}),
  });
}

/** Where there is no list, nothing can settle such a mark: it is looked after ever more rarely, and ends. */
async function readMarkedPayouts(marked: Marked): Promise<void> {
  const { deps, memory, signal } = marked;
  const due = await dueRequests(deps.db, 'payout', PAYOUTS_PER_ROUND);
  if (due.length === 0) return;
  const known = await readWatermarks(deps.db, payoutList.kind);
  if (hasPayoutList(known)) return verifyList(marked, payoutList);
  const isUnlisted = hasNoPayoutList(known);
  const { share = freeShare(deps.client) } = deps;
  const turns = takeTurns(due, share, memory.rotationOf('payout'));
  for (let asked = 0; asked < PAYOUTS_PER_ROUND; asked += 1) {
    const request = turns.next();
    if (request === null) return;
    const client = isOfReports(request) ? share.reports : deps.client;
    const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
    const searching = { deps: { ...deps, client }, tally, fence: null, ...(signal ? { signal } : {}) };
    if (isUnlisted) await searchDeliveries(searching, [{ kind: 'payout', id: request.id }]);
    if (isUnlisted && request.attempts >= MOST_FOLLOWED) await endMarks(deps.db, 'payout', [request]);
    await postponeMarks(deps.db, 'payout', [request.id], PAYOUT_AGAIN_MS);
  }
}
