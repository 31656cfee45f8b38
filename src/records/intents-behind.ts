import type { Knex } from 'knex';
import { textArray } from './array-parameter.js';
import { fromDatabaseText, toDatabaseText } from './database-text.js';
import { listingIntents } from './payin-links.js';
import { carriesReference, type LinkedRecords, lockIds, namedIds, namedIntents } from './record-links.js';
import type { MergedRecord } from './stored-record.js';

/** The payment intents that changed records belong to, and through them the orders. */
export interface IntentsBehind {
  /** References (as the database holds them) of the orders that the record belongs to by its links alone. */
  references(record: MergedRecord): string[];
  /** Of a payment intent that one of the records names; undefined where it is not known. */
  statusOf(intent: string): string | null | undefined;
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
 * Reads what is behind the records, whose links are locked (`lockLinks`). A payment intent without a reference of its own
 * has that of its invoice: where one is found, nobody else saves anything that names it until the transaction ends.
 */
export async function findIntentsBehind(trx: Knex.Transaction, linked: LinkedRecords): Promise<IntentsBehind> {
  const { payment_intent: intents, payin: payins, invoice: invoices, payout: payouts } = linked;
  const listing = await listingIntents(
    trx,
    payins.map(({ id }) => id),
  );
  const namedBy = (record: MergedRecord): string[] => [
    ...namedIntents(record),
    ...(record.kind === 'payin' ? (listing.get(record.id) ?? []) : []),
  ];
  const members = [...payins, ...invoices, ...payouts];
  const wanted = { intents: members.flatMap(namedBy), invoices: invoices.map(idOf), payouts: payouts.map(idOf) };
  const rows = await lockedRows(trx, wanted, new Set(members.flatMap(namedIntents)));
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

/** Where an intent turns up that has its reference from an invoice, it is locked too, and looked at once more. */
async function lockedRows(trx: Knex.Transaction, wanted: Wanted, locked: ReadonlySet<string>): Promise<IntentRow[]> {
  const rows = await readIntents(trx, wanted);
  const further = rows.filter((row) => !row.own && !locked.has(fromDatabaseText(row.id)));
  if (further.length === 0) return rows;
  await lockIds(
    trx,
    further.map((row) => fromDatabaseText(row.id)),
  );
  return readIntents(trx, wanted);
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
