import type { Knex } from 'knex';
import { type Family, familyOf, linksOf, noFamily } from '../../domain/family/family.js';
import { defaultPayoutWords, namedIn, referenceOf, type ShownRecord } from '../../domain/family/links.js';
import { makerOf, type OpenCall } from '../../domain/family/own-refunds.js';
import { ownField } from '../../domain/json.js';
import { MOST_RECORDS } from '../../domain/orders/order.js';
import type { ReleaseRules } from '../../domain/orders/order-facts.js';
import { compareText } from '../../domain/record-state.js';
import { instantText } from '../../domain/service-time.js';
import { openCalls } from '../calls/list-calls.js';
import { textArray } from '../database/array-parameter.js';
import type { Trx } from '../database/statements.js';
import type { OrderState } from '../order-row.js';
import type { MergedRecord } from '../stored-record.js';
import { readAround } from './around.js';
import { sharedReferences } from './references.js';
import {
  idsInHand,
  idTexts,
  loadShown,
  type RecordsInHand,
  recordsInHand,
  type ShownByKind,
  shownColumns,
} from './shown-records.js';

export type FamilyRules = Pick<ReleaseRules, 'payoutWords'>;

/** The family of each order (`familyOf`), by reference. Of one that too many share nothing is loaded. */
export async function loadFamilies(
  trx: Trx,
  orders: readonly OrderState[],
  saved: readonly MergedRecord[] = [],
  { payoutWords: words = defaultPayoutWords }: FamilyRules = {},
): Promise<Map<string, Family>> {
  const inHand = recordsInHand(saved);
  const shared = await sharedReferences(trx, orders);
  const references = orders.flatMap(({ reference }) => (shared.has(reference) ? [] : [reference]));
  const linked = await loadLinked(trx, inHand, references);
  const around = await readAround(trx, inHand, references, linked.intents);
  const families = new Map<string, Family>();
  for (const reference of shared) families.set(reference, { ...noFamily, shared: true });
  const links = linksOf(
    {
      payment_intent: unique([...linked.intents, ...around.naming]),
      payin: unique(around.payins),
      invoice: linked.invoices,
      payout: unique(around.payouts),
    },
    around,
    words,
  );
  for (const key of references) {
    const family = familyOf(key, links, around, words);
    for (const records of [family.intents, family.payins, family.invoices])
      records.sort((a, b) => compareText(creationKey(a), creationKey(b)));
    families.set(key, family);
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
  const { payment_intent: own, invoice: invoices } = await loadOwn(trx, inHand, references);
  const invoiced = await loadInvoiced(trx, inHand, invoices, own);
  const without = invoiced.filter(({ fields }) => referenceOf(fields) === null);
  const others = without.length === 0 ? [] : await loadInvoices(trx, inHand, without);
  return { intents: [...own, ...invoiced], invoices: unique([...invoices, ...others]) };
}

/** Payments and invoices that carry one of the references, and invoices linked with these payments. */
async function loadOwn(trx: Knex, inHand: RecordsInHand, references: readonly string[]): Promise<ShownByKind> {
  const carried = textArray(references);
  const own = 'FROM payment_intents WHERE merchant_reference = ANY (?::text[])';
  return loadShown(
    trx,
    inHand,
    {
      name: 'load own',
      sql: `SELECT ${shownColumns('payment_intent')} ${own} UNION ALL SELECT ${shownColumns('invoice')} FROM invoices
     WHERE merchant_reference = ANY (?::text[])
       OR payment_intent_id = ANY (ARRAY(SELECT id ${own})) OR id = ANY (ARRAY(SELECT invoice_id ${own}))`,
    },
    [idsInHand(inHand, 'payment_intent'), carried, idsInHand(inHand, 'invoice'), carried, carried, carried],
  );
}

/** Those linked with the payment intents. */
async function loadInvoices(trx: Knex, inHand: RecordsInHand, intents: readonly ShownRecord[]): Promise<ShownRecord[]> {
  const { invoice } = await loadShown(
    trx,
    inHand,
    {
      name: 'load invoices',
      sql: `SELECT ${shownColumns('invoice')} FROM invoices WHERE payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[])`,
    },
    [
      idsInHand(inHand, 'invoice'),
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
    {
      name: 'load invoiced',
      sql: `SELECT ${shownColumns('payment_intent')} FROM payment_intents
     WHERE id <> ALL (?::text[]) AND id IN (
       SELECT naming.id FROM unnest(?::text[]) AS invoice (id) CROSS JOIN LATERAL (
         SELECT intent.id FROM payment_intents AS intent WHERE intent.invoice_id = invoice.id
         LIMIT ${MOST_RECORDS + 1}) AS naming
       UNION ALL SELECT unnest(?::text[]))`,
    },
    [
      idsInHand(inHand, 'payment_intent'),
      idTexts(known.map(({ id }) => id)),
      idTexts(invoices.map(({ id }) => id)),
      idTexts(invoices.flatMap(({ fields }) => namedIn('invoice', fields, 'payment_intent'))),
    ],
  );
  return found;
}

function unique(records: readonly ShownRecord[]): ShownRecord[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

function creationKey({ id, fields }: ShownRecord): string {
  return `${instantText(ownField(fields, 'createdAt')) ?? ''} ${id}`;
}

/** The calls of our own with an unknown outcome that may have made one of the payouts, by its id (`makerOf`). */
export async function loadMakers(db: Knex, payouts: readonly ShownRecord[]): Promise<Map<string, OpenCall>> {
  const calls = payouts.length === 0 ? [] : await openCalls(db, { paymentIntents: null });
  if (calls.length === 0) return new Map();
  const { payment_intent: payments } = await loadShown(
    db,
    new Map(),
    {
      name: 'load makers',
      sql: `SELECT ${shownColumns('payment_intent')} FROM payment_intents WHERE id = ANY (?::text[])`,
    },
    [idTexts([]), idTexts(calls.map(({ paymentIntentId }) => paymentIntentId))],
  );
  const found = payouts.map((payout) => [payout.id, makerOf(payout, calls, payments)] as const);
  return new Map(found.flatMap(([id, call]) => (call === undefined ? [] : [[id, call]])));
}
