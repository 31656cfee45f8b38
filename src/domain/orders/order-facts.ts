import type { Family } from '../family/family.js';
import type { PayoutWords, ShownRecord } from '../family/links.js';
import type { Money } from '../family/money.js';
import type { OrderRefund } from '../family/order-refund.js';
import { madeByOthers, type OpenCall } from '../family/own-refunds.js';
import { isOff } from '../family/states.js';
import { textField } from '../records.js';
import type { KytWords } from './kyt.js';

/** What this installation holds a release to. */
export interface ReleaseRules {
  /** How the account's compliance results are read; left out: domain/orders/kyt.ts. */
  kytWords?: KytWords | undefined;
  /** An order that the store did not register is never safe. */
  requiresRegistration?: boolean | undefined;
  /** What the words of `payoutType` mean; left out: domain/family/links.ts. */
  payoutWords?: PayoutWords | undefined;
}

/** Of what else somebody knows, the rules alone. */
export function rulesOf({ kytWords, requiresRegistration, payoutWords }: ReleaseRules): ReleaseRules {
  return { kytWords, requiresRegistration, payoutWords };
}

/** Everything that an order's state is derived from. */
export interface OrderFacts extends ReleaseRules {
  reference: string;
  /** What the store registered; null: the service's records alone decide. */
  expected: Money | null;
  intents: readonly ShownRecord[];
  /** Payments that an invoice of another order could have as well: their money counts for neither. */
  contested?: readonly ShownRecord[];
  /** Payments that an invoice of this order names, or that name one, and that carry another order's reference. */
  elsewhere?: readonly ShownRecord[];
  /** Details of the payins of those intents, as far as they were read. */
  payins: readonly ShownRecord[];
  invoices: readonly ShownRecord[];
  refunds: readonly OrderRefund[];
  /** A refund carries the reference, and nothing says of which payment. */
  refundUnlinked?: boolean;
  /** A report speaks of a refund of the order, and nothing has shown or denied it yet. */
  refundReported?: boolean;
  /** By so many payouts that none of them is passed over. */
  manyReported?: boolean;
  /** Reports alone speak of a payment of this reference, and say that it was collected. */
  saysPaid?: boolean;
  /** Ids of the payments that were made before adoption. */
  history?: ReadonlySet<string>;
  /** Of the order's payments. */
  openCalls?: readonly OpenCall[];
  /** The account has shown a result of the screening: a payin without one waits for it. */
  showsKyt?: boolean;
  /** More records carry the reference than can be one order's; they need not be here. */
  shared?: boolean;
}

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
