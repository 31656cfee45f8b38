import type { Knex } from 'knex';
import type { CheckedRecord } from '../../domain/checks/check-facts.js';
import { listedPayins } from '../../domain/family/links.js';
import type { JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import { fromDatabaseText } from '../database/database-text.js';
import { byId, idArray, selectChecked } from './checked-records.js';

/** Ids of what is to be checked, by kind. */
export interface CheckSeeds {
  intents: readonly string[];
  payins: readonly string[];
  invoices: readonly string[];
  payouts: readonly string[];
}

type ById = Map<string, CheckedRecord>;

export interface Neighbours {
  intents: ById;
  payins: ById;
  invoices: ById;
  payouts: ById;
  listings: Map<string, string[]>;
  focus: Record<'intents' | 'payins' | 'invoices' | 'payouts', Set<string>>;
}

/**
 * The records to be checked and all that belongs to them. In focus are those of which everything that belongs to them is
 * here: their payments, the deposits and payouts of these, the invoices that one of the records to be checked is or names.
 */
export async function loadNeighbours(trx: Knex, seeds: CheckSeeds, adoptedAt: Date): Promise<Neighbours> {
  const load = { trx, adoptedAt };
  const own = await intentsById(load, seeds.intents);
  const invoices = byId(await belonging(load, 'invoice', seeds.invoices, [...own.values()]));
  const payins = byId(await belonging(load, 'payin', seeds.payins, [...own.values()]));
  const payouts = byId(await belonging(load, 'payout', seeds.payouts, [...own.values()]));
  const listings = await loadListings(trx, payins.keys());
  const named = [
    ...namedBy([...invoices.values(), ...payins.values(), ...payouts.values()], 'paymentIntentId'),
    ...[...listings.values()].flat(),
  ];
  const intents = new Map([...own, ...(await intentsAround(load, named, invoices, payouts))]);
  const focus = {
    intents: new Set(intents.keys()),
    payins: new Set(payins.keys()),
    invoices: new Set(invoices.keys()),
    payouts: new Set(payouts.keys()),
  };
  const others = [...intents.values()].filter(({ id }) => !own.has(id));
  await addMissing(load, others, { invoices, payins, payouts });
  return { intents, payins, invoices, payouts, listings, focus };
}

interface Load {
  trx: Knex;
  adoptedAt: Date;
}

async function intentsById({ trx, adoptedAt }: Load, ids: Iterable<string>): Promise<ById> {
  const wanted = [...ids];
  if (wanted.length === 0) return new Map();
  const where = { sql: 'id = ANY (?::text[])', bindings: [idArray(wanted)] };
  return byId(await selectChecked(trx, 'payment_intent', where, adoptedAt));
}

async function intentsAround(
  { trx, adoptedAt }: Load,
  ids: readonly string[],
  invoices: ById,
  payouts: ById,
): Promise<ById> {
  if (ids.length + invoices.size + payouts.size === 0) return new Map();
  const where = {
    sql: `id = ANY (?::text[]) OR invoice_id = ANY (?::text[]) OR irregular_refund_payout_id = ANY (?::text[])
      OR id = ANY (ARRAY(SELECT payment_intent_id FROM refund_assignments WHERE payout_id = ANY (?::text[])))`,
    bindings: [idArray(ids), idArray(invoices.keys()), idArray(payouts.keys()), idArray(payouts.keys())],
  };
  return byId(await selectChecked(trx, 'payment_intent', where, adoptedAt));
}

async function addMissing(
  load: Load,
  intents: readonly CheckedRecord[],
  known: Pick<Neighbours, 'invoices' | 'payins' | 'payouts'>,
): Promise<void> {
  if (intents.length === 0) return;
  const found = [
    [known.invoices, await belonging(load, 'invoice', [], intents)],
    [known.payins, await belonging(load, 'payin', [], intents)],
    [known.payouts, await belonging(load, 'payout', [], intents)],
  ] as const;
  for (const [map, records] of found) for (const record of records) if (!map.has(record.id)) map.set(record.id, record);
}

/** An array, so that indexes answer the whole condition. */
const ASSIGNED =
  'OR id = ANY (ARRAY(SELECT payout_id FROM refund_assignments WHERE payment_intent_id = ANY (?::text[])))';

/** Those with these ids, those that the payments name or were given by a person, and those that name one of the payments. */
async function belonging(
  { trx, adoptedAt }: Load,
  kind: 'invoice' | 'payin' | 'payout',
  ids: Iterable<string>,
  intents: readonly CheckedRecord[],
): Promise<CheckedRecord[]> {
  const wanted = [...ids, ...intents.flatMap(({ fields }) => namedBelongings[kind](fields))];
  if (wanted.length + intents.length === 0) return [];
  const own = idArray(intents.map(({ id }) => id));
  const where = {
    sql: `id = ANY (?::text[]) OR payment_intent_id = ANY (?::text[]) ${kind === 'payout' ? ASSIGNED : ''}`,
    bindings: [idArray(wanted), ...(kind === 'payout' ? [own, own] : [own])],
  };
  return selectChecked(trx, kind, where, adoptedAt);
}

const namedBelongings = {
  invoice: (fields: JsonObject) => textField(fields, 'invoiceId') ?? [],
  payin: listedPayins,
  payout: (fields: JsonObject) => textField(fields, 'irregularRefundPayoutId') ?? [],
} as const;

async function loadListings(trx: Knex, payins: Iterable<string>): Promise<Map<string, string[]>> {
  const wanted = [...payins];
  if (wanted.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { payin_id: string; intents: string[] }[] }>(
    `SELECT payin_id, array_agg(intent_id ORDER BY intent_id) AS intents FROM payin_listings
     WHERE payin_id = ANY (?::text[]) GROUP BY payin_id`,
    [idArray(wanted)],
  );
  return new Map(rows.map((row) => [fromDatabaseText(row.payin_id), row.intents.map(fromDatabaseText)]));
}

function namedBy(records: readonly CheckedRecord[], field: string): string[] {
  return records.flatMap(({ fields }) => textField(fields, field) ?? []);
}
