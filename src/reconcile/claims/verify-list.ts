import { dueMarks, postponeMarks } from '../../records/runs/marks.js';
import { placesOfRecords } from '../../records/runs/record-places.js';
import type { RunTally } from '../../records/runs/runs.js';
import type { ListPlan } from '../lists/list-plan.js';
import { type ListReading, newReading } from '../lists/list-reading.js';
import type { Place } from '../lists/list-row.js';
import type { Absence } from '../lists/list-store.js';
import { listPages } from '../lists/read-pages.js';
import { type Looked, readWindows } from '../lists/read-windows.js';
import { assertSameList } from '../lists/same-list.js';
import { createListStore } from '../lists/sql-list-store.js';
import type { Marked } from './claim-memory.js';

const PER_ROUND = 500;
/** Between the two looks that prove an absence, so that a list that lags behind its events can catch up. */
const SECOND_LOOK_MS = 5_000;
const UNDECIDED_MS = 2_000;

const source = { type: 'poll', ref: 'verify-claims' } as const;

/** Reads what is marked of a list, by its windows. Claims cluster near the head, so a call answers for up to 100. */
export async function verifyList(marked: Marked, plan: ListPlan): Promise<void> {
  const { deps, memory } = marked;
  const due = await dueMarks(deps.db, plan.record, PER_ROUND);
  if (due.length === 0) return;
  const reading = newRound(marked, plan);
  if (!memory.sure.has(plan.record)) await assertSameList(reading.read, reading.store);
  memory.sure.add(plan.record);
  const ids = due.map(({ id }) => id);
  const places = await placesOfRecords(deps.db, plan.record, ids);
  const looked = await readWindows(
    reading,
    ids.map((id): Place => places.get(id) ?? { id, createdAt: null }),
  );
  const { absent, again } = compareLooks(memory.looksOf(plan.record), looked);
  await reading.store.saveAbsences(absent);
  await postponeMarks(deps.db, plan.record, again, SECOND_LOOK_MS);
  const undecided = looked.undecided.map(({ id }) => id);
  await postponeMarks(deps.db, plan.record, undecided, UNDECIDED_MS);
  const { calls } = reading.tally;
  deps.log.debug(
    { kind: plan.kind, due: due.length, found: looked.found.size, absent: absent.length, calls },
    'verified',
  );
}

function newRound({ deps, signal }: Marked, plan: ListPlan): ListReading {
  const tally: RunTally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
  const stopping = signal ? { signal } : {};
  return newReading({
    plan,
    read: listPages(deps.client, plan.operation, { tally, ...stopping }),
    store: createListStore(deps, plan, { source, tally, fence: null }),
    tally,
    now: () => deps.now().getTime(),
    ...stopping,
  });
}

/** Missing twice, and far enough apart, is absent; missing once is to be looked for again. */
function compareLooks(looks: Map<string, Absence>, { found, missing }: Looked): { absent: Absence[]; again: string[] } {
  for (const id of found) looks.delete(id);
  const absent: Absence[] = [];
  const again: string[] = [];
  for (const [id, absence] of missing) {
    const first = looks.get(id);
    if (first !== undefined && absence.from - first.to >= SECOND_LOOK_MS / 2) {
      looks.delete(id);
      absent.push(absence);
    } else {
      if (first === undefined) looks.set(id, absence);
      again.push(id);
    }
  }
  return { absent, again };
}
