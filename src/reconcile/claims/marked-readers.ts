import { dueMarks, endMarks, type MarkKind, postponeMarks } from '../../records/runs/marks.js';
import { readWatermarks } from '../../records/runs/watermarks.js';
import { type FollowedRecord, followDeliveries } from '../follow-deliveries.js';
import { invoiceList } from '../invoices.js';
import { paymentIntentList } from '../payment-intents.js';
import { hasNoPayoutList, hasPayoutList, payoutList } from '../payouts.js';
import type { Marked } from './claim-memory.js';
import { readMarkedAccounts, readMarkedTransactions } from './read-marked-wallets.js';
import { readPayins } from './read-payins.js';
import { verifyList } from './verify-list.js';

const source = { type: 'poll', ref: 'verify-claims' } as const;
/** Deposits take one call each, in a lane of their own: a backlog is read without a pause between a few of them. */
const PAYINS_PER_ROUND = 200;
const PAYINS_TURN_MS = 20_000;
const PAYOUTS_PER_ROUND = 20;
/** An event comes a while after what it tells of. */
const PAYOUT_AGAIN_MS = 60_000;
/** For half an hour or so. Then the runs alone follow it, while it is open, and say of how many nothing is shown. */
const MOST_FOLLOWED = 5;
/** The history is written a little after its event. */
const SEARCH_AGAIN_MS = 5_000;
const MOST_SEARCHES = 3;

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

/** What only reports link: the delivery history is asked, now and once more, since it may lag behind its events. */
async function readMarkedDeliveries({ deps, signal }: Marked): Promise<void> {
  const due = await dueMarks(deps.db, 'delivery', PAYOUTS_PER_ROUND);
  if (due.length === 0) return;
  const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
  const records = due.flatMap(({ id }) => followedRecord(id) ?? []);
  await followDeliveries({ deps, tally, fence: null, ...(signal ? { signal } : {}) }, records);
  await endMarks(
    deps.db,
    'delivery',
    due.filter(({ attempts }) => attempts >= MOST_SEARCHES),
  );
  const ids = due.map(({ id }) => id);
  await postponeMarks(deps.db, 'delivery', ids, SEARCH_AGAIN_MS);
}

function followedRecord(id: string): FollowedRecord | null {
  const at = id.indexOf(' ');
  const kind = (['payout', 'invoice'] as const).find((one) => one === id.slice(0, at));
  return kind === undefined ? null : { kind, id: id.slice(at + 1) };
}

async function readMarkedPayins({ deps, signal }: Marked): Promise<void> {
  const until = new Date(deps.now().getTime() + PAYINS_TURN_MS);
  const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
  await readPayins(deps, {
    source,
    tally,
    fence: null,
    limit: PAYINS_PER_ROUND,
    until,
    ...(signal ? { signal } : {}),
  });
}

/** Where there is no list, nothing can settle such a mark: it is looked after ever more rarely, and ends. */
async function readMarkedPayouts(marked: Marked): Promise<void> {
  const { deps, signal } = marked;
  const due = await dueMarks(deps.db, 'payout', PAYOUTS_PER_ROUND);
  if (due.length === 0) return;
  const known = await readWatermarks(deps.db, payoutList.kind);
  if (hasPayoutList(known)) return verifyList(marked, payoutList);
  const ids = due.map(({ id }) => id);
  if (hasNoPayoutList(known)) {
    const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
    const records = ids.map((id) => ({ kind: 'payout' as const, id }));
    await followDeliveries({ deps, tally, fence: null, ...(signal ? { signal } : {}) }, records);
  }
  const isOver = ({ attempts }: { attempts: number }) => hasNoPayoutList(known) && attempts >= MOST_FOLLOWED;
  await endMarks(deps.db, 'payout', due.filter(isOver));
  await postponeMarks(deps.db, 'payout', ids, PAYOUT_AGAIN_MS);
}
