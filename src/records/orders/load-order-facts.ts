import type { Knex } from 'knex';
import type { OpenCall, OrderRefund, ShownRecord } from '../../domain/orders/order-facts.js';
import { refundOf } from '../../domain/orders/order-refund.js';
import { textField } from '../../domain/records.js';
import { openCalls } from '../calls/open-calls.js';
import { fromDatabaseText } from '../database/database-text.js';
import { instantText } from '../database/instant.js';
import { keyText } from '../database/key-text.js';
import { listedPayins } from '../saving/payin-links.js';
import { type MergedRecord, ownField } from '../saving/stored-record.js';
import {
  loadBelonging,
  loadIntents,
  loadInvoicedIntents,
  loadInvoices,
  type RecordsInHand,
  recordsInHand,
} from './order-records.js';
import type { OrderState } from './order-row.js';
import { carriersOf, sharedReferences } from './shared-references.js';

/** The records of one order, each kind in the order of creation. */
export interface RecordsOfOrder {
  intents: ShownRecord[];
  payins: ShownRecord[];
  invoices: ShownRecord[];
  refunds: OrderRefund[];
  /** Ids of the payouts behind the refunds, and of those that a payment names but that are not known here. */
  refundIds: string[];
  openCalls: OpenCall[];
  /** More records carry the reference than can be one order's: none of them is here. */
  shared: boolean;
}

export const noRecords: RecordsOfOrder = {
  intents: [],
  payins: [],
  invoices: [],
  refunds: [],
  refundIds: [],
  openCalls: [],
  shared: false,
};

/** By reference, as the database holds it. */
type PerOrder = Map<string, ShownRecord[]>;

/**
 * The records of each locked order, by reference. Its payments: those that carry the reference, and those that carry
 * none and are linked with an invoice that does. Its invoices: those that carry the reference, and those linked with a
 * payment that does. Its deposits and refunds are those of its payments. Of a reference that too many share nothing is
 * loaded.
 */
export async function loadOrderFacts(
  trx: Knex.Transaction,
  orders: OrderState[],
  saved: MergedRecord[],
): Promise<Map<string, RecordsOfOrder>> {
  const inHand = recordsInHand(saved);
  const shared = await sharedReferences(trx, orders);
  const intents = await ownIntents(
    trx,
    inHand,
    orders.filter(({ reference }) => !shared.has(reference)),
    saved,
  );
  const invoices = await ownInvoices(trx, inHand, intents);
  await addInvoiced(trx, inHand, intents, invoices);
  const { payins, payouts } = await loadBelonging(trx, inHand, [...intents.values()].flat());
  const links = linksOf(payins, payouts);
  const calls = await openCalls(trx, { paymentIntents: [...intents.values()].flat().map(({ id }) => id) });
  const found = new Map<string, RecordsOfOrder>();
  for (const reference of shared) found.set(reference, { ...noRecords, shared: true });
  for (const [reference, own] of intents) {
    const invoiced = invoices.get(reference) ?? [];
    const called = calls.filter(({ paymentIntentId }) => own.some(({ id }) => id === paymentIntentId));
    const belonging = { invoices: invoiced, ...behind(own, links), openCalls: called };
    found.set(reference, { intents: own.sort(byCreation), ...belonging, shared: false });
  }
  return found;
}

/** Those that the order had when it was last derived, and those just saved, as far as they carry its reference. */
async function ownIntents(
  trx: Knex.Transaction,
  inHand: RecordsInHand,
  orders: OrderState[],
  saved: MergedRecord[],
): Promise<PerOrder> {
  const known = [
    ...orders.flatMap(({ payment_intents }) => payment_intents.map(fromDatabaseText)),
    ...(await carriersOf(trx, orders)),
  ];
  const elsewhere = known.filter((id) => !inHand.has(`payment_intent ${id}`));
  const loaded = await loadIntents(trx, inHand, elsewhere);
  const justSaved = saved.flatMap(({ kind, id }) =>
    kind === 'payment_intent' ? (inHand.get(`payment_intent ${id}`) ?? []) : [],
  );
  const intents: PerOrder = new Map(orders.map(({ reference }) => [reference, []]));
  for (const intent of [...justSaved, ...loaded]) intents.get(referenceOf(intent) ?? '')?.push(intent);
  return intents;
}

