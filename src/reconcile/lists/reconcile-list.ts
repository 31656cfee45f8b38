import { counted } from '../../domain/in-words.js';
import type { OpenRecord } from '../../records/runs/record-places.js';
import type { Watermark } from '../../records/runs/watermarks.js';
import { type Outcome, outcomeOf, type PollOptions, type RunContext } from '../deps.js';
import { type ListPoll, newListPoll } from './list-poll.js';
import type { ListPlan, Place } from './list-row.js';
import { listPages } from './read-pages.js';
import { readWindows } from './read-windows.js';
import { type Rescan, rescan } from './rescan.js';
import { assertSameList } from './same-list.js';
import { type HeadScans, readHead } from './scan-gap.js';
import type { Incomplete, Scan } from './scan-list.js';
import { RECENT_MS, type StateScans, scanStates } from './scan-states.js';
import { SETTLE_MS } from './span.js';
import { createListStore } from './sql-list-store.js';

/** Records that wait for a decision unseen: as many as this are polled one by one on each tick. */
const FEW = 30;
/** Less than this is what the service's clock is not known by. */
const CLOCK_UNCERTAINTY_MS = 10_000;
/** Up to one call each; what was read longest ago comes first, the others have their turn in the next runs. */
const MOST_CLOSED = 500;

/**
 * STORY of one poll of a list. Complete: every record that did not change since the
 * scan began, and that was new, open here or open there, is held as the service shows it.
 */
export async function reconcileList(poll: ListPoll, options: PollOptions): Promise<Outcome> {
  const known = await poll.store.watermarks();
  const startedAt = poll.now();
  const open = await poll.store.open();
  for (const place of open) poll.unseen.set(place.id, place);
  const head = await readHead(poll, options.pages);
  const states = await scanStates(poll, known, options.full);
  forgetWaiting(poll, open, { isWhole: states.whole, now: startedAt });
  const closure = await closeOpen(poll, options);
  const marked = await readRequested(poll);
  const again = await rescan(poll, known, { ...options, head });
  const gone = await proveAbsent(poll, again.whole);
  const clock = clockOf(known, [...head.scans, ...states.scans.values(), ...(again.scan ? [again.scan] : [])]);
  const reasons = whyIncomplete({ head, states, closure, marked, gone, rescan: again, clock });
  const proof = {
    head: head.scans.map(proofOf),
    states: Object.fromEntries([
      ...[...states.scans].map(([status, scan]) => [status, proofOf(scan)] as const),
      ...[...states.unfiltered].map(([status, filter]) => [status, { complete: false, filter }] as const),
    ]),
    closure,
    marked,
    sweep: { name: again.name, continues: again.continues, ...(again.scan ? proofOf(again.scan) : {}) },
    absent: gone,
  };
  return outcomeOf(reasons, proof, {
    watermarks: new Map([['head', { at: startedAt }]]),
    due: new Map([
      ['clock', { to: clock.to }],
      ...(closure.undecided + closure.left === 0 ? states.watermarks : []),
      ...(gone.undecided === 0 && !gone.more ? again.watermarks : []),
    ]),
  });
}

/**
 * Polls are distinguished by the service's clock. Where it goes back, what is read seems older than what was read before,
 * and is not taken in until the clock has caught up.
 */
function clockOf(known: ReadonlyMap<string, Watermark>, scans: readonly Scan[]): { to: number; backMs: number } {
  const before = Number(known.get('clock')?.['to'] ?? 0);
  const from = scans.find(({ calls }) => calls > 0)?.from ?? before;
  const backMs = before - from;
  return { to: Math.max(before, ...scans.map(({ to }) => to)), backMs: backMs > CLOCK_UNCERTAINTY_MS ? backMs : 0 };
}

/**
 * Those that wait for a decision and that no filter shows, where there are many, have their turn when the states are read whole:
 * hourly. They are old, or disputes of payments that were paid exactly.
 */
function forgetWaiting(poll: ListPoll, open: OpenRecord[], { isWhole, now }: { isWhole: boolean; now: number }): void {
  const isOld = ({ active, createdAt }: OpenRecord) => !active && createdAt !== null && createdAt < now - RECENT_MS;
  const later = open.filter((one) => poll.unseen.has(one.id) && (one.rests || (!isWhole && isOld(one))));
  if (later.length > FEW) for (const { id } of later) poll.unseen.delete(id);
}

/** Step 3: what we hold as open and no list of an open state shows has moved on: each is polled. */
async function closeOpen(
  poll: ListPoll,
  { pages }: PollOptions,
): Promise<{ looked: number; undecided: number; left: number }> {
  const unseen = [...poll.unseen.values()];
  const open = pages === null ? unseen : unseen.slice(0, MOST_CLOSED);
  const { missing, undecided } = await readWindows(poll, open);
  addCandidates(poll, open, missing);
  return { looked: open.length, undecided: undecided.length, left: unseen.length - open.length };
}

/** Step 4: what something asked to be read. What can't be placed waits for a full scan. */
async function readRequested(poll: ListPoll): Promise<{ looked: number; undecided: number }> {
  const marked = await poll.store.marked();
  const { missing, undecided } = await readWindows(poll, marked);
  addCandidates(poll, marked, missing);
  return { looked: marked.length, undecided: undecided.filter(({ listed }) => listed).length };
}

