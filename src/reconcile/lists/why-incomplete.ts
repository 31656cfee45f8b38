import type { HeadScans } from './read-head.js';
import type { Rescan } from './rescan.js';
import type { Incomplete, Scan } from './scan-list.js';
import type { StateScans } from './scan-states.js';

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
  stopped: 'the reading was stopped',
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
  if (head.continues) reasons.push('the reading of what was never read goes on with the next run');
  for (const scan of head.scans) {
    if (!scan.complete && scan.reason !== 'page_limit') reasons.push(`the newest part: ${wordsOf(scan)}`);
  }
  for (const [status, scan] of states.scans) if (!scan.complete) reasons.push(`status ${status}: ${wordsOf(scan)}`);
  if (closure.undecided > 0) reasons.push(`${closure.undecided} records that are open here could not be read`);
  if (closure.left > 0) reasons.push(`${closure.left} records that are open here have their turn in the next runs`);
  if (marked.undecided > 0) reasons.push(`${marked.undecided} records that events spoke of could not be read`);
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

function wordsOf({ reason }: Scan): string {
  return reason === null ? 'not proven' : words[reason];
}
