import { states } from '../../domain/family/states.js';
import { countOverduePayins } from '../../records/runs/refresh-requests.js';
import type { Outcome, RunContext } from '../deps.js';
import { readPayins } from '../read-payins.js';
import type { ListPlan } from './list-row.js';
import { readList } from './reconcile-list.js';

const PAYINS_AT_ONCE = 100;
/** Rounds of a run by hand: a hundred thousand payins. */
const MOST_ROUNDS = 1_000;
/** The loop that polls what events report is not keeping up with payins that have waited longer. */
const LATE_MS = 600_000;

/** Specification 4.14. `irregular` is the filter for payments whose amount differs (specification 3.1). */
export const paymentIntentList: ListPlan = {
  kind: 'payment-intents',
  record: 'payment_intent',
  operation: 'listPaymentIntents',
  activeStates: states.payment_intent.active,
  waitingStates: ['unmatched', 'irregular'],
};

/**
 * Payment intents, and the detail of their payins, which have no list (specification 4.15). A run by hand reads every
 * payin that is due; beside the loop that does so, a run checks whether it keeps up.
 */
export async function reconcilePaymentIntents(run: RunContext): Promise<Outcome> {
  const outcome = await readList(run, paymentIntentList);
  if (run.fence.dryRun) return outcome;
  const { withoutPayins = false } = run.options;
  const read = withoutPayins ? 0 : await readDuePayins(run);
  const left = await countOverduePayins(run.deps.db, withoutPayins ? LATE_MS : 0);
  const proof = { ...outcome.proof, payins: { read, left } };
  if (left === 0) return { ...outcome, proof };
  const reason = [outcome.proof['reason'], `payins still to be read: ${left}`].filter(Boolean).join('; ');
  return { ...outcome, complete: false, proof: { ...proof, reason } };
}

async function readDuePayins(run: RunContext): Promise<number> {
  const rotation = { last: '' };
  let read = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const asked = await readPayins(run.deps, { ...run, rotation, limit: PAYINS_AT_ONCE });
    read += asked;
    if (asked < PAYINS_AT_ONCE) break;
  }
  return read;
}
