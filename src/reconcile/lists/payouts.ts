import { checkPayouts } from '../../domain/breaks/payouts.js';
import { states } from '../../domain/family/states.js';
import { autoResolveBreaks, openBreaks } from '../../records/breaks/breaks.js';
import { openPayoutIds, type PayoutsBy, payoutsInHand } from '../../records/runs/record-places.js';
import { readWatermarks, type Watermark, writeWatermarks } from '../../records/runs/watermarks.js';
import { ForbiddenError, NotFoundError, RefusedError, ServiceError } from '../../service-api/service-errors.js';
import type { Outcome, RunContext } from '../deps.js';
import { type Searched, searchDeliveries } from '../search-deliveries.js';
import { writeFenced } from '../write-fenced.js';
import type { ListPlan } from './list-row.js';
import { readList } from './reconcile-list.js';
import { isDue } from './span.js';

/** Not in the specification; where the service has it, it is a list like the others (contract: `paths.listPayouts`). */
export const payoutList: ListPlan = {
  kind: 'payouts',
  record: 'payout',
  operation: 'listPayouts',
  activeStates: states.payout.active,
  waitingStates: [],
};

const DAY_MS = 86_400_000;
const METHOD_NOT_ALLOWED = 405;
/** One call each; the others have their turn in the next run. */
const SEARCHES: Record<PayoutsBy, { name: string; limit: number }> = {
  known: { name: 'followed', limit: 100 },
  reported: { name: 'followed reports', limit: 25 },
};
const CHECKED_AT_ONCE = 500;

/**
 * One run of payouts: the list where there is one; without it every open payout is searched for in the
 * delivery history. An idempotency key is never sent again to learn of a payout: one that expired would pay twice.
 */
export async function reconcilePayouts(run: RunContext): Promise<Outcome> {
  const known = await readWatermarks(run.deps.db, payoutList.kind);
  const isProbeDue = isDue(known.get(NO_LIST), DAY_MS, run.deps.now().getTime());
  const isAsked = withdrawnSince(known.get(REFUSED)) !== null || !hasNoPayoutList(known) || isProbeDue;
  const listed = isAsked ? await readIfOffered(run, known) : null;
  const outcome = listed ?? (await searchOpen(run, await readWatermarks(run.deps.db, payoutList.kind)));
  await checkOpen(run, listed !== null);
  return outcome;
}

/** The service has shown its list, proven or not. */
export function hasPayoutList(known: ReadonlyMap<string, Watermark>): boolean {
  return wasListed(known) && !hasNoPayoutList(known);
}

const wasListed = (known: ReadonlyMap<string, Watermark>): boolean => known.has(LISTED) || known.has('head');

/** The service said so when it was last asked, or has said so for a day, again and again, of one that it had. */
export function hasNoPayoutList(known: ReadonlyMap<string, Watermark>): boolean {
  return typeof known.get(NO_LIST)?.['at'] === 'number' || withdrawnSince(known.get(REFUSED)) !== null;
}

/**
 * Up to which moment (ms of the service's clock) the list of payouts was read: what came later is known by events and our own
 * calls alone. Infinite: it is read. 0: there never was one.
 */
export function payoutsListedUntil(known: ReadonlyMap<string, Watermark>): number {
  if (!hasNoPayoutList(known)) return Number.POSITIVE_INFINITY;
  return withdrawnSince(known.get(REFUSED)) === null ? 0 : Number(known.get('clock')?.['to'] ?? 0);
}

const NO_LIST = 'no list';
const LISTED = 'listed';
/** Of a list that was there: when the service refused it first and last, and how often, without showing it in between. */
const REFUSED = 'refused';

/** Null: the service has no such list. Remembered for a day, unless it had one before. */
async function readIfOffered(run: RunContext, known: ReadonlyMap<string, Watermark>): Promise<Outcome | null> {
  try {
    const outcome = await readList(run, payoutList);
    const at = run.deps.now().getTime();
    const gone = [NO_LIST, REFUSED].filter((name) => known.has(name));
    const watermarks = gone.map((name): [string, Watermark] => [name, { at: null, since: null, count: null }]);
    return { ...outcome, due: new Map([...(outcome.due ?? []), [LISTED, { at }], ...watermarks]) };
  } catch (error) {
    if (!isNotOffered(error)) throw error;
    const at = run.deps.now().getTime();
    if (wasListed(known)) await note(run, REFUSED, refusedAgain(known.get(REFUSED), at));
    else await note(run, NO_LIST, { at });
    return null;
  }
}

function isNotOffered(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.operation !== payoutList.operation) return false;
  if (error instanceof NotFoundError || error instanceof ForbiddenError) return true;
  return error instanceof RefusedError && error.status === METHOD_NOT_ALLOWED;
}

