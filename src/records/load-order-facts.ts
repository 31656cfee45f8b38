import type { Knex } from 'knex';
import type { JsonObject } from '../domain/json.js';
import type { ShownRecord } from '../domain/order-facts.js';
import { fromDatabaseText, toDatabaseText } from './database-text.js';
import { objectFromJsonText } from './json-text.js';
import { listedPayins } from './payin-links.js';
import type { MergedRecord } from './stored-record.js';

interface Row {
  id: string;
  /** The order of an intent; the intent of a payin. */
  link: string | null;
  shown: string | null;
  verified: boolean;
  verified_at: Date | null;
  absent_since: Date | null;
}

/** The payments of one order and what is known of their deposits. */
export interface PaymentsOfOrder {
  intents: ShownRecord[];
  payins: ShownRecord[];
}

const COLUMNS = 'id, verified, verified_at, absent_since';

/**
 * The payments of each order, by reference as the database holds it. `inHand` are records just saved, of which the
 * text need not be read back.
 */
export async function loadOrderFacts(
  trx: Knex.Transaction,
  references: string[],
  inHand: MergedRecord[],
): Promise<Map<string, PaymentsOfOrder>> {
  const known = new Map(inHand.map((record) => [`${record.kind} ${record.id}`, record.shown.fields]));
  const { rows: intentRows } = await trx.raw<{ rows: Row[] }>(
    `SELECT ${COLUMNS}, merchant_reference AS link, CASE WHEN id = ANY (?::text[]) THEN NULL ELSE shown END AS shown
     FROM payment_intents WHERE merchant_reference = ANY (?::text[]) ORDER BY created_at, id`,
    [idsOf(inHand, 'payment_intent'), references],
  );
  const orders = new Map<string, PaymentsOfOrder>();
  for (const reference of references) orders.set(reference, { intents: [], payins: [] });
  const orderOf = new Map<string, PaymentsOfOrder>();
  for (const row of intentRows) {
    const order = orders.get(row.link ?? '');
    if (order === undefined) continue;
    order.intents.push(shownRecord(row, known.get(`payment_intent ${fromDatabaseText(row.id)}`)));
    orderOf.set(row.id, order);
  }
  await addPayins(trx, orderOf, inHand, known);
  return orders;
}

/** Those that name one of the payments, and those that one of the payments lists. */
async function addPayins(
  trx: Knex.Transaction,
  orderOf: Map<string, PaymentsOfOrder>,
  inHand: MergedRecord[],
  known: Map<string, JsonObject>,
): Promise<void> {
  if (orderOf.size === 0) return;
  const lists = new Map<string, PaymentsOfOrder[]>();
  for (const order of new Set(orderOf.values())) {
    const listed = new Set(order.intents.flatMap((intent) => listedPayins(intent.fields)).map(toDatabaseText));
    for (const id of listed) lists.set(id, [...(lists.get(id) ?? []), order]);
  }
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `SELECT ${COLUMNS}, payment_intent_id AS link, CASE WHEN id = ANY (?::text[]) THEN NULL ELSE shown END AS shown
     FROM payins WHERE payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[]) ORDER BY created_at, id`,
    [idsOf(inHand, 'payin'), [...orderOf.keys()], [...lists.keys()]],
  );
  for (const row of rows) {
    const payin = shownRecord(row, known.get(`payin ${fromDatabaseText(row.id)}`));
    for (const order of new Set([orderOf.get(row.link ?? ''), ...(lists.get(row.id) ?? [])])) order?.payins.push(payin);
  }
}

function shownRecord(row: Row, known: JsonObject | undefined): ShownRecord {
  return {
    id: fromDatabaseText(row.id),
    fields: known ?? objectFromJsonText(row.shown ?? '{}'),
    verified: row.verified,
    verifiedAt: row.verified_at?.getTime() ?? null,
    absent: row.absent_since !== null,
  };
}

function idsOf(records: MergedRecord[], kind: MergedRecord['kind']): string[] {
  return records.flatMap((record) => (record.kind === kind ? [toDatabaseText(record.id)] : []));
}
