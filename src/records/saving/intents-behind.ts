import type { Knex } from 'knex';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { listingIntents } from './payin-links.js';
import { carriesReference, type LinkedRecords, lockIds, lockLinks, namedIds, namedIntents } from './record-links.js';
import type { MergedRecord } from './stored-record.js';

/** The payment intents that changed records belong to, and through them the orders. */
export interface IntentsBehind {
  /** References (as the database holds them) of the orders that the record belongs to by its links alone. */
  references(record: MergedRecord): string[];
  /** Of a payment intent that one of the records names; undefined where it is not known. */
  statusOf: (intent: string) => string | null | undefined;
}

interface IntentRow {
  id: string;
  status: string | null;
  invoice_id: string | null;
  payout_id: string | null;
  /** It carries its reference itself; else the reference is that of an invoice. */
  own: boolean;
  reference: string | null;
}

/** Ids of intents, and of what intents name. */
interface Wanted {
  intents: string[];
  invoices: string[];
  payouts: string[];
}

/**
 * Locks the links of changed records (`lockLinks`) and reads what is behind them. A payment intent without a reference of
 * its own has that of its invoice: nobody else saves anything that names such a one until the transaction ends.
 */
export async function lockIntentsBehind(trx: Knex.Transaction, linked: LinkedRecords): Promise<IntentsBehind> {
  const { payment_intent: intents, payin: payins, invoice: invoices, payout: payouts } = linked;
  const readBehind = async (): Promise<Found> => {
    const listing = await listingIntents(trx, payins.map(idOf));
    const namedBy = (record: MergedRecord): string[] => [
      ...namedIntents(record),
      ...(record.kind === 'payin' ? (listing.get(record.id) ?? []) : []),
    ];
    const named = [...payins, ...invoices, ...payouts].flatMap(namedBy);
    const wanted = { intents: named, invoices: invoices.map(idOf), payouts: payouts.map(idOf) };
    return { namedBy, rows: await readIntents(trx, wanted) };
  };
  const { namedBy, rows } = await lockAround(trx, linked, readBehind);
  const invoiced = await invoicesOf(trx, intents);
  const ofIntent = referencesBy(rows, ({ id }) => id);
  const naming = {
    invoice: referencesBy(rows, (row) => row.invoice_id),
    payout: referencesBy(rows, (row) => row.payout_id),
  };
  const status = new Map(rows.map((row) => [fromDatabaseText(row.id), row.status]));
  return {
    statusOf: (intent) => status.get(intent),
    references: (record) => {
      const { kind, id } = record;
      if (kind === 'payment_intent') return invoiced(record);
      const named = namedBy(record).flatMap((intent) => ofIntent.get(intent) ?? []);
      return kind === 'invoice' || kind === 'payout' ? [...named, ...(naming[kind].get(id) ?? [])] : named;
    },
  };
}

interface Found {
  /** The payment intents that a record names, or that list it. */
  namedBy: (record: MergedRecord) => string[];
  rows: IntentRow[];
}

/**
 * What is there is looked at before the locks, so that they are taken all at once, in one order; and after them, as it
 * may have changed. What turned up in between is locked by itself: the one place where savers may meet in a circle.
 */
async function lockAround(trx: Knex.Transaction, linked: LinkedRecords, read: () => Promise<Found>): Promise<Found> {
  const before = await read();
  const expected = dependent(before);
  await lockLinks(trx, linked, expected);
  const after = await read();
  const further = dependent(after).filter((id) => !expected.includes(id));
  if (further.length === 0) return after;
  await lockIds(trx, further);
  return read();
}

function dependent({ rows }: Found): string[] {
  return rows.filter((row) => !row.own).map((row) => fromDatabaseText(row.id));
}

async function readIntents(trx: Knex.Transaction, { intents, invoices, payouts }: Wanted): Promise<IntentRow[]> {
  if (intents.length + invoices.length + payouts.length === 0) return [];
  const { rows } = await trx.raw<{ rows: IntentRow[] }>(
    `SELECT intent.id, intent.status, intent.invoice_id, intent.irregular_refund_payout_id AS payout_id,
       coalesce(intent.merchant_reference, '') <> '' AS own,
       coalesce(nullif(intent.merchant_reference, ''), invoice.merchant_reference) AS reference
     FROM payment_intents AS intent LEFT JOIN invoices AS invoice
       ON coalesce(intent.merchant_reference, '') = ''
       AND (invoice.id = intent.invoice_id OR invoice.payment_intent_id = intent.id)
     WHERE intent.id = ANY (?::text[]) OR intent.invoice_id = ANY (?::text[])
       OR intent.irregular_refund_payout_id = ANY (?::text[])`,
    [texts(intents), texts(invoices), texts(payouts)],
  );
  return rows;
}

/** References of the invoices of payment intents that carry, or carried, none themselves. */
async function invoicesOf(
  trx: Knex.Transaction,
  intents: readonly MergedRecord[],
): Promise<(intent: MergedRecord) => string[]> {
  const without = intents.filter(({ before, shown }) =>
    [before, shown].some((seen) => seen && !carriesReference(seen)),
  );
  if (without.length === 0) return () => [];
  const { rows } = await trx.raw<{ rows: { id: string; payment_intent_id: string | null; reference: string }[] }>(
    `SELECT id, payment_intent_id, merchant_reference AS reference FROM invoices
     WHERE merchant_reference <> '' AND (id = ANY (?::text[]) OR payment_intent_id = ANY (?::text[]))`,
    [texts(without.flatMap((intent) => namedIds(intent, 'invoiceId'))), texts(without.map(idOf))],
  );
  const byInvoice = referencesBy(rows, ({ id }) => id);
  const byIntent = referencesBy(rows, (row) => row.payment_intent_id);
  const lacking = new Set(without);
  return (intent) =>
    lacking.has(intent)
      ? [...(byIntent.get(intent.id) ?? []), ...namedIds(intent, 'invoiceId').flatMap((id) => byInvoice.get(id) ?? [])]
      : [];
}

function referencesBy<Row extends { reference: string | null }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string | null,
): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === null || row.reference === null) continue;
    const id = fromDatabaseText(key);
    grouped.set(id, [...(grouped.get(id) ?? []), row.reference]);
  }
  return grouped;
}

function idOf({ id }: MergedRecord): string {
  return id;
}

function texts(ids: readonly string[]): Buffer {
  return textArray(ids.map(toDatabaseText));
}
