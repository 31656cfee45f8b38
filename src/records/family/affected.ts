import type { Knex } from 'knex';
import { referenceOf } from '../../domain/family/links.js';
import { objectFromJsonText } from '../../domain/json-text.js';
import { textField } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { keyText, usableId } from '../database/key-text.js';
import type { MergedRecord } from '../saving/stored-record.js';
import { readAssigned } from './around.js';
import { listingIntents } from './listings.js';
import { type FamilyMembers, lockIds, lockLinks, namedBy } from './lock.js';

/** Whom changed records concern: the payments around them, and through these the orders. */
export interface Affected {
  /** References (as the database holds them) of the orders that the record belongs to, or that it could take from another. */
  references(record: MergedRecord): string[];
  /** Of a payment intent that one of the records names; undefined where it is not known. */
  statusOf: (intent: string) => string | null | undefined;
}

interface Row {
  id: string;
  status: string | null;
  known: boolean;
  invoice_id: string | null;
  payout_id: string | null;
  reference: string | null;
  /** Of an invoice that it is linked with. */
  invoiced: string | null;
}

interface Found {
  /** The payment intents that a record names, that list it, or that a person said it gives back. */
  intentsOf: (record: MergedRecord) => string[];
  rows: Row[];
}

/**
 * Locks the links of changed records (`lockLinks`) and reads what is around them. A payment intent without a reference of
 * its own has that of its invoice: nobody else saves anything that names such a one until the transaction ends.
 */
export async function lockAffected(trx: Knex.Transaction, members: FamilyMembers): Promise<Affected> {
  const { rows, intentsOf } = await lockAround(trx, members, () => findAround(trx, members));
  const byIntent = group(rows, ({ id }) => id);
  const byInvoice = group(rows, (row) => row.invoice_id);
  const byPayout = group(rows, (row) => row.payout_id);
  const status = new Map(rows.map((row) => [fromDatabaseText(row.id), row.known ? row.status : undefined]));
  const around = (record: MergedRecord): Row[] => [
    ...(record.kind === 'payment_intent' ? [record.id] : intentsOf(record)).flatMap((id) => byIntent.get(id) ?? []),
    ...(record.kind === 'invoice' ? (byInvoice.get(record.id) ?? []) : []),
    ...(record.kind === 'payout' ? (byPayout.get(record.id) ?? []) : []),
  ];
  return {
    statusOf: (intent) => status.get(intent),
    references: (record) => {
      const found = around(record).flatMap(({ reference, invoiced }) => [reference ?? '', invoiced ?? '']);
      return [...new Set([...ownReferences(record), ...found])].filter((reference) => reference !== '');
    },
  };
}

/** What it carries, or carried, by whichever source. */
function ownReferences({ before, shown }: MergedRecord): string[] {
  const reported = before?.reported == null ? null : objectFromJsonText(before.reported);
  return [before?.fields, shown.fields, reported, shown.reported].flatMap((fields) =>
    fields ? (keyText(referenceOf(fields) ?? undefined) ?? []) : [],
  );
}

/** The payment of which reports say, or said, that a payout gives it back: it is held until that is decided. */
function reportedIntents({ kind, before, shown }: MergedRecord): string[] {
  if (kind !== 'payout') return [];
  const reported = before?.reported == null ? null : objectFromJsonText(before.reported);
  return [reported, shown.reported].flatMap((fields) =>
    fields ? (usableId(textField(fields, 'paymentIntentId')) ?? []) : [],
  );
}

async function findAround(trx: Knex.Transaction, members: FamilyMembers): Promise<Found> {
  const { payment_intent: intents, payin: payins, invoice: invoices, payout: payouts } = members;
  const listing = await listingIntents(trx, payins.map(idOf));
  const assigned = payouts.length === 0 ? null : await readAssigned(trx, payouts);
  const intentsOf = (record: MergedRecord): string[] => [
    ...namedBy(record, 'payment_intent'),
    ...reportedIntents(record),
    ...(record.kind === 'payin' ? (listing.get(record.id) ?? []) : []),
    ...(record.kind === 'payout' ? [assigned?.get(record.id) ?? []].flat() : []),
  ];
  const named = [...payins, ...invoices, ...payouts].flatMap(intentsOf);
  const wanted = {
    intents: [...intents.map(idOf), ...named],
    invoices: invoices.map(idOf),
    payouts: payouts.map(idOf),
  };
  return { intentsOf, rows: await readRows(trx, wanted) };
}

/**
 * What is there is looked at before the locks, so that they are taken all at once, in one order; and after them, as it
 * may have changed. What turned up in between is locked by itself: the one place where savers may meet in a circle.
 */
async function lockAround(trx: Knex.Transaction, members: FamilyMembers, read: () => Promise<Found>): Promise<Found> {
  if (Object.values(members).every((records) => records.length === 0)) return { rows: [], intentsOf: () => [] };
  const hasMembers = members.payin.length + members.invoice.length + members.payout.length > 0;
  const expected = hasMembers ? dependent(await read()) : [];
  await lockLinks(trx, members, expected);
  const after = await read();
  const further = hasMembers ? dependent(after).filter((id) => !expected.includes(id)) : [];
  if (further.length === 0) return after;
  await lockIds(trx, further);
  return read();
}

function dependent({ rows }: Found): string[] {
  return rows.filter(({ reference }) => (reference ?? '') === '').map((row) => fromDatabaseText(row.id));
}

interface Wanted {
  intents: string[];
  invoices: string[];
  payouts: string[];
}

async function readRows(trx: Knex.Transaction, { intents, invoices, payouts }: Wanted): Promise<Row[]> {
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `SELECT intent.id, intent.status, intent.known, intent.invoice_id, intent.irregular_refund_payout_id AS payout_id,
       intent.merchant_reference AS reference, invoice.merchant_reference AS invoiced
     FROM payment_intents AS intent LEFT JOIN invoices AS invoice
       ON invoice.id = intent.invoice_id OR invoice.payment_intent_id = intent.id
     WHERE intent.id = ANY (?::text[]) OR intent.invoice_id = ANY (?::text[])
       OR intent.irregular_refund_payout_id = ANY (?::text[])`,
    [texts(intents), texts(invoices), texts(payouts)],
  );
  return rows;
}

function group(rows: readonly Row[], keyOf: (row: Row) => string | null): Map<string, Row[]> {
  const grouped = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === null) continue;
    const id = fromDatabaseText(key);
    const known = grouped.get(id);
    if (known === undefined) grouped.set(id, [row]);
    else known.push(row);
  }
  return grouped;
}

function idOf({ id }: MergedRecord): string {
  return id;
}

function texts(ids: readonly string[]): Buffer {
  return textArray(ids.map(toDatabaseText));
}
