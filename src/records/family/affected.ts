import type { Knex } from 'knex';
import {
  defaultPayoutWords,
  familyKinds,
  isUnlinkedRefund,
  namedIn,
  type PayoutWords,
  referenceOf,
} from '../../domain/family/links.js';
import { type SaidRefund, saidRefunds } from '../../domain/family/said.js';
import { grouped } from '../../domain/grouped.js';
import { objectFromJsonText } from '../../domain/json.js';
import { keyText, usableId } from '../database/database-text.js';
import { prepared, rowsOf, type Trx, together } from '../database/statements.js';
import type { MergedRecord } from '../stored-record.js';
import type { FamilyRules } from './load.js';
import { type FamilyMembers, lockIds, lockLinks, namedBy, relistedPayins } from './lock.js';
import { idTexts, type Linked, linksOf, relatedPayments } from './shown-records.js';

/** Whom changed records concern: the payments around them, and through these the orders. */
export interface Affected {
  /** References of the orders that the record belongs to, or that it could take from another. */
  references(record: MergedRecord): string[];
  /** Of a payment intent that one of the records names; undefined where it is not known. */
  statusOf: (intent: string) => string | null | undefined;
}

interface Row {
  id: string;
  status: string | null;
  known: boolean;
  reference: string | null;
  /** Of an invoice that it is linked with. */
  invoiced: string | null;
}

interface Found {
  /** The payment intents around a record; around a payment also those around the refund that it names, or named. */
  intentsOf: (record: MergedRecord) => string[];
  rows: Row[];
  /** References of the invoices that payments named before. */
  left: ReadonlyMap<string, string>;
  /** References of orders that refunds carry which payments name, or named: such a refund is of the payment, not of that order. */
  taken: ReadonlyMap<string, string>;
}

/**
 * Locks the links of changed records (`lockLinks`) and reads what is around them. A payment intent without a reference of
 * its own has that of its invoice: nobody else saves anything that names such a one until the transaction ends.
 */
export async function lockAffected(
  trx: Trx,
  members: FamilyMembers,
  { payoutWords = defaultPayoutWords }: FamilyRules,
): Promise<Affected> {
  const saidNames = await readSaidNames(trx, members, payoutWords);
  const { rows, intentsOf, left, taken } = await lockAround(trx, members, () => findAround(trx, members, saidNames));
  const byIntent = grouped(rows, ({ id }) => id);
  const status = new Map(rows.map((row) => [row.id, row.known ? row.status : undefined]));
  return {
    statusOf: (intent) => status.get(intent),
    references: (record) => {
      const around = intentsOf(record).flatMap((id) => byIntent.get(id) ?? []);
      const found = around.flatMap(({ reference, invoiced }) => [reference ?? '', invoiced ?? '']);
      const before = namedBefore(record).flatMap((id) => left.get(id) ?? []);
      const refunds = namedRefunds(record).flatMap((id) => taken.get(id) ?? []);
      const said = saidNames(record, 'order').flatMap((reference) => keyText(reference) ?? []);
      return [...new Set([...ownReferences(record, payoutWords), ...said, ...found, ...before, ...refunds])].filter(
        (reference) => reference !== '',
      );
    },
  };
}

/** Invoices whose order a payment may have left. */
function namedBefore({ kind, before, shown }: MergedRecord): string[] {
  if (kind !== 'payment_intent' || before === null) return [];
  const now = namedIn(kind, shown.fields, 'invoice');
  return namedIn(kind, before.fields, 'invoice').filter((id) => !now.includes(id));
}

/** Refunds that a payment names, or named: it takes them from the orders whose references they carry, or gives them back to these. */
function namedRefunds(record: MergedRecord): string[] {
  return record.kind === 'payment_intent' ? namedBy(record, 'payout') : [];
}

/** What it carries, or carried, by whichever source; of a payout only where it may give money of the order back. */
function ownReferences(record: MergedRecord, words: PayoutWords): string[] {
  const { kind, before, shown } = record;
  if (kind === 'payout') {
    const may = [before, shown].filter((one) => one !== null && isUnlinkedRefund(one, words));
    return may.flatMap((one) => keyText(referenceOf(one?.fields ?? {}) ?? undefined) ?? []);
  }
  const reported = before?.reported == null ? null : objectFromJsonText(before.reported);
  return [before?.fields, shown.fields, reported, shown.reported].flatMap((fields) =>
    fields ? (keyText(referenceOf(fields) ?? undefined) ?? []) : [],
  );
}

type SaidNames = (record: MergedRecord, wanted: SaidRefund['of']) => string[];

/**
 * The payments, or orders, of which reports say, or said, that a payout gives money of theirs back: they are held until that is
 * decided. A record keeps the newest reports; of one that is decided all are read that were ever kept of it.
 */
