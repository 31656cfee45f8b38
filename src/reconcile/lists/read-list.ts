import type { Outcome, RunContext } from '../deps.js';
import type { ListPlan } from './list-plan.js';
import { newListPoll } from './list-poll.js';
import { listPages } from './read-pages.js';
import { reconcileList } from './reconcile-list.js';
import { assertSameList } from './same-list.js';
import { createListStore } from './sql-list-store.js';

/** A run's reading of a list, once it is sure that the list is the one that our records came from. */
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
    ...(signal ? { signal } : {}),
  });
  await assertSameList(poll.read, store);
  return reconcileList(poll, run.options);
}
