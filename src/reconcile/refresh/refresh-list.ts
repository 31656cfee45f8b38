import type { RecordKind } from '../../domain/records.js';
import { placesOfRecords } from '../../records/runs/record-places.js';
import { isOfReports, postponeRefreshRequests, type RefreshKind } from '../../records/runs/refresh-requests.js';
import { newTally } from '../../records/runs/runs.js';
import { type DueRequest, dueRequests } from '../../records/runs/settle-requests.js';
import type { ReconcileDeps } from '../deps.js';
import { type ListPoll, newListPoll } from '../lists/list-poll.js';
import type { ListPlan, Place } from '../lists/list-row.js';
import type { Absence } from '../lists/list-store.js';
import { listPages } from '../lists/read-pages.js';
import { readWindows, type Searched } from '../lists/read-windows.js';
import { assertSameList } from '../lists/same-list.js';
import { createListStore } from '../lists/sql-list-store.js';
import { type CallShare, freeShare, type Rotation, takeTurns } from '../take-turns.js';

const PER_ROUND = 500;
/** Between the two polls that prove an absence, so that a list that lags behind its events can catch up. */
const SECOND_POLL_MS = 5_000;
const UNDECIDED_MS = 2_000;
/** Of what webhooks alone name, wherever in the list they say that it stands. The whole list shows what these don't reach. */
const REPORTED = { windows: 20, pagesPerWindow: 3 };

export const source = { type: 'poll', ref: 'refresh' } as const;

/**
 * Reads what is requested of a list, by its windows. Requests cluster near the head, so a call answers for up to 100. What webhooks
 * alone ask for is searched for on the head page, which all of it shares, and further down by its share of the calls.
 */
export async function refreshList(round: RefreshRound, plan: ListPlan): Promise<void> {
  const { deps, memory } = round;
  const due = await dueRequests(deps.db, plan.record, PER_ROUND);
  if (due.length === 0) return;
  const poll = newRound(round, plan);
  if (!memory.sure.has(plan.record)) await assertSameList(poll.read, poll.store);
  memory.sure.add(plan.record);
  const known = await placesOfRecords(
    deps.db,
    plan.record,
    due.map(({ id }) => id),
  );
  const places = due.map(({ id }): Place => known.get(id) ?? { id, createdAt: null });
  const reported = due.filter(isOfReports);
  const headOnly = new Set(reported.map(({ id }) => id));
  const own = await readWindows(poll, places, { headOnly });
  const searched = await readFurther(round, poll, own, reported);
  const { absent, again } = compareAbsences(memory.absencesOf(plan.record), searched);
  await poll.store.saveAbsences(absent);
  await postponeRefreshRequests(deps.db, plan.record, again, SECOND_POLL_MS);
  const undecided = searched.undecided.map(({ id }) => id);
  await postponeRefreshRequests(deps.db, plan.record, undecided, UNDECIDED_MS);
  const { calls } = poll.tally;
  deps.log.debug(
    { kind: plan.kind, due: due.length, found: searched.found.size, absent: absent.length, calls },
    'verified',
  );
}

/** What the head page did not decide of what webhooks alone ask for, each secret in turn, while its share lasts. */
async function readFurther(
  { deps, memory, signal }: RefreshRound,
  poll: ListPoll,
  searched: Searched,
  reported: readonly DueRequest[],
): Promise<Searched> {
  const { share = freeShare(deps.client) } = deps;
  const open = new Map(searched.undecided.map((place) => [place.id, place]));
  const asked = reported.filter(({ id }) => typeof open.get(id)?.createdAt === 'number');
  const turns = takeTurns(asked, anyOf(share), memory.rotationOf(poll.plan.record));
  const targets: Place[] = [];
  for (let next = turns.next(); next !== null && targets.length < REPORTED.windows; next = turns.next())
    targets.push(open.get(next.id) ?? { id: next.id, createdAt: null });
  if (targets.length === 0) return searched;
  const read = listPages(share.reports, poll.plan.operation, { tally: poll.tally, signal });
  const further = await readWindows({ ...poll, read }, targets, {
    pagesPerWindow: REPORTED.pagesPerWindow,
    mayGoOn: () => share.hasEarned() || share.isQuiet(),
  });
  const decided = new Set([...further.found, ...further.missing.keys()]);
  return {
    found: new Set([...searched.found, ...further.found]),
    missing: new Map([...searched.missing, ...further.missing]),
    undecided: searched.undecided.filter(({ id }) => !decided.has(id)),
  };
}

/** In turn, whatever may be read of it then. */
function anyOf(share: CallShare): Pick<CallShare, 'hasEarned' | 'isQuiet'> {
  const may = share.hasEarned() || share.isQuiet();
  return { hasEarned: () => may, isQuiet: () => false };
}

function newRound({ deps, signal }: RefreshRound, plan: ListPlan): ListPoll {
  const tally = newTally();
  return newListPoll({
    plan,
    read: listPages(deps.client, plan.operation, { tally, signal }),
    store: createListStore(deps, plan, { source, tally, fence: null }),
    tally,
    now: () => deps.now().getTime(),
    signal,
  });
}

/** Missing twice, and far enough apart, is absent; missing once is to be polled again. */
function compareAbsences(
  absences: Map<string, Absence>,
  { found, missing }: Searched,
): { absent: Absence[]; again: string[] } {
  for (const id of found) absences.delete(id);
  const absent: Absence[] = [];
  const again: string[] = [];
  for (const [id, absence] of missing) {
    const first = absences.get(id);
    if (first !== undefined && absence.from - first.to >= SECOND_POLL_MS / 2) {
      absences.delete(id);
      absent.push(absence);
    } else {
      if (first === undefined) absences.set(id, absence);
      again.push(id);
    }
  }
  return { absent, again };
}

/** What the rounds remember of each other. */
export interface RefreshMemory {
  /** Records of a list that were missing once, and when. */
  absencesOf(kind: RecordKind): Map<string, Absence>;
  /** Lists that are known to be those that our records came from. */
  sure: Set<RecordKind>;
  /** Kinds whose poll costs so much that it is not due again before this moment (ms, our clock). */
  restUntil: Map<RecordKind, number>;
  /** Whose webhook was served last, of each kind. */
  rotationOf(kind: RefreshKind): Rotation;
}

export interface RefreshRound {
  deps: ReconcileDeps;
  memory: RefreshMemory;
  signal?: AbortSignal | undefined;
}

export function newRefreshMemory(sure: readonly RecordKind[] = []): RefreshMemory {
  const absences = new Map<RecordKind, Map<string, Absence>>();
  const rotations = new Map<RefreshKind, Rotation>();
  return {
    sure: new Set(sure),
    restUntil: new Map(),
    absencesOf: (kind) => {
      const known = absences.get(kind) ?? new Map<string, Absence>();
      absences.set(kind, known);
      return known;
    },
    rotationOf: (kind) => {
      const known = rotations.get(kind) ?? { last: '' };
      rotations.set(kind, known);
      return known;
    },
  };
}
