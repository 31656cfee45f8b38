import type { Incomplete, Walk } from './follow-list.js';
import type { HeadReading } from './read-head.js';
import type { Sweep } from './sweep-again.js';
import type { StateSweep } from './sweep-states.js';

interface Parts {
  head: HeadReading;
  states: Pick<StateSweep, 'walks' | 'unfiltered'>;
  closure: { undecided: number; left: number };
  marked: { undecided: number };
  gone: { undecided: number; more: boolean };
  sweep: Sweep;
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
 * What keeps a reading from being proven, in words for people; none: nothing does. What the service does not offer comes
 * last: it only is the reason where there is no other.
 */
export function whyIncomplete({ head, states, closure, marked, gone, sweep, clock }: Parts): string[] {
  const reasons: string[] = [];
  if (clock.backMs > 0) {
    reasons.push(
      `the clock of the service went back by ${Math.ceil(clock.backMs / 1_000)} s: until it has caught up, what is read counts as older`,
    );
  }
  if (head.continues) reasons.push('the reading of what was never read goes on with the next run');
  for (const walk of head.walks) {
    if (!walk.complete && walk.reason !== 'page_limit') reasons.push(`the newest part: ${wordsOf(walk)}`);
  }
  for (const [status, walk] of states.walks) if (!walk.complete) reasons.push(`status ${status}: ${wordsOf(walk)}`);
  if (closure.undecided > 0) reasons.push(`${closure.undecided} records that are open here could not be read`);
  if (closure.left > 0) reasons.push(`${closure.left} records that are open here have their turn in the next runs`);
  if (marked.undecided > 0) reasons.push(`${marked.undecided} records that events spoke of could not be read`);
  if (gone.undecided > 0) reasons.push(`of ${gone.undecided} records it is not known whether they are listed`);
  if (gone.more) reasons.push('more records seem to be missing than one run looks for');
  const { walk, continues, name } = sweep;
  if (walk !== null && !walk.complete && !continues) reasons.push(`${name}: ${wordsOf(walk)}`);
  return [...reasons, ...degradedBy(states.unfiltered)];
}

function degradedBy(unfiltered: StateSweep['unfiltered']): string[] {
  if (unfiltered.size === 0) return [];
  const filters = [...unfiltered].map(([status, how]) => `status=${status} is ${how}`).join(', ');
  return [
    `degraded: the service does not filter its list (${filters}); what is open here is looked for one by one, what was opened ` +
      'again there is found when the whole list is read',
  ];
}

function wordsOf({ reason }: Walk): string {
  return reason === null ? 'not proven' : words[reason];
}
