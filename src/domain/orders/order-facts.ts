import type { Family } from '../family/family.js';
import type { PayoutWords, ShownRecord } from '../family/links.js';
import type { Money } from '../family/money.js';
import { madeByOthers } from '../family/own-refunds.js';
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

type OfFamily<Name extends keyof Family> = { [N in Name]: Readonly<Family[N]> };

export interface OrderFacts
  extends ReleaseRules,
    OfFamily<'intents' | 'payins' | 'invoices' | 'refunds'>,
    Partial<
      OfFamily<
        | 'elsewhere'
        | 'sharedPayins'
        | 'refundUnread'
        | 'refundReported'
        | 'manyReported'
        | 'saysPaid'
        | 'openCalls'
        | 'showsKyt'
        | 'shared'
      >
    > {
  reference: string;
  /** What the store registered; null: the service's records alone decide. */
  expected: Money | null;
  /** Payments that an invoice of another order could have as well: their money counts for neither. */
  contested?: readonly ShownRecord[];
  /** A refund carries the reference, and nothing says of which payment. */
  refundUnlinked?: boolean;
  /** Ids of the payments that were made before adoption. */
  history?: ReadonlySet<string>;
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
    sharedPayins: family.sharedPayins,
    invoices: family.invoices,
    refunds: family.refunds,
    refundUnlinked: !unlinked.every(hasFailed),
    refundUnread: family.refundUnread,
    refundReported: family.refundReported || unlinked.some((payout) => hasFailed(payout) && payout.doubted === true),
    manyReported: family.manyReported,
    saysPaid: family.saysPaid,
    openCalls: family.openCalls,
    showsKyt: family.showsKyt,
    shared: family.shared,
  };
}

const NONE: ReadonlySet<string> = new Set();

const hasFailed = ({ fields }: ShownRecord): boolean => isOff('payout', textField(fields, 'status'));
