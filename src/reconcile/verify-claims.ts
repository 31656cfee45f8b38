import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../records/database-errors.js';
import { dueMarks, postponeMarks } from '../records/marks.js';
import { placesOfRecords } from '../records/record-places.js';
import type { ReconcileDeps } from './deps.js';
import { newReading } from './list-reading.js';
import type { Place } from './list-row.js';
import type { Absence } from './list-store.js';
import { paymentIntentList } from './payment-intents.js';
import { listPages } from './read-pages.js';
import { readPayins } from './read-payins.js';
import { type Looked, readWindows } from './read-windows.js';
import { assertSameList } from './same-list.js';
import { createListStore } from './sql-list-store.js';

/** Claims that come within this time are read by the same calls. */
const GATHER_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const INTENTS_PER_ROUND = 500;
const PAYINS_PER_ROUND = 50;
/** Deposits take one call each: after so long it is the payment intents' turn again. */
const PAYINS_TURN_MS = 2_000;
/** Between the two looks that prove an absence, so that a list that lags behind its events can catch up. */
const SECOND_LOOK_MS = 5_000;
const UNDECIDED_MS = 2_000;

const plan = paymentIntentList;
const source = { type: 'poll', ref: 'verify-claims' } as const;

/** What a round remembers for the next: records that were missing once, and when. */
export type FirstLooks = Map<string, Absence>;

/** Reads at once what events claimed, until the signal aborts. Failures are logged and tried again, ever more slowly. */
export async function keepVerifyingClaims(deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  const looks: FirstLooks = new Map();
  let pause = GATHER_MS;
  let known = false;
  while (!signal.aborted) {
    try {
      if (!known) await assertOurList(deps, signal);
      known = true;
      await verifyClaims(deps, looks, signal);
      pause = GATHER_MS;
    } catch (error) {
      if (signal.aborted) return;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      deps.log.warn({ error: describeError(error), pause }, 'claims could not be verified');
    }
    await delay(pause, undefined, { signal }).catch(() => {});
  }
}

/** One round: every record whose reading is due. Claims cluster near the head, so a call answers for up to 100. */
export async function verifyClaims(deps: ReconcileDeps, looks: FirstLooks, signal?: AbortSignal): Promise<void> {
  await verifyIntents(deps, looks, signal);
  const until = new Date(deps.now().getTime() + PAYINS_TURN_MS);
  const limit = PAYINS_PER_ROUND;
  await readPayins(deps, { source, tally: newTally(), fence: null, limit, until, ...(signal ? { signal } : {}) });
}

/** Once: the service's address and key do not change while the process runs. */
async function assertOurList(deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  const tally = newTally();
  await assertSameList(
    listPages(deps.client, plan.operation, { tally, ...(signal ? { signal } : {}) }),
    createListStore(deps, plan, { source, tally, fence: null }),
  );
}

async function verifyIntents(deps: ReconcileDeps, looks: FirstLooks, signal?: AbortSignal): Promise<void> {
  const { db } = deps;
  const due = await dueMarks(db, 'payment_intent', INTENTS_PER_ROUND);
  if (due.length === 0) return;
  const places = await placesOfRecords(
    db,
    plan.record,
    due.map(({ id }) => id),
  );
  const tally = newTally();
  const store = createListStore(deps, plan, { source, tally, fence: null });
  const reading = newReading({
    plan,
    read: listPages(deps.client, plan.operation, { tally, ...(signal ? { signal } : {}) }),
    store,
    now: () => deps.now().getTime(),
    ...(signal ? { signal } : {}),
  });
  const targets = due.map(({ id }): Place => places.get(id) ?? { id, createdAt: null });
  const looked = await readWindows(reading, targets);
  const { absent, again } = compareLooks(looks, looked);
  await store.saveAbsences(absent);
  await postponeMarks(db, 'payment_intent', again, SECOND_LOOK_MS);
  const undecided = looked.undecided.map(({ id }) => id);
  await postponeMarks(db, 'payment_intent', undecided, UNDECIDED_MS);
  deps.log.debug({ due: due.length, found: looked.found.size, absent: absent.length, calls: tally.calls }, 'verified');
}

/** Missing twice, and far enough apart, is absent; missing once is to be looked for again. */
function compareLooks(looks: FirstLooks, { found, missing }: Looked): { absent: Absence[]; again: string[] } {
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

function newTally() {
  return { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
}
