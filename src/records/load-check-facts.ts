import type { Knex } from 'knex';
import type { CheckedOrder, CheckedRecord, CheckFacts } from '../domain/checks/check-facts.js';
import type { KytWords } from '../domain/kyt.js';
import type { ShownRecord } from '../domain/order-facts.js';
import type { EntityRef, RecordKind } from '../domain/records.js';
import { textArray } from './array-parameter.js';
import { type CheckSeeds, loadNeighbours, type Neighbours } from './check-neighbours.js';
import { idArray, selectChecked } from './checked-records.js';
import { fromDatabaseText, toDatabaseText } from './database-text.js';
import { keyText } from './key-text.js';
import { loadOrderFacts, noRecords, type RecordsOfOrder } from './load-order-facts.js';
import { expectedOf, type OrderRow } from './order-row.js';
import { ownField } from './stored-record.js';

export interface CheckContext {
  now: Date;
  adoptedAt: Date;
  kytWords: KytWords;
}

/** Kinds that are judged by their age alone. */
const ALONE: readonly RecordKind[] = ['account', 'transaction'];

/** Everything that checks of these records and orders need, in a handful of queries. */
export async function loadCheckFacts(
  trx: Knex.Transaction,
  entities: readonly EntityRef[],
  { now, adoptedAt, kytWords }: CheckContext,
): Promise<CheckFacts> {
  const changed = await loadNeighbours(trx, await seedsOf(trx, entities), adoptedAt);
  const references = new Set([...idsOf(entities, 'order'), ...referencesOf(changed)]);
  return {
    now: now.getTime(),
    kytWords,
    registersSince: await registersSince(trx),
    ...changed,
    others: await loadAlone(trx, entities, adoptedAt),
    orders: await loadOrders(trx, references, adoptedAt),
  };
}

function idsOf(entities: readonly EntityRef[], wanted: EntityRef['kind']): string[] {
  return entities.flatMap(({ kind, id }) => (kind === wanted ? [id] : []));
}

/** An order stands for its payments and invoices. */
async function seedsOf(trx: Knex, entities: readonly EntityRef[]): Promise<CheckSeeds> {
  const references = idsOf(entities, 'order');
  const rows =
    references.length === 0 ? [] : await trx<OrderRow>('orders').whereIn('reference', references.map(toDatabaseText));
  return {
    intents: new Set([
      ...idsOf(entities, 'payment_intent'),
      ...rows.flatMap((row) => row.payment_intents.map(fromDatabaseText)),
    ]),
    payins: new Set(idsOf(entities, 'payin')),
    invoices: new Set([...idsOf(entities, 'invoice'), ...rows.flatMap((row) => row.invoices.map(fromDatabaseText))]),
    payouts: new Set(idsOf(entities, 'payout')),
  };
}

function referencesOf({ intents, invoices }: Neighbours): string[] {
  return [...intents.values(), ...invoices.values()].flatMap(({ fields }) => {
    const reference = keyText(ownField(fields, 'merchantReference'));
    return reference === null || reference === '' ? [] : [fromDatabaseText(reference)];
  });
}

async function registersSince(trx: Knex): Promise<number | null> {
  const { rows } = await trx.raw<{ rows: { at: Date }[] }>(
    'SELECT registered_at AS at FROM orders WHERE registered_at IS NOT NULL ORDER BY registered_at LIMIT 1',
  );
  return rows[0]?.at.getTime() ?? null;
}

async function loadAlone(trx: Knex, entities: readonly EntityRef[], adoptedAt: Date): Promise<CheckedRecord[]> {
  const found: CheckedRecord[] = [];
  for (const kind of ALONE) {
    const ids = idsOf(entities, kind);
    const where = { sql: 'id = ANY (?::text[])', bindings: [idArray(ids)] };
    if (ids.length > 0) found.push(...(await selectChecked(trx, kind, where, adoptedAt)));
  }
  return found;
}

async function loadOrders(
  trx: Knex.Transaction,
  references: ReadonlySet<string>,
  adoptedAt: Date,
): Promise<CheckedOrder[]> {
  if (references.size === 0) return [];
  const { rows } = await trx.raw<{ rows: OrderRow[] }>('SELECT * FROM orders WHERE reference = ANY (?::text[])', [
    idArray(references),
  ]);
  const records = await loadOrderFacts(trx, rows, []);
  const all = [...records.values()];
  const intents = await asChecked(
    trx,
    'payment_intent',
    all.flatMap((order) => order.intents),
    adoptedAt,
  );
  const invoices = await asChecked(
    trx,
    'invoice',
    all.flatMap((order) => order.invoices),
    adoptedAt,
  );
  const similar = await similarReferences(trx, rows);
  return rows.map((row) => checkedOrder(row, records.get(row.reference) ?? noRecords, { intents, invoices, similar }));
}

async function asChecked(
  trx: Knex,
  kind: 'payment_intent' | 'invoice',
  shown: readonly ShownRecord[],
  adoptedAt: Date,
): Promise<Map<string, CheckedRecord>> {
  if (shown.length === 0) return new Map();
  const where = { sql: 'id = ANY (?::text[])', bindings: [idArray(shown.map(({ id }) => id))] };
  return new Map((await selectChecked(trx, kind, where, adoptedAt)).map((record) => [record.id, record]));
}

function checkedOrder(
  row: OrderRow,
  { intents, invoices, payins, refunds }: RecordsOfOrder,
  known: Record<'intents' | 'invoices', Map<string, CheckedRecord>> & { similar: Map<string, string[]> },
): CheckedOrder {
  return {
    reference: fromDatabaseText(row.reference),
    expected: expectedOf(row),
    intents: intents.flatMap(({ id }) => known.intents.get(id) ?? []),
    invoices: invoices.flatMap(({ id }) => known.invoices.get(id) ?? []),
    payins,
    refunds,
    status: row.status,
    releaseReason: row.release_reason,
    createdAt: row.created_at.getTime(),
    similar: known.similar.get(row.reference) ?? [],
  };
}

/** Registered references that differ from an unregistered one in upper and lower case alone. */
async function similarReferences(trx: Knex, orders: readonly OrderRow[]): Promise<Map<string, string[]>> {
  const unregistered = orders.filter((row) => row.registered_at === null).map(({ reference }) => reference);
  if (unregistered.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { reference: string; others: string[] }[] }>(
    `SELECT asked.reference, array_agg(orders.reference ORDER BY orders.reference) AS others
     FROM unnest(?::text[]) AS asked (reference)
     JOIN orders ON lower(orders.reference) = lower(asked.reference) AND orders.reference <> asked.reference
     WHERE orders.registered_at IS NOT NULL GROUP BY asked.reference`,
    [textArray(unregistered)],
  );
  return new Map(rows.map(({ reference, others }) => [reference, others.map(fromDatabaseText)]));
}
