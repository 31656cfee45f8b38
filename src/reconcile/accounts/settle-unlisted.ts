import { isJsonObject } from '../../domain/json.js';
import type { Observation } from '../../domain/observation.js';
import { accountsEndingIn, closedAccounts } from '../../records/runs/record-places.js';
import { endRefreshRequests, type WaitingRefreshRequest } from '../../records/runs/refresh-requests.js';
import { ForbiddenError, NotFoundError, RefusedError } from '../../service-api/service-errors.js';
import type { RunContext } from '../deps.js';
import { ask } from '../service-reader.js';
import { saveFenced, writeFenced } from '../write-fenced.js';

const DAY_MS = 86_400_000;
/** Of ids in a run's proof. */
const SHOWN = 10;

interface UnlistedAccounts {
  absent: number;
  /** Why the run does not prove what became of some; null: it does. */
  reason: string | null;
  proof: Record<string, unknown>;
}

interface Passes {
  /** Shown by the lists. */
  seen: ReadonlySet<string>;
  /** Were listed once, and are in none of the lists, polled twice. */
  vanished: readonly string[];
  /** Named by events half a minute ago or earlier, and in none of the lists, polled twice. */
  named: readonly WaitingRefreshRequest[];
  /** The beginning of the first pass; the last pass. In ms of the service's clock. */
  after: number;
  from: number;
  to: number;
}

/**
 * What becomes of sub-wallets that no list shows. Closed or archived ones are gone quietly; one that the service denies is
 * absent, and a break if it was listed or an event reported more of it than its id. One that was only named, and that the service
 * does not speak of for a day, is no longer asked for: the proof of the run says so.
 */
export async function settleUnlisted(run: RunContext, passes: Passes): Promise<UnlistedAccounts> {
  const { db, contract } = run.deps;
  const closed = await closedAccounts(db, passes.vanished);
  const open = passes.vanished.filter((id) => !closed.has(id));
  const wasListed = new Set(open);
  const named = passes.named.filter(({ id }) => !wasListed.has(id) && !closed.has(id));
  const asked = [...open, ...named.map(({ id }) => id)];
  const found = await findHidden(run, asked, passes.seen.values().next().value);
  const emptied = await accountsEndingIn(db, found.undecided, contract.movements.words.transactionType.closure);
  const archived = [...found.known, ...found.undecided.filter((id) => emptied.has(id))];
  const undecided = found.undecided.filter((id) => !emptied.has(id));
  const doubtful = undecided.filter((id) => wasListed.has(id));
  const ages = new Map(named.map((request) => [request.id, request]));
  const given = undecided.filter((id) => (ages.get(id)?.ageMs ?? 0) >= DAY_MS);
  const isHeld = (id: string): boolean => wasListed.has(id) || ages.get(id)?.held === true;
  const gone = [...closed, ...[...archived, ...found.denied].filter(isHeld), ...doubtful];
  await saveFenced(run, [
    ...archived.filter(isHeld).map((id) => archivedStatement(run, id, passes)),
    ...gone.map((id) => absence(run, id, passes)),
  ]);
  const unheld = [...archived, ...found.denied].filter((id) => !isHeld(id));
  const ended = [...unheld, ...given].flatMap((id) => ages.get(id) ?? []);
  if (ended.length > 0) await writeFenced({ ...run.deps, ...run }, (trx) => endRefreshRequests(trx, 'account', ended));
  return {
    absent: [...closed, ...open.filter((id) => !found.left.includes(id))].length,
    reason:
      found.left.length === 0 ? null : `${found.left.length} sub-wallets of no list are asked for in the next run`,
    proof: {
      ...some('archived', archived),
      ...some(
        'unknownToService',
        found.denied.filter((id) => !wasListed.has(id)),
      ),
      ...some('noLongerAskedFor', given),
    },
  };
}

function some(name: string, ids: readonly string[]): Record<string, unknown> {
  return ids.length === 0 ? {} : { [name]: { count: ids.length, ids: ids.slice(0, SHOWN) } };
}

/** It was closed before it could be archived (specification 3.6), so before the lists were read without it. */
function archivedStatement({ source }: RunContext, id: string, { after }: Passes): Observation {
  return { type: 'statement', kind: 'account', id, from: after, to: after, source, fields: { id, status: 'closed' } };
}

function absence({ source }: RunContext, id: string, { from, to }: Passes): Observation {
  return { type: 'absence', kind: 'account', id, from, to, source };
}

/** No sub-wallet has this id: shows whether the service refuses to show the transactions of one that it does not know. */
const NOBODY = 'tallyhook-no-such-account';
/** Calls of one run; the others have their turn in the next. */
const MOST = 60;

interface HiddenAccounts {
  /** The service knows them by their own transactions: hidden from the lists, which only an archived one is. */
  known: string[];
  denied: string[];
  /** The service refuses to answer, or shows nothing of a sub-wallet that it does not know either. */
  undecided: string[];
  left: string[];
}

/**
 * Sub-wallets that none of the lists shows, asked for one by one through their own transactions (specification 4.11): there is
 * no call for one sub-wallet. One that was closed and archived between two runs was never seen closed, and is still known.
 * `listed`: one that the lists show.
 */
async function findHidden(
  run: RunContext,
  ids: readonly string[],
  listed: string | undefined,
): Promise<HiddenAccounts> {
  const found: HiddenAccounts = { known: [], denied: [], undecided: [], left: ids.slice(MOST) };
  const silent: string[] = [];
  const denied: string[] = [];
  for (const id of ids.slice(0, MOST)) {
    const answer = await askFor(run, id);
    if (answer === 'nothing') silent.push(id);
    else (answer === 'denied' ? denied : found[answer]).push(id);
  }
  // Where it denies one that it lists as well, it does not offer the call.
  const isOffered = denied.length === 0 || listed === undefined || (await askFor(run, listed)) !== 'denied';
  found[isOffered ? 'denied' : 'undecided'].push(...denied);
  const isDenying = silent.length > 0 && (await askFor(run, NOBODY)) === 'denied';
  found[isDenying ? 'known' : 'undecided'].push(...silent);
  return found;
}

/** `nothing`: an empty list, which may be that of a sub-wallet that never moved. */
async function askFor(run: RunContext, id: string): Promise<'known' | 'denied' | 'undecided' | 'nothing'> {
  try {
    const { data } = await ask(run, 'listAccountTransactions', { path: { id }, query: { take: 1 } });
    const items = isJsonObject(data) ? data['items'] : data;
    if (!Array.isArray(items)) return 'undecided';
    return items.length > 0 ? 'known' : 'nothing';
  } catch (error) {
    if (error instanceof NotFoundError) return 'denied';
    if (error instanceof ForbiddenError || error instanceof RefusedError) return 'undecided';
    throw error;
  }
}