async function readSaidNames(trx: Knex, { payout: payouts }: FamilyMembers, words: PayoutWords): Promise<SaidNames> {
  const decided = payouts.filter(isDecided);
  const rows =
    decided.length === 0
      ? []
      : await rowsOf<Pick<SaidRefund, 'of' | 'name'> & { payout: string }>(trx)`
          SELECT DISTINCT payout_id AS payout, said_of AS of, name FROM reported_refunds
          WHERE payout_id = ANY (${decided.map(({ id }) => id)}::text[])`;
  const kept = grouped(rows, ({ payout }) => payout);
  return ({ kind, id, before, said }, wanted) => {
    if (kind !== 'payout') return [];
    const names = [...(before === null ? [] : saidRefunds(before.fields, before.state.claims, words)), ...said];
    return [...new Set([...names, ...(kept.get(id) ?? [])].flatMap(({ of, name }) => (of === wanted ? [name] : [])))];
  };
}

/** The service shows it, or denies it, for the first time. */
function isDecided({ before, shown, absentSince }: MergedRecord): boolean {
  return before !== null && (before.known !== shown.known || (before.absentSince === null) !== (absentSince === null));
}

async function findAround(trx: Trx, members: FamilyMembers, saidNames: SaidNames): Promise<Found> {
  const intents = members.payment_intent;
  const all = Object.values(members).flat();
  const linked = all.flatMap(linkedBy);
  const named = new Map(
    all.map((record) => [
      record,
      [
        ...(record.kind === 'payment_intent' ? [record.id] : namedBy(record, 'payment_intent')),
        ...saidNames(record, 'payment').flatMap((id) => usableId(id) ?? []),
      ],
    ]),
  );
  const [behind, rows, left, taken] = await together(
    relatedPayments(trx, linked, { inSave: true }),
    readRows(trx, { ids: [...new Set([...named.values()].flat())], linked }),
    referencesOf(trx, intents.flatMap(namedBefore)),
    ordersOfRefunds(trx, intents.flatMap(namedRefunds)),
  );
  const intentsOf = (record: MergedRecord) => [...(named.get(record) ?? []), ...linkedBy(record).flatMap(behind)];
  return { intentsOf, rows, left, taken };
}

/**
 * What is looked up by its links: the record itself; of a payment its refunds and the payins that it lists, or no longer lists: which
 * payments have these may change for all.
 */
function linkedBy(record: MergedRecord): Linked[] {
  const kind = familyKinds.find((one) => one === record.kind);
  if (kind === undefined) return [];
  if (kind !== 'payment_intent') return [{ kind, id: record.id }];
  return [
    ...namedRefunds(record).map((id) => ({ kind: 'payout' as const, id })),
    ...relistedPayins(record).map((id) => ({ kind: 'payin' as const, id })),
  ];
}

/** Of invoices by their ids; most often there is none to ask for. */
async function referencesOf(trx: Knex, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<{ id: string; reference: string }>(trx)`
    SELECT id, merchant_reference AS reference FROM invoices WHERE id = ANY (${ids}::text[]) AND merchant_reference <> ''`;
  return new Map(rows.map(({ id, reference }) => [id, reference]));
}

/** Of orders that are there: whoever saved the refund made them. Most often there is none to ask for. */
async function ordersOfRefunds(trx: Trx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<{ id: string; reference: string }>(trx)`
    SELECT payouts.id, reference FROM payouts JOIN orders ON reference = merchant_reference WHERE payouts.id = ANY (${ids}::text[])`;
  return new Map(rows.map(({ id, reference }) => [id, reference]));
}

/**
 * What is there is read before the locks, so that they are taken all at once, in one order; and after them, as it
 * may have changed. What turned up in between is locked by itself: the one place where savers may meet in a circle.
 */
async function lockAround(trx: Trx, members: FamilyMembers, read: () => Promise<Found>): Promise<Found> {
  if (Object.values(members).every((records) => records.length === 0))
    return { rows: [], left: new Map(), taken: new Map(), intentsOf: () => [] };
  const hasMembers = members.payin.length + members.invoice.length + members.payout.length > 0;
  const expected = hasMembers ? dependent(await read()) : [];
  // The server reads after it has locked: each statement sees what was committed before it began.
  const [, after] = await together(lockLinks(trx, members, expected), read());
  const further = hasMembers ? dependent(after).filter((id) => !expected.includes(id)) : [];
  if (further.length === 0) return after;
  await lockIds(trx, further);
  return read();
}

function dependent({ rows }: Found): string[] {
  return rows.filter(({ reference }) => (reference ?? '') === '').map((row) => row.id);
}

/** Of payments by their ids, and of those that records are linked with. */
async function readRows(
  trx: Trx,
  { ids, linked }: { ids: readonly string[]; linked: readonly Linked[] },
): Promise<Row[]> {
  const { kinds, sql, values } = linksOf(linked);
  const { rows } = await prepared<{ rows: Row[] }>(
    trx,
    `read around ${kinds}`,
    `SELECT intent.id, intent.status, intent.known, intent.merchant_reference AS reference,
       invoice.merchant_reference AS invoiced
     FROM payment_intents AS intent LEFT JOIN invoices AS invoice
       ON invoice.id = intent.invoice_id OR invoice.payment_intent_id = intent.id
     WHERE intent.id = ANY (?::text[] || ARRAY(SELECT linked.intent FROM (${sql}) AS linked))`,
    [idTexts(ids), ...values],
  );
  return rows;
}
