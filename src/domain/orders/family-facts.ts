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
  // A call of our own with an unknown outcome may have made it: the call holds it, and it is shown as such.
  const intents = [...family.intents, ...contested.map(({ intent }) => intent)];
  const unlinked = madeByOthers(family.unlinked, family.openCalls, intents);
  // One by one: spreading as many fields takes longer than all that follows.
  return {
    reference: given.reference,
    expected: given.expected,
    history: given.history ?? NONE,
    kytWords: given.kytWords,
    requiresRegistration: given.requiresRegistration,
    intents: family.intents,
    contested: contested.map(({ intent }) => intent),
    elsewhere: family.elsewhere,
    payins: family.payins,
    invoices: family.invoices,
    refunds: family.refunds,
    refundUnlinked: !unlinked.every(hasFailed),
    refundReported: family.refundReported || unlinked.some((payout) => hasFailed(payout) && payout.doubted === true),
    manyReported: family.manyReported,
    saysPaid: family.saysPaid,
    openCalls: family.openCalls,
    showsKyt: family.showsKyt,
    shared: family.shared,
  };
}

const NONE: ReadonlySet<string> = new Set();

function hasFailed({ fields }: ShownRecord): boolean {
  return isOff('payout', textField(fields, 'status'));
}
