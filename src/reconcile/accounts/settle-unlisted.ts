import type { Observation } from '../../domain/observation.js';
import { accountsEndingIn, closedAccounts } from '../../records/runs/record-places.js';
import type { MetRefreshRequest, WaitingRefreshRequest } from '../../records/runs/refresh-requests.js';
import type { RunContext } from '../deps.js';
import { findHidden } from './find-hidden.js';

const DAY_MS = 86_400_000;
/** Of ids in a run's proof. */
const SHOWN = 10;

export interface UnlistedAccounts {
  /** What is to be saved of them, and the refresh requests that go. */
  observations: Observation[];
  endedRequests: MetRefreshRequest[];
  absent: number;
  /** Why the run does not prove what became of some; null: it does. */
  reason: string | null;
  /** For the run's proof. */
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
  return {
    observations: [
      ...archived.filter(isHeld).map((id) => archivedStatement(run, id, passes)),
      ...gone.map((id) => absence(run, id, passes)),
    ],
    endedRequests: [...[...archived, ...found.denied].filter((id) => !isHeld(id)), ...given].flatMap(
      (id) => ages.get(id) ?? [],
    ),
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
