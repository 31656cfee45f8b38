import type { Knex } from 'knex';
import {
  type Assignments,
  defaultPayoutWords,
  isGone,
  isUnlinkedRefund,
  namedIn,
  ordersOfPayment,
  ownerOfRefund,
  type PayoutWords,
  payinsOf,
  referenceOf,
  type ShownRecord,
} from '../../domain/family/links.js';
import { MOST_RECORDS } from '../../domain/orders/order.js';
import type { OpenCall, OrderRefund, ReleaseRules } from '../../domain/orders/order-facts.js';
import { refundOf } from '../../domain/orders/order-refund.js';
import { compareText } from '../../domain/record-state.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { instantText } from '../database/instant.js';
import { type OrderState } from '../orders/order-row.js';
import { sharedReferences } from '../orders/shared-references.js';
import type { MergedRecord } from '../saving/stored-record.js';
import { readAround } from './around.js';
import { idsInHand, idTexts, loadShown, type RecordsInHand, recordsInHand, shownColumns } from './shown-records.js';

/** The records of one order, each kind in the order of creation. */
export interface Family {
  intents: ShownRecord[];
  /** Payments that other orders could have as well. */
  contested: { intent: ShownRecord; references: string[] }[];
  /** Payments that its invoices are linked with, and that carry another order's reference. */
  elsewhere: ShownRecord[];
  payins: ShownRecord[];
  invoices: ShownRecord[];
  refunds: OrderRefund[];
  /** Ids of the payouts behind the refunds, and of those that a payment names but that are not known here. */
  refundIds: string[];
  /** Refunds that carry the reference, and of which nothing says whose they are. */
  unlinked: ShownRecord[];
  refundReported: boolean;
  /** Refunds of its payments that we asked for ourselves, and of which nobody knows yet what came. */
  openCalls: readonly OpenCall[];
  saysPaid: boolean;
  showsKyt: boolean;
  /** More records carry the reference than can be one order's: none of them is here. */
  shared: boolean;
}

export const noFamily: Family = {
  intents: [],
  contested: [],
  elsewhere: [],
  payins: [],
  invoices: [],
  refunds: [],
  refundIds: [],
  unlinked: [],
  refundReported: false,
  openCalls: [],
  saysPaid: false,
  showsKyt: false,
  shared: false,
};

export type FamilyRules = Pick<ReleaseRules, 'payoutWords'>;

/**
 * The records of each order, by reference as the database holds it. Its payments: those that carry the reference, and those
 * that carry none and are linked with an invoice that does. Its invoices: those that carry the reference, and those linked
 * with a payment that does. Its deposits and refunds are those of its payments. Of a reference that too many share nothing
 * is loaded.
 */
export async function loadFamilies(
  trx: Knex.Transaction,
  orders: readonly OrderState[],
  saved: readonly MergedRecord[] = [],
  rules: FamilyRules = {},
): Promise<Map<string, Family>> {
  const inHand = recordsInHand(saved);
  const shared = await sharedReferences(trx, orders);
  const references = orders.flatMap(({ reference }) => (shared.has(reference) ? [] : [reference]));
  const linked = await loadLinked(trx, inHand, references);
  const around = await readAround(trx, inHand, references, linked.intents);
  const families = new Map<string, Family>();
  for (const reference of shared) families.set(reference, { ...noFamily, shared: true });
  for (const key of references) {
    families.set(key, familyOf(key, linked, around, rules.payoutWords ?? defaultPayoutWords));
  }
  return families;
}

interface Linked {
  /** Those of all the orders, and those that their invoices are linked with. */
  intents: ShownRecord[];
  /** With those of other orders that the same payments are linked with. */
  invoices: ShownRecord[];
}

async function loadLinked(trx: Knex, inHand: RecordsInHand, references: readonly string[]): Promise<Linked> {
  if (references.length === 0) return { intents: [], invoices: [] };
  const { payment_intent: own } = await loadShown(
    trx,
    inHand,
    `SELECT ${shownColumns('payment_intent')} FROM payment_intents WHERE merchant_reference = ANY (?::text[])`,
    [idsInHand(inHand, 'payment_intent'), textArray(references)],
  );
  const invoices = await loadInvoices(trx, inHand, references, own);
  const invoiced = await loadInvoiced(trx, inHand, invoices, own);
  const without = invoiced.filter(({ fields }) => referenceOf(fields) === null);
  const others = without.length === 0 ? [] : await loadInvoices(trx, inHand, [], without);
  return { intents: [...own, ...invoiced], invoices: unique([...invoices, ...others]) };
}

/** Those that carry one of the references (as the database holds them), and those linked with the payment intents. */
async function loadInvoices(
  trx: Knex,
  inHand: RecordsInHand,
  references: readonly string[],
  intents: readonly ShownRecord[],
): Promise<ShownRecord[]> {
  const { invoice } = await loadShown(
    trx,
    inHand,
    `SELECT ${shownColumns('invoice')} FROM invoices
     WHERE merchant_reference = ANY (?::text[]) OR payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[])`,
    [
      idsInHand(inHand, 'invoice'),
      textArray(references),
      idTexts(intents.map(({ id }) => id)),
      idTexts(intents.flatMap(({ fields }) => namedIn('payment_intent', fields, 'invoice'))),
    ],
  );
  return invoice;
}

