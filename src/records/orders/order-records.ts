import type { Knex } from 'knex';
import { objectFromJsonText } from '../../domain/json-text.js';
import { MOST_RECORDS } from '../../domain/orders/order.js';
import type { ShownRecord } from '../../domain/orders/order-facts.js';
import { type RecordKind, textField } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { listedPayins } from '../saving/payin-links.js';
import type { MergedRecord } from '../saving/stored-record.js';

/** The records just saved, by kind and id: they need not be read back. */
export type RecordsInHand = ReadonlyMap<string, ShownRecord>;

interface Row {
  kind: RecordKind;
  id: string;
  /** Null where the record is in hand. */
  shown: string | null;
  verified: boolean;
  verified_at: Date | null;
  absent_since: Date | null;
}

const COLUMNS =
  'id, verified, verified_at, absent_since, CASE WHEN id = ANY (?::text[]) THEN NULL ELSE shown END AS shown';

export function recordsInHand(records: readonly MergedRecord[]): RecordsInHand {
  return new Map(
    records.map(({ kind, id, shown: { fields, verified, verifiedAt, absent } }) => [
      `${kind} ${id}`,
      { id, fields, verified, verifiedAt, absent },
    ]),
  );
}

export async function loadIntents(
  trx: Knex.Transaction,
  inHand: RecordsInHand,
  ids: readonly string[],
): Promise<ShownRecord[]> {
  if (ids.length === 0) return [];
  const found = await load(
    trx,
    inHand,
    `SELECT 'payment_intent' AS kind, ${COLUMNS} FROM payment_intents WHERE id = ANY (?::text[])`,
    [idsInHand(inHand, 'payment_intent'), texts(ids)],
  );
  return found.map(({ record }) => record);
}

/** Those that carry one of the references (as the database holds them), and those linked with the payment intents. */
export async function loadInvoices(
  trx: Knex.Transaction,
  inHand: RecordsInHand,
  references: readonly string[],
  intents: readonly ShownRecord[],
): Promise<ShownRecord[]> {
  const found = await load(
    trx,
    inHand,
    `SELECT 'invoice' AS kind, ${COLUMNS} FROM invoices
     WHERE merchant_reference = ANY (?::text[]) OR payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[])`,
    [
      idsInHand(inHand, 'invoice'),
      textArray(references),
      texts(intents.map(({ id }) => id)),
      texts(named(intents, 'invoiceId')),
    ],
  );
  return found.map(({ record }) => record);
}

/**
 * Payment intents without a reference of their own that name one of the invoices, or that one of them names. Of an invoice
 * that more of them name than an order may have, so many that it shows.
 */
export async function loadInvoicedIntents(
  trx: Knex.Transaction,
  inHand: RecordsInHand,
  invoices: readonly ShownRecord[],
): Promise<ShownRecord[]> {
  if (invoices.length === 0) return [];
  const found = await load(
    trx,
    inHand,
    `SELECT 'payment_intent' AS kind, ${COLUMNS} FROM payment_intents
     WHERE coalesce(merchant_reference, '') = '' AND id IN (
       SELECT naming.id FROM unnest(?::text[]) AS invoice (id) CROSS JOIN LATERAL (
         SELECT intent.id FROM payment_intents AS intent
         WHERE intent.invoice_id = invoice.id AND coalesce(intent.merchant_reference, '') = ''
         LIMIT ${MOST_RECORDS + 1}) AS naming
       UNION ALL SELECT unnest(?::text[]))`,
    [
      idsInHand(inHand, 'payment_intent'),
      texts(invoices.map(({ id }) => id)),
      texts(named(invoices, 'paymentIntentId')),
    ],
  );
  const intents = found.map(({ record }) => record);
  return intents.filter(({ fields }) => (textField(fields, 'merchantReference') ?? '') === '');
}

/** Deposits and payouts that name one of the payment intents, or that one of them names. */
export async function loadBelonging(
  trx: Knex.Transaction,
  inHand: RecordsInHand,
  intents: readonly ShownRecord[],
): Promise<{ payins: ShownRecord[]; payouts: ShownRecord[] }> {
  if (intents.length === 0) return { payins: [], payouts: [] };
  const ids = texts(intents.map(({ id }) => id));
  const found = await load(
    trx,
    inHand,
    `SELECT 'payin' AS kind, ${COLUMNS} FROM payins WHERE payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[])
     UNION ALL
     SELECT 'payout' AS kind, ${COLUMNS} FROM payouts WHERE payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[])`,
    [
      idsInHand(inHand, 'payin'),
      ids,
      texts(intents.flatMap(({ fields }) => listedPayins(fields))),
      idsInHand(inHand, 'payout'),
      ids,
      texts(named(intents, 'irregularRefundPayoutId')),
    ],
  );
  const ofKind = (wanted: RecordKind): ShownRecord[] =>
    found.flatMap(({ kind, record }) => (kind === wanted ? [record] : []));
  return { payins: ofKind('payin'), payouts: ofKind('payout') };
}

async function load(
  trx: Knex.Transaction,
  inHand: RecordsInHand,
  sql: string,
  parameters: Buffer[],
): Promise<{ kind: RecordKind; record: ShownRecord }[]> {
  const { rows } = await trx.raw<{ rows: Row[] }>(sql, parameters);
  return rows.map((row) => ({
    kind: row.kind,
    record: inHand.get(`${row.kind} ${fromDatabaseText(row.id)}`) ?? {
      id: fromDatabaseText(row.id),
      fields: objectFromJsonText(row.shown ?? '{}'),
      verified: row.verified,
      verifiedAt: row.verified_at?.getTime() ?? null,
      absent: row.absent_since !== null,
    },
  }));
}

function idsInHand(inHand: RecordsInHand, kind: RecordKind): Buffer {
  const start = `${kind} `;
  return texts([...inHand.keys()].flatMap((key) => (key.startsWith(start) ? [key.slice(start.length)] : [])));
}

function named(records: readonly ShownRecord[], field: string): string[] {
  return records.flatMap(({ fields }) => textField(fields, field) ?? []);
}

function texts(ids: readonly string[]): Buffer {
  return textArray(ids.map(toDatabaseText));
}
