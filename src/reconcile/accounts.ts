import type { Observation } from '../domain/observation.js';
import { listedIds } from '../records/runs/listed-ids.js';
import { saveObservations } from '../records/save-observations.js';
import { type AccountPage, type AccountsWalk, walkAccounts } from './accounts/walk-accounts.js';
import type { Outcome, RunContext } from './deps.js';
import { StrangeListError } from './lists/same-list.js';
import { writeFenced } from './write-fenced.js';

/** Specification 3.6, 4.10. */
const statuses = ['active', 'frozen', 'closed'] as const;

/** Fewer sub-wallets than this may well be gone all at once. */
const TOO_FEW = 5;

interface Pass {
  seen: Set<string>;
  reasons: string[];
  /** Start and end of the reading, in ms of the service's clock. */
  from: number;
  to: number;
}

/**
 * STORY of one reading of the sub-wallets: every list, by status; then, if one that was listed is in none of them, all lists
 * once more, because it may have moved from one to another between the two. One that is in none again is absent: a closed
 * one was archived, any other is a break.
 */
export async function reconcileAccounts(run: RunContext): Promise<Outcome> {
  const first = await readAll(run);
  const listed = await listedIds(run.deps.db, 'account');
  if (listed.length >= TOO_FEW && first.seen.size > 0 && !listed.some((id) => first.seen.has(id))) {
    throw new StrangeListError(
      'the service lists none of the sub-wallets that this database holds: see SERVICE_API_KEY',
    );
  }
  const unseen = listed.filter((id) => !first.seen.has(id));
  const second = unseen.length === 0 || first.reasons.length > 0 ? null : await readAll(run);
  const reasons = [...first.reasons, ...(second?.reasons ?? [])];
  const absent = second === null || reasons.length > 0 ? [] : unseen.filter((id) => !second.seen.has(id));
  if (second !== null) await saveAbsences(run, absent, second);
  return {
    complete: reasons.length === 0,
    proof: {
      ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
      listed: first.seen.size,
      absent: absent.length,
      lists: [...statuses],
    },
    watermarks: new Map([['head', { at: first.from }]]),
  };
}

/** One pass over the lists of all statuses; what they show is saved page by page. */
export async function readAll(run: RunContext): Promise<Pass> {
  const pass: Pass = { seen: new Set(), reasons: [], from: Number.POSITIVE_INFINITY, to: 0 };
  for (const status of statuses) {
    const walk = await walkAccounts(run, status, async (page) => {
      pass.from = Math.min(pass.from, page.from);
      pass.to = Math.max(pass.to, page.to);
      await savePage(run, page);
    });
    for (const id of walk.ids) pass.seen.add(id);
    if (walk.flaw !== null) pass.reasons.push(`the list of ${status} sub-wallets: ${words[walk.flaw]}`);
  }
  return pass;
}

const words: Readonly<Record<NonNullable<AccountsWalk['flaw']>, string>> = {
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
    rows.map(({ id, fields }): Observation => ({ type: 'reading', kind: 'account', id, from, to, source, fields })),
  );
}

async function saveAbsences(run: RunContext, ids: readonly string[], { from, to }: Pass): Promise<void> {
  const { source } = run;
  await save(
    run,
    ids.map((id): Observation => ({ type: 'absence', kind: 'account', id, from, to, source })),
  );
}

async function save({ deps, tally, fence }: RunContext, observations: Observation[]): Promise<void> {
  const { db, now, adoptedAt } = deps;
  if (observations.length === 0) return;
  await writeFenced({ db, now, tally, fence }, async (trx) => {
    const { changed, breaksOpened } = await saveObservations(trx, observations, { now: now(), adoptedAt });
    return { changed, breaksOpened };
  });
}
