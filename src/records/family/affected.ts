import type { Knex } from 'knex';
import { namedIn, referenceOf } from '../../domain/family/links.js';
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
  /** The payment intents that a record names, that list it, or that a person said it gives back; of a payment also those that its refund names. */
  intentsOf: (record: MergedRecord) => string[];
  rows: Row[];
  /** References of the invoices that payments named before. */
  left: ReadonlyMap<string, string>;
}

/**
 * Locks the links of changed records (`lockLinks`) and reads what is around them. A payment intent without a reference of
 * its own has that of its invoice: nobody else saves anything that names such a one until the transaction ends.
 */
export async function lockAffected(trx: Knex.Transaction, members: FamilyMembers): Promise<Affected> {
  const { rows, intentsOf, left } = await lockAround(trx, members, () => findAround(trx, members));
  const byIntent = group(rows, ({ id }) => id);
  const byInvoice = group(rows, (row) => row.invoice_id);
  const byPayout = group(rows, (row) => row.payout_id);
  const status = new Map(rows.map((row) => [fromDatabaseText(row.id), row.known ? row.status : undefined]));
  const around = (record: MergedRecord): Row[] => [
    ...[...(record.kind === 'payment_intent' ? [record.id] : []), ...intentsOf(record)].flatMap(
      (id) => byIntent.get(id) ?? [],
    ),
    ...(record.kind === 'invoice' ? (byInvoice.get(record.id) ?? []) : []),
    ...payoutsOf(record).flatMap((id) => byPayout.get(id) ?? []),
  ];
  return {
    statusOf: (intent) => status.get(intent),
    references: (record) => {
      const found = around(record).flatMap(({ reference, invoiced }) => [reference ?? '', invoiced ?? '']);
      const before = namedBefore(record).flatMap((id) => left.get(id) ?? []);
      return [...new Set([...ownReferences(record), ...found, ...before])].filter((reference) => reference !== '');
    },
  };
}

/** A payout itself, or the one that a payment names as its refund, or named: which of them it gives back may change for all. */
function payoutsOf(record: MergedRecord): string[] {
  return record.kind === 'payout' ? [record.id] : namedBy(record, 'payout');
}

/** Invoices whose order a payment may have left. */
function namedBefore({ kind, before, shown }: MergedRecord): string[] {
  if (kind !== 'payment_intent' || before === null) return [];
  const now = namedIn(kind, shown.fields, 'invoice');
  return namedIn(kind, before.fields, 'invoice').filter((id) => !now.includes(id) && usableId(id) !== undefined);
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
  const refunds = intents.flatMap((intent) => namedBy(intent, 'payout'));
  const owners = await linkedOf(trx, 'payouts', 'payment_intent_id', refunds);
  const left = await linkedOf(trx, 'invoices', 'merchant_reference', intents.flatMap(namedBefore));
  const intentsOf = (record: MergedRecord): string[] => [
    ...namedBy(record, 'payment_intent'),
    ...(record.kind === 'payment_intent' ? payoutsOf(record).flatMap((id) => owners.get(id) ?? []) : []),
    ...reportedIntents(record),
    ...(record.kind === 'payin' ? (listing.get(record.id) ?? []) : []),
    ...(record.kind === 'payout' ? [assigned?.get(record.id) ?? []].flat() : []),
  ];
  const named = [...intents, ...payins, ...invoices, ...payouts].flatMap(intentsOf);
  const wanted = {
    intents: [...intents.map(idOf), ...named],
    invoices: invoices.map(idOf),
    payouts: [...payouts.map(idOf), ...refunds],
  };
  return { intentsOf, left, rows: await readRows(trx, wanted) };
}

/** One column of some records by their ids; most often there is none to ask for. */
async function linkedOf(
  trx: Knex,
  table: 'payouts' | 'invoices',
  column: 'payment_intent_id' | 'merchant_reference',
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { id: string; value: string }[] }>(
    `SELECT id, ${column} AS value FROM ${table} WHERE id = ANY (?::text[]) AND ${column} <> ''`,
    [texts(ids)],
  );
  return new Map(
    rows.map(({ id, value }) => [
      fromDatabaseText(id),
      column === 'payment_intent_id' ? fromDatabaseText(value) : value,
    ]),
  );
}

/**
 * What is there is looked at before the locks, so that they are taken all at once, in one order; and after them, as it
 * may have changed. What turned up in between is locked by itself: the one place where savers may meet in a circle.
 */
async function lockAround(trx: Knex.Transaction, members: FamilyMembers, read: () => Promise<Found>): Promise<Found> {
  if (Object.values(members).every((records) => records.length === 0))
    return { rows: [], left: new Map(), intentsOf: () => [] };
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
