import type { Outcome, RunContext } from './deps.js';
import type { ListPlan } from './list-plan.js';
import { readList } from './read-list.js';
import { readPayins } from './read-payins.js';

const PAYINS_PER_RUN = 500;

/** Specification 4.14. `irregular` is the filter for payments whose amount differs (specification 3.1). */
export const paymentIntentList: ListPlan = {
  kind: 'payment-intents',
  record: 'payment_intent',
  operation: 'listPaymentIntents',
  activeStates: ['waiting_address_selection', 'pending', 'confirming'],
  waitingStates: ['unmatched', 'irregular'],
};

/** Payment intents, and the detail of their deposits, which have no list (specification 4.15). */
export async function reconcilePaymentIntents(run: RunContext): Promise<Outcome> {
  const outcome = await readList(run, paymentIntentList);
  if (!run.options.withoutPayins && !run.fence.dryRun) await readPayins(run.deps, { ...run, limit: PAYINS_PER_RUN });
  return outcome;
}