async function searchOpen(run: RunContext, known: ReadonlyMap<string, Watermark>): Promise<Outcome> {
  const searched: Searched = { asked: 0, shown: 0 };
  for (const by of ['known', 'reported'] as const) {
    const { asked, shown } = await searchTurn(run, known, by);
    searched.asked += asked;
    searched.shown += shown;
  }
  return { complete: false, proof: { ...refusalOf(known, searched), ...searched }, watermarks: new Map() };
}

/** So many of them, where the run before stopped. */
async function searchTurn(run: RunContext, known: ReadonlyMap<string, Watermark>, by: PayoutsBy): Promise<Searched> {
  const { db } = run.deps;
  const { name, limit } = SEARCHES[by];
  const after = String(known.get(name)?.['after'] ?? '');
  const next = await openPayoutIds(db, after, { by, limit });
  const first = after === '' ? [] : await openPayoutIds(db, '', { by, limit: limit - next.length });
  const ids = [...new Set([...next, ...first])];
  const searched = await searchDeliveries(
    run,
    ids.map((id) => ({ kind: 'payout' as const, id })),
  );
  const rest = await openPayoutIds(db, ids.at(-1) ?? '', { by, limit: 1 });
  await note(run, name, { after: rest.length === 0 ? '' : (ids.at(-1) ?? '') });
  return searched;
}

/** A list that was there is not gone for one refusal: what it would show now is missing, and nothing may be built on that. */
function refusalOf(known: ReadonlyMap<string, Watermark>, { asked, shown }: Searched): Record<string, unknown> {
  const since = withdrawnSince(known.get(REFUSED));
  const searched = `of ${asked} open ones the delivery history shows ${shown}`;
  if (since !== null) {
    const listedUntil = new Date(payoutsListedUntil(known)).toISOString();
    return {
      reason: `degraded: the service no longer offers its list of payouts, since ${new Date(since).toISOString()}; ${searched}`,
      list: 'withdrawn',
      listedUntil,
      unobservable: `payouts made after ${listedUntil} that no event and no call of ours shows, and what became of those whose events are lost: they show as a residual of the balance`,
    };
  }
  const reason = wasListed(known)
    ? 'the list of payouts, which the service showed before, was refused'
    : `degraded: the service has no list of payouts; ${searched}`;
  return { reason, list: 'not offered' };
}

/** What stays open for too long. */
async function checkOpen(run: RunContext, offersList: boolean): Promise<void> {
  const { deps, tally, fence } = run;
  const { db, now, adoptedAt, settings } = deps;
  const about = { adoptedAt: adoptedAt.getTime(), graceMs: settings.payoutGraceMs, offersList };
  let after = '';
  for (;;) {
    const payouts = await payoutsInHand(db, after, CHECKED_AT_ONCE);
    const last = payouts.at(-1);
    if (last === undefined) return;
    after = last.id;
    const { open, resolve } = checkPayouts(payouts, { ...about, now: now().getTime() });
    await writeFenced({ db, now, tally, fence }, async (trx) => {
      await autoResolveBreaks(trx, resolve);
      return { changed: 0, breaksOpened: await openBreaks(trx, open) };
    });
  }
}

/** At once, and not with the end of the run: this is no proof of anything that was read. */
async function note({ deps, tally, fence }: RunContext, name: string, watermark: Watermark): Promise<void> {
  const { db, now } = deps;
  await writeFenced({ db, now, tally, fence }, async (trx) => {
    if (fence.runId !== null) await writeWatermarks(trx, payoutList.kind, fence.runId, new Map([[name, watermark]]));
  });
}

const HOUR_MS = 3_600_000;
/** A list that was there is withdrawn once it was refused for so long, so often, and never for long without being asked for. */
const WITHDRAWN_MS = 24 * HOUR_MS;
const LEAST_REFUSALS = 12;
const LONGEST_PAUSE_MS = 6 * HOUR_MS;

/** What is noted of one more refusal; `at` in ms of our clock. */
export function refusedAgain(watermark: Watermark | undefined, at: number): Watermark {
  const [since, last] = [watermark?.['since'], watermark?.['at']];
  const isNear = typeof last === 'number' && at - last <= LONGEST_PAUSE_MS;
  const goesOn = typeof since === 'number' && (isNear || withdrawnSince(watermark) !== null);
  return goesOn ? { since, at, count: countOf(watermark) + 1 } : { since: at, at, count: 1 };
}

/** The first of the refusals by which the list is withdrawn; null: it is not. */
export function withdrawnSince(watermark: Watermark | undefined): number | null {
  const [since, at] = [watermark?.['since'], watermark?.['at']];
  if (typeof since !== 'number' || typeof at !== 'number' || countOf(watermark) < LEAST_REFUSALS) return null;
  return at - since >= WITHDRAWN_MS ? since : null;
}

/** One that was noted before refusals were counted. */
const countOf = (watermark: Watermark | undefined): number => Number(watermark?.['count'] ?? LEAST_REFUSALS);
