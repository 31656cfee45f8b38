import type { Family } from '../family/family.js';
import type { ShownRecord } from '../family/links.js';
import { madeByOthers } from '../family/own-refunds.js';
import { isOff } from '../family/states.js';
import { textField } from '../records.js';
import type { OrderFacts } from './order-facts.js';

/** What an order's family says of it; `given`: what else is known of the order. */
export function factsOf(
  family: Family,
  given: Pick<OrderFacts, 'reference' | 'expected' | 'history' | 'kytWords' | 'requiresRegistration'>,
): OrderFacts {
  const { contested } = family;
  // What a call of our own in doubt may have made is held by the call, and told as what it is.
  const intents = [...family.intents, ...contested.map(({ intent }) => intent)];
  const unlinked = madeByOthers(family.unlinked, family.openCalls, intents);
  return {
    ...family,
    ...given,
    contested: contested.map(({ intent }) => intent),
    refundUnlinked: !unlinked.every(hasFailed),
    refundReported: family.refundReported || unlinked.some((payout) => hasFailed(payout) && payout.doubted === true),
  };
}

function hasFailed({ fields }: ShownRecord): boolean {
  return isOff('payout', textField(fields, 'status'));
}
