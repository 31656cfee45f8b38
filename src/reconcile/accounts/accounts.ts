import type { Observation } from '../../domain/observation.js';
import { listedIds } from '../../records/runs/record-places.js';
import { endRefreshRequests, waitingRefreshRequests } from '../../records/runs/refresh-requests.js';
import { saveObservations } from '../../records/saving/save-observations.js';
import type { Outcome, RunContext } from '../deps.js';
import { StrangeListError } from '../lists/same-list.js';
import { NOTHING, writeFenced } from '../write-fenced.js';
import { type AccountPage, type AccountsScan, scanAccounts } from './scan-accounts.js';
import { settleUnlisted, type UnlistedAccounts } from './settle-unlisted.js';

/** Specification 3.6, 4.10. */
const statuses = ['active', 'frozen', 'closed'] as const;

/** Fewer sub-wallets than this may well be gone all at once. */
const TOO_FEW = 5;

interface Pass {
  seen: Set<string>;
  reasons: string[];
  /** Start and end of the poll, in ms of the service's clock. */
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
  if (unlisted !== null) await saveUnlisted(run, unlisted);
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
  await save(
    run,
    rows.map(({ id, fields }): Observation => ({ type: 'poll', kind: 'account', id, from, to, source, fields })),
  );
}

async function saveUnlisted(run: RunContext, { observations, endedRequests }: UnlistedAccounts): Promise<void> {
  const { deps, tally, fence } = run;
  await save(run, observations);
  if (endedRequests.length === 0) return;
  await writeFenced({ db: deps.db, now: deps.now, tally, fence }, async (trx) => {
    await endRefreshRequests(trx, 'account', endedRequests);
    return NOTHING;
  });
}

async function save({ deps, tally, fence }: RunContext, observations: Observation[]): Promise<void> {
  const { db, now, adoptedAt } = deps;
  if (observations.length === 0) return;
  await writeFenced({ db, now, tally, fence }, async (trx) => {
    const { changed, breaksOpened } = await saveObservations(trx, observations, { now: now(), adoptedAt });
    return { changed, breaksOpened };
  });
}