/** Several pages together may show what none of them does alone: where more records share a moment than a page holds. */
function addCandidates(poll: ListPoll, polled: readonly Place[], missing: ReadonlyMap<string, unknown>): void {
  for (const place of polled) if (missing.has(place.id)) poll.candidates.set(place.id, place);
}

/** What was missing where it should have stood is polled once more; then the service does not list it. */
async function proveAbsent(
  poll: ListPoll,
  whole: Rescan['whole'],
): Promise<{ proven: number; undecided: number; more: boolean }> {
  const unseen = whole === null ? null : await poll.store.notSeenSince(whole.from);
  for (const place of unseen?.places ?? []) poll.candidates.set(place.id, place);
  poll.moreCandidates ||= unseen?.more ?? false;
  const { missing, ...found } = await readWindows(poll, [...poll.candidates.values()]);
  const undecided = found.undecided.filter(({ id }) => !poll.recent.has(id));
  const absences = [...missing.values()];
  if (whole !== null) {
    for (const { id, reportedTo } of await poll.store.unplaced()) {
      if (reportedTo < whole.from - SETTLE_MS) absences.push({ id, ...whole });
    }
  }
  await poll.store.saveAbsences(absences);
  return { proven: absences.length, undecided: undecided.length, more: poll.moreCandidates };
}

function proofOf(scan: Scan): Record<string, unknown> {
  const { complete, reason, calls, seen, atEnd } = scan;
  return {
    complete,
    ...(reason === null ? {} : { reason }),
    from: new Date(scan.from).toISOString(),
    to: new Date(scan.to).toISOString(),
    calls,
    seen,
    toEnd: atEnd,
  };
}

/** A run's scan of a list, once it is sure that the list is the one that our records came from. */
export async function readList(run: RunContext, plan: ListPlan): Promise<Outcome> {
  const { deps, tally, signal } = run;
  const store = createListStore(deps, plan, run);
  const poll = newListPoll({
    plan,
    read: listPages(deps.client, plan.operation, run),
    store,
    tally,
    progress: run.progress,
    now: () => deps.now().getTime(),
    signal,
  });
  await assertSameList(poll.read, store);
  return reconcileList(poll, run.options);
}

interface Parts {
  head: HeadScans;
  states: Pick<StateScans, 'scans' | 'unfiltered'>;
  closure: { undecided: number; left: number };
  marked: { undecided: number };
  gone: { undecided: number; more: boolean };
  rescan: Rescan;
  clock: { backMs: number };
}

const words: Readonly<Record<Incomplete, string>> = {
  item_without_id: 'an item of the list has no id',
  duplicate_in_page: 'a page holds an item twice',
  out_of_order: 'a page is not newest first',
  stopped: 'the scan was stopped',
  page_limit: 'there are more pages than one run reads',
  no_progress: 'page after page shows nothing new',
  lost_place: 'no page follows on those before it',
  empty_list: 'the list is empty, though it has shown us records',
};

/**
 * What keeps a poll from being proven, in words for people; none: nothing does. What the service does not offer comes
 * last: it only is the reason where there is no other.
 */
export function whyIncomplete({ head, states, closure, marked, gone, rescan, clock }: Parts): string[] {
  const reasons: string[] = [];
  if (clock.backMs > 0) {
    reasons.push(
      `the clock of the service went back by ${Math.ceil(clock.backMs / 1_000)} s: until it has caught up, what is read counts as older`,
    );
  }
  if (head.continues) reasons.push('the scan of what was never read goes on with the next run');
  for (const scan of head.scans) {
    if (!scan.complete && scan.reason !== 'page_limit') reasons.push(`the newest part: ${wordsOf(scan)}`);
  }
  for (const [status, scan] of states.scans) if (!scan.complete) reasons.push(`status ${status}: ${wordsOf(scan)}`);
  if (closure.undecided > 0)
    reasons.push(`${counted(closure.undecided, 'record that is', 'records that are')} open here could not be read`);
  if (closure.left > 0)
    reasons.push(
      `${counted(closure.left, 'record that is open here has its', 'records that are open here have their')} turn in the next runs`,
    );
  if (marked.undecided > 0)
    reasons.push(`${counted(marked.undecided, 'record')} that events spoke of could not be read`);
  if (gone.undecided > 0) reasons.push(`of ${gone.undecided} records it is not known whether they are listed`);
  if (gone.more) reasons.push('more records seem to be missing than one run polls');
  const { scan, continues, name } = rescan;
  if (scan !== null && !scan.complete && !continues) reasons.push(`${name}: ${wordsOf(scan)}`);
  return [...reasons, ...degradedBy(states.unfiltered)];
}

function degradedBy(unfiltered: StateScans['unfiltered']): string[] {
  if (unfiltered.size === 0) return [];
  const filters = [...unfiltered].map(([status, how]) => `status=${status} is ${how}`).join(', ');
  return [
    `degraded: the service does not filter its list (${filters}); what is open here is polled one by one, what was opened ` +
      'again there is found when the whole list is read',
  ];
}

const wordsOf = ({ reason }: Scan): string => (reason === null ? 'not proven' : words[reason]);