/** Further payments that name one of the invoices, or that one of them names; of one invoice so many that it shows. */
async function loadInvoiced(
  trx: Knex,
  inHand: RecordsInHand,
  invoices: readonly ShownRecord[],
  known: readonly ShownRecord[],
): Promise<ShownRecord[]> {
  if (invoices.length === 0) return [];
  const { payment_intent: found } = await loadShown(
    trx,
    inHand,
    `SELECT ${shownColumns('payment_intent')} FROM payment_intents
     WHERE id <> ALL (?::text[]) AND id IN (
       SELECT naming.id FROM unnest(?::text[]) AS invoice (id) CROSS JOIN LATERAL (
         SELECT intent.id FROM payment_intents AS intent WHERE intent.invoice_id = invoice.id
         LIMIT ${MOST_RECORDS + 1}) AS naming
       UNION ALL SELECT unnest(?::text[]))`,
    [
      idsInHand(inHand, 'payment_intent'),
      idTexts(known.map(({ id }) => id)),
      idTexts(invoices.map(({ id }) => id)),
      idTexts(invoices.flatMap(({ fields }) => namedIn('invoice', fields, 'payment_intent'))),
    ],
  );
  return found;
}

type Around = Awaited<ReturnType<typeof readAround>>;

function familyOf(key: string, linked: Linked, around: Around, words: PayoutWords): Family {
  const reference = fromDatabaseText(key);
  const owners = linked.intents.map((intent) => ({ intent, references: ordersOfPayment(intent, linked.invoices) }));
  const mine = owners.filter(({ references }) => references.includes(reference));
  const intents = mine.flatMap(({ intent, references }) => (references.length === 1 ? [intent] : []));
  const ids = new Set(intents.map(({ id }) => id));
  const invoices = linked.invoices.filter((invoice) => isInvoiceOf(invoice, reference, intents));
  const isLinked = (intent: ShownRecord) => invoices.some((invoice) => namesEachOther(invoice, intent));
  const all = mine.map(({ intent }) => intent);
  const refunds = refundsOf(all, around);
  return {
    intents: intents.sort(byCreation),
    contested: mine.filter(({ references }) => references.length > 1),
    elsewhere: owners.flatMap(({ intent, references }) =>
      references.length === 1 && !ids.has(intent.id) && isLinked(intent) ? [intent] : [],
    ),
    payins: unique(all.flatMap((intent) => payinsOf(intent, around.payins))).sort(byCreation),
    invoices: invoices.sort(byCreation),
    ...refunds,
    unlinked: around.payouts.filter(
      (payout) =>
        referenceOf(payout.fields) === reference &&
        !isGone(payout) &&
        ownerOfRefund(payout, around.naming, around.assigned).payment === null &&
        !around.assigned.has(payout.id) &&
        isUnlinkedRefund(payout, words),
    ),
    refundReported:
      around.reportedReferences.has(key) || all.some(({ id }) => around.reportedIntents.has(toDatabaseText(id))),
    openCalls: around.openCalls.filter(({ paymentIntentId }) => all.some(({ id }) => id === paymentIntentId)),
    saysPaid: around.saysPaid.has(key),
    showsKyt: around.showsKyt,
    shared: false,
  };
}

function isInvoiceOf(invoice: ShownRecord, reference: string, intents: readonly ShownRecord[]): boolean {
  if (invoice.unknown === true) return false;
  if (referenceOf(invoice.fields) === reference) return true;
  return intents.some((intent) => referenceOf(intent.fields) === reference && namesEachOther(invoice, intent));
}

function namesEachOther(invoice: ShownRecord, intent: ShownRecord): boolean {
  return (
    namedIn('invoice', invoice.fields, 'payment_intent').includes(intent.id) ||
    namedIn('payment_intent', intent.fields, 'invoice').includes(invoice.id)
  );
}

function refundsOf(
  intents: readonly ShownRecord[],
  {
    payouts,
    naming,
    assigned,
  }: { payouts: readonly ShownRecord[]; naming: readonly ShownRecord[]; assigned: Assignments },
): Pick<Family, 'refunds' | 'refundIds'> {
  const ids = new Set(intents.map(({ id }) => id));
  const refunds = payouts.flatMap((payout) => {
    const { payment } = ownerOfRefund(payout, naming, assigned);
    const refund = payment === null || !ids.has(payment) ? null : refundOf(payout, payment);
    return refund === null ? [] : [{ id: payout.id, refund }];
  });
  const named = intents.flatMap(({ fields }) => namedIn('payment_intent', fields, 'payout'));
  return {
    refunds: refunds.map(({ refund }) => refund),
    refundIds: [...new Set([...named, ...refunds.map(({ id }) => id)])].sort(compareText),
  };
}

function unique(records: readonly ShownRecord[]): ShownRecord[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

function byCreation(a: ShownRecord, b: ShownRecord): number {
  return compareText(creationKey(a), creationKey(b));
}

function creationKey({ id, fields }: ShownRecord): string {
  return `${instantText(Object.hasOwn(fields, 'createdAt') ? fields['createdAt'] : undefined) ?? ''} ${id}`;
}
