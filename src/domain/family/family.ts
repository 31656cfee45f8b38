import { grouped, groupedPairs } from '../grouped.js';
import { compareText } from '../record-state.js';
import { textField } from '../records.js';
import {
  type Assignments,
  type FamilyKind,
  isGone,
  isUnlinkedRefund,
  linkedByPayment,
  linkIn,
  namedIn,
  ordersOfPayment,
  ownerOfRefund,
  type PayoutWords,
  type RefundOwner,
  referenceOf,
  type ShownRecord,
  sharedPayins,
} from './links.js';
import { amountField } from './money.js';
import type { OpenCall } from './own-refunds.js';

export interface Family {
  intents: ShownRecord[];
  /** Payments that other orders could have as well. */
  contested: { intent: ShownRecord; references: string[] }[];
  /** Payments of other orders, linked with an invoice that carries this one's reference. */
  elsewhere: ShownRecord[];
  payins: ShownRecord[];
  /** Ids of those that other payments could have as well (`sharedPayins`). */
  sharedPayins: string[];
  invoices: ShownRecord[];
  refunds: OrderRefund[];
  /** Ids of the payouts behind the refunds, and of those that a payment names but that are not known here. */
  refundIds: string[];
  /** Refunds that carry the reference, and of which nothing says whose they are. */
  unlinked: ShownRecord[];
  /** The service shows that a payment has a refund, and nothing shows what it is. */
  refundUnread: boolean;
  refundReported: boolean;
  /** Payouts are said to give it back, amid a flood of such or where nothing can be polled: reports that were refuted before don't excuse them. */
  manyReported: boolean;
  /** Refunds of its payments that we asked for ourselves, and of which nobody knows yet what came. */
  openCalls: readonly OpenCall[];
  saysPaid: boolean;
  showsKyt: boolean;
  /** More records carry the reference than can be one order's: none of them is here. */
  shared: boolean;
}

/** So many reports of refunds may be passed over where earlier ones turned out to be unfounded. */
const MOST_IGNORED = 3;

export const noFamily: Family = {
  intents: [],
  contested: [],
  elsewhere: [],
  payins: [],
  sharedPayins: [],
  invoices: [],
  refunds: [],
  refundIds: [],
  unlinked: [],
  refundUnread: false,
  refundReported: false,
  manyReported: false,
  openCalls: [],
  saysPaid: false,
  showsKyt: false,
  shared: false,
};

/** Records, each once; all that there are, or at least those that have to do with the order. */
export type FamilyRecords = Readonly<Record<FamilyKind, readonly ShownRecord[]>>;

export interface Said {
  /** By persons. */
  assigned: Assignments;
  /** References and payments of which reports say that they were given back, undecided (`isUndecided`): by how many payouts. */
  reportedReferences: ReadonlyMap<string, number>;
  reportedIntents: ReadonlyMap<string, number>;
  /** References of which reports alone say that a payment was collected. */
  saysPaid: ReadonlySet<string>;
  openCalls: readonly OpenCall[];
  showsKyt: boolean;
  /** Reports of refunds are polled too late for the truth among them, or never: too many wait, or the history is not read. */
  polledLate: boolean;
}

interface Owner {
  intent: ShownRecord;
  references: string[];
}

interface Owned {
  payout: ShownRecord;
  owner: RefundOwner;
}

/** What links the records, worked out once for all the orders that are to be made of them. */
export interface Links {
  owners: readonly Owner[];
  ownersOf: ReadonlyMap<string, readonly Owner[]>;
  /** By reference. */
  invoices: ReadonlyMap<string | null, readonly ShownRecord[]>;
  /** By payment. */
  invoiced: ReadonlyMap<string, readonly ShownRecord[]>;
  payins: ReadonlyMap<string, readonly ShownRecord[]>;
  sharedPayins: ReadonlySet<string>;
  owned: readonly Owned[];
}

export function linksOf(records: FamilyRecords, { assigned }: Pick<Said, 'assigned'>, words: PayoutWords): Links {
  const { payment_intent: intents, invoice: invoices, payin: payins, payout: payouts } = records;
  const invoiced = linkedByPayment('invoice', intents, invoices);
  const owners = intents.map((intent): Owner => {
    return { intent, references: ordersOfPayment(intent, invoiced.get(intent.id) ?? []) };
  });
  return {
    owners,
    ownersOf: groupedPairs(owners.flatMap((owner) => owner.references.map((reference) => [reference, owner] as const))),
    invoices: grouped(invoices, ({ fields }) => referenceOf(fields)),
    invoiced,
    payins: linkedByPayment('payin', intents, payins),
    sharedPayins: sharedPayins(intents, payins),
    owned: payouts.map((payout): Owned => ({ payout, owner: ownerOfRefund(payout, intents, words, assigned) })),
  };
}

/**
 * Which of the records are one order's. Its payments: those that carry the reference, and those that carry none and are
 * linked with an invoice that does. Its invoices: those that carry the reference, and those linked with a payment that does.
 * Its payins and refunds are those of its payments.
 */