async function ownInvoices(trx: Knex.Transaction, inHand: RecordsInHand, intents: PerOrder): Promise<PerOrder> {
  const invoices: PerOrder = new Map([...intents.keys()].map((reference) => [reference, []]));
  const orderOf = new Map([...intents].flatMap(([reference, own]) => own.map(({ id }) => [id, reference] as const)));
  const naming = new Map<string, string[]>();
  for (const [reference, own] of intents) {
    for (const { fields } of own) push(naming, textField(fields, 'invoiceId'), reference);
  }
  for (const invoice of await loadInvoices(trx, inHand, [...intents.keys()], [...intents.values()].flat())) {
    const named = orderOf.get(textField(invoice.fields, 'paymentIntentId') ?? '');
    const references = new Set([referenceOf(invoice) ?? '', named ?? '', ...(naming.get(invoice.id) ?? [])]);
    for (const reference of references) invoices.get(reference)?.push(invoice);
  }
  for (const own of invoices.values()) own.sort(byCreation);
  return invoices;
}

async function addInvoiced(
  trx: Knex.Transaction,
  inHand: RecordsInHand,
  intents: PerOrder,
  invoices: PerOrder,
): Promise<void> {
  const referring = [...invoices].flatMap(([reference, own]) =>
    own.filter((invoice) => referenceOf(invoice) === reference),
  );
  const orderOf = new Map(referring.map((invoice) => [invoice.id, referenceOf(invoice)] as const));
  const naming = new Map<string, string[]>();
  for (const invoice of referring) push(naming, textField(invoice.fields, 'paymentIntentId'), referenceOf(invoice));
  for (const intent of await loadInvoicedIntents(trx, inHand, referring)) {
    const references = [orderOf.get(textField(intent.fields, 'invoiceId') ?? ''), ...(naming.get(intent.id) ?? [])];
    for (const reference of new Set(references)) intents.get(reference ?? '')?.push(intent);
  }
}

interface Links {
  /** Deposits and payouts, by the intent that they name. */
  naming: Map<string, { payins: ShownRecord[]; payouts: ShownRecord[] }>;
  payins: Map<string, ShownRecord>;
  payouts: Map<string, ShownRecord>;
}

function linksOf(payins: ShownRecord[], payouts: ShownRecord[]): Links {
  const naming: Links['naming'] = new Map();
  for (const [kind, records] of [
    ['payins', payins],
    ['payouts', payouts],
  ] as const) {
    for (const record of records) {
      const intent = textField(record.fields, 'paymentIntentId');
      if (intent === null) continue;
      const known = naming.get(intent) ?? { payins: [], payouts: [] };
      known[kind].push(record);
      naming.set(intent, known);
    }
  }
  return { naming, payins: byId(payins), payouts: byId(payouts) };
}

/** What belongs to these payments. */
function behind(intents: ShownRecord[], links: Links): Pick<RecordsOfOrder, 'payins' | 'refunds' | 'refundIds'> {
  const payins = intents.flatMap(({ id, fields }) => [
    ...(links.naming.get(id)?.payins ?? []),
    ...listedPayins(fields).flatMap((listed) => links.payins.get(listed) ?? []),
  ]);
  const named = intents.flatMap(({ fields }) => textField(fields, 'irregularRefundPayoutId') ?? []);
  const payouts = intents.flatMap(({ id }) => links.naming.get(id)?.payouts ?? []);
  const known = [...new Set([...payouts, ...named.flatMap((id) => links.payouts.get(id) ?? [])])];
  const refunds = known.flatMap((payout) => {
    const refund = refundOf(payout, intents);
    return refund === null ? [] : [{ id: payout.id, refund }];
  });
  return {
    payins: [...new Set(payins)],
    refunds: refunds.map(({ refund }) => refund),
    refundIds: [...named, ...refunds.map(({ id }) => id)],
  };
}

function referenceOf({ fields }: ShownRecord): string | null {
  return keyText(ownField(fields, 'merchantReference'));
}

function push(map: Map<string, string[]>, key: string | null, value: string | null): void {
  if (key !== null && value !== null) map.set(key, [...(map.get(key) ?? []), value]);
}

function byId(records: ShownRecord[]): Map<string, ShownRecord> {
  return new Map(records.map((record) => [record.id, record]));
}

function byCreation(a: ShownRecord, b: ShownRecord): number {
  const key = ({ id, fields }: ShownRecord): string => `${instantText(ownField(fields, 'createdAt')) ?? ''} ${id}`;
  return key(a) < key(b) ? -1 : 1;
}
