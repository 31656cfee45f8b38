import type { Knex } from 'knex';
import { objectFromJsonText } from '../domain/json-text.js';
import type { ShownRecord } from '../domain/order-facts.js';
import { textArray } from './array-parameter.js';
import { fromDatabaseText, toDatabaseText } from './database-text.js';
import { instantText } from './instant.js';
import { keyText } from './key-text.js';
import type { OrderRow } from './order-row.js';
import { listedPayins } from './payin-links.js';
import { type MergedRecord, ownField } from './stored-record.js';

/** The payments of one order and what is known of their deposits. */
export interface PaymentsOfOrder {
  intents: ShownRecord[];
  payins: ShownRecord[];
}

interface Row {
  id: string;
  /** Of a payin: the intent that it names. */
  intent: string | null;
  /** Null where the record is in hand. */
  shown: string | null;
  verified: boolean;
  verified_at: Date | null;
  absent_since: Date | null;
}

/**
 * The payments of each locked order, by reference as the database holds it: those that it had when it was last derived,
 * and those of `inHand`, the records just saved, which need not be read back.
 */
export async function loadOrderFacts(
  trx: Knex.Transaction,
  orders: OrderRow[],
  inHand: MergedRecord[],
): Promise<Map<string, PaymentsOfOrder>> {
  const saved = new Map(inHand.map((record) => [`${record.kind} ${record.id}`, shownOf(record)]));
  const intents = new Map<string, ShownRecord[]>(orders.map((order) => [order.reference, []]));
  for (const { kind, id, shown } of inHand) {
    const record = saved.get(`payment_intent ${id}`);
    if (kind !== 'payment_intent' || record === undefined) continue;
    intents.get(keyText(ownField(shown.fields, 'merchantReference')) ?? '')?.push(record);
  }
  const elsewhere = orders.flatMap(({ reference, payment_intents }) =>
    payment_intents
      .filter((id) => !saved.has(`payment_intent ${fromDatabaseText(id)}`))
      .map((id) => ({ id, reference })),
  );
  const loaded = await loadIntents(
    trx,
    elsewhere.map(({ id }) => id),
  );
  for (const { id, reference } of elsewhere) {
    const record = loaded.get(id);
    if (record !== undefined) intents.get(reference)?.push(record);
  }
  const payins = await loadPayins(trx, [...intents.values()].flat(), saved);
  return new Map([...intents].map(([reference, own]) => [reference, paymentsOf(own.sort(byCreation), payins)]));
}

async function loadIntents(trx: Knex.Transaction, ids: string[]): Promise<Map<string, ShownRecord>> {
  if (ids.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `SELECT id, verified, verified_at, absent_since, shown FROM payment_intents WHERE id = ANY (?::text[])`,
    [textArray(ids)],
  );
  return new Map(rows.map((row) => [row.id, recordOf(row)]));
}

interface LoadedPayins {
  /** Those that name an intent, by its id. */
  naming: Map<string, ShownRecord[]>;
  byId: Map<string, ShownRecord>;
}

async function loadPayins(
  trx: Knex.Transaction,
  intents: ShownRecord[],
  saved: Map<string, ShownRecord>,
): Promise<LoadedPayins> {
  const loaded: LoadedPayins = { naming: new Map(), byId: new Map() };
  if (intents.length === 0) return loaded;
  const inHand = [...saved.keys()].flatMap((key) => (key.startsWith('payin ') ? [key.slice('payin '.length)] : []));
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `SELECT id, verified, verified_at, absent_since, payment_intent_id AS intent,
       CASE WHEN id = ANY (?::text[]) THEN NULL ELSE shown END AS shown
     FROM payins WHERE payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[])`,
    [
      textArray(inHand.map(toDatabaseText)),
      textArray(intents.map(({ id }) => toDatabaseText(id))),
      textArray(intents.flatMap(({ fields }) => listedPayins(fields)).map(toDatabaseText)),
    ],
  );
  for (const row of rows) {
    const payin = saved.get(`payin ${fromDatabaseText(row.id)}`) ?? recordOf(row);
    loaded.byId.set(payin.id, payin);
    if (row.intent === null) continue;
    const intent = fromDatabaseText(row.intent);
    loaded.naming.set(intent, [...(loaded.naming.get(intent) ?? []), payin]);
  }
  return loaded;
}

function paymentsOf(intents: ShownRecord[], { naming, byId }: LoadedPayins): PaymentsOfOrder {
  const payins = intents.flatMap(({ id, fields }) => [
    ...(naming.get(id) ?? []),
    ...listedPayins(fields).flatMap((listed) => byId.get(listed) ?? []),
  ]);
  return { intents, payins: [...new Set(payins)] };
}

function byCreation(a: ShownRecord, b: ShownRecord): number {
  const key = ({ id, fields }: ShownRecord): string => `${instantText(ownField(fields, 'createdAt')) ?? ''} ${id}`;
  return key(a) < key(b) ? -1 : 1;
}

function recordOf(row: Row): ShownRecord {
  return {
    id: fromDatabaseText(row.id),
    fields: objectFromJsonText(row.shown ?? '{}'),
    verified: row.verified,
    verifiedAt: row.verified_at?.getTime() ?? null,
    absent: row.absent_since !== null,
  };
}

function shownOf({ id, shown }: MergedRecord): ShownRecord {
  const { fields, verified, verifiedAt, absent } = shown;
  return { id, fields, verified, verifiedAt, absent };
}