export function familyOf(reference: string, links: Links, said: Said, words: PayoutWords): Family {
  const { owned } = links;
  const mine = links.ownersOf.get(reference) ?? [];
  const intents = mine.flatMap(({ intent, references }) => (references.length === 1 ? [intent] : []));
  const own = links.invoices.get(reference) ?? [];
  // A contested payment holds its orders: what is around it is theirs.
  const around = mine.map(({ intent }) => intent);
  const ids = new Set(around.map(({ id }) => id));
  const payins = [...new Set(around.flatMap(({ id }) => links.payins.get(id) ?? []))];
  const unread = owned.filter(({ payout, owner }) => isUnread(payout, said) && ids.has(owner.payment ?? ''));
  const reported = [
    said.reportedReferences.get(reference) ?? 0,
    ...around.map(({ id }) => said.reportedIntents.get(id) ?? 0),
    unread.length,
  ].reduce((sum, n) => sum + n);
  return {
    intents,
    contested: mine.filter(({ references }) => references.length > 1),
    elsewhere: own.length === 0 ? [] : elsewhereOf(reference, own, links),
    payins,
    sharedPayins: payins.flatMap(({ id }) => (links.sharedPayins.has(id) ? [id] : [])).sort(compareText),
    invoices: [...new Set([...own, ...invoicedOf(reference, intents, links)])],
    ...refundsOf(around, owned, said),
    unlinked: owned.flatMap((one) => (isUnlinkedOf(one, reference, said, words) ? [one.payout] : [])),
    refundReported: reported > 0,
    manyReported: reported > MOST_IGNORED || (reported > 0 && said.polledLate),
    openCalls: said.openCalls.filter(({ paymentIntentId }) => ids.has(paymentIntentId)),
    saysPaid: said.saysPaid.has(reference),
    showsKyt: said.showsKyt,
    shared: false,
  };
}

function elsewhereOf(reference: string, own: readonly ShownRecord[], { owners, invoiced }: Links): ShownRecord[] {
  return owners.flatMap(({ intent, references }) => {
    const isOther = references.length === 1 && !references.includes(reference);
    return isOther && (invoiced.get(intent.id) ?? []).some((invoice) => own.includes(invoice)) ? [intent] : [];
  });
}

/** Those linked with a payment that carries the reference itself. */
function invoicedOf(reference: string, intents: readonly ShownRecord[], { invoiced }: Links): ShownRecord[] {
  const carrying = intents.filter(({ fields }) => referenceOf(fields) === reference);
  return carrying.flatMap(({ id }) => (invoiced.get(id) ?? []).filter(({ unknown }) => unknown !== true));
}

function isUnlinkedOf({ payout, owner }: Owned, reference: string, { assigned }: Said, words: PayoutWords): boolean {
  return (
    referenceOf(payout.fields) === reference &&
    !assigned.has(payout.id) &&
    owner.payment === null &&
    isUnlinkedRefund(payout, words)
  );
}

/** Its payment names it as a refund, and only reports say more: they withhold, as of a payout that they link themselves. */
function isUnread({ id, absent, unknown }: ShownRecord, { assigned }: Pick<Said, 'assigned'>): boolean {
  return unknown === true && !absent && !assigned.has(id);
}

function refundsOf(
  intents: readonly ShownRecord[],
  owned: readonly Owned[],
  said: Said,
): Pick<Family, 'refunds' | 'refundIds' | 'refundUnread'> {
  const ids = new Set(intents.map(({ id }) => id));
  const read = owned.filter(({ payout }) => !isUnread(payout, said));
  const refunds = read.flatMap(({ payout, owner: { payment } }) => {
    const refund = payment !== null && ids.has(payment) ? refundOf(payout, payment) : null;
    return refund === null ? [] : [refund];
  });
  // Said to be of one of the payments, though it may give another's money back: it is named here, and counted there.
  const claimed = read.filter(({ owner }) => owner.candidates.some((candidate) => ids.has(candidate)));
  const named = intents.flatMap(({ fields }) => namedIn('payment_intent', fields, 'payout'));
  const known = new Set(read.map(({ payout }) => payout.id));
  const refundUnread = intents.some(({ fields, verified }) => {
    const id = linkIn('payment_intent', fields, 'payout');
    const isKnown = typeof id === 'string' && (known.has(id) || said.assigned.has(id));
    return verified && id !== null && !isKnown;
  });
  const refundIds = [...new Set([...named, ...claimed.map(({ payout }) => payout.id)])].sort(compareText);
  return { refunds, refundIds, refundUnread };
}

/** A payout that gives a collected payment back (specification 4.5). */
export interface OrderRefund {
  amount: string;
  /** Of specification 3.4; or `denied`, where the service lists none of our own: it may have left, or not. */
  status: string;
  /** A newer report says otherwise. Left out: no. */
  doubted?: boolean;
  /** Absent or null where nothing says which of the order's payments it refunds. */
  paymentIntentId?: string | null;
}

/** That it failed is believed only while nothing says otherwise. */
export function mayHaveLeft({ fields, doubted }: ShownRecord): boolean {
  return textField(fields, 'status') !== 'failed' || doubted === true;
}

/** What an order takes of a payout that gives one of its payments back; null where the service denies what only reports say. */
export function refundOf(payout: ShownRecord, paymentIntentId: string): OrderRefund | null {
  if (isGone(payout)) return null;
  const { fields, absent, doubted } = payout;
  const status = absent ? 'denied' : (textField(fields, 'status') ?? '');
  const amount = amountField(fields, 'amount') ?? '0';
  return { amount, status, paymentIntentId, ...(doubted === true ? { doubted } : {}) };
}
