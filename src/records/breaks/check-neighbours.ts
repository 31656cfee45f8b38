import type { Knex } from 'knex';
import type { CheckedRecord } from '../../domain/breaks/check-facts.js';
import { listedPayins } from '../../domain/family/links.js';
import type { JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import { raw, sql } from '../database/statements.js';
import { listingIntents } from '../family/payins.js';
import { relatedPayments } from '../family/shown-records.js';
import { byId, checkedById, selectChecked } from './checked-records.js';

/** Ids of what is to be checked, by kind. */
export interface CheckSeeds {
  intents: readonly string[];
  payins: readonly string[];
  invoices: readonly string[];
  payouts: readonly string[];
}

const belongingKinds = ['invoice', 'payin', 'payout'] as const;
type BelongingKind = (typeof belongingKinds)[number];
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
 * here: their payments, the payins and payouts of these, the invoices that one of the records to be checked is or names.
 */
export async function loadNeighbours(trx: Knex, seeds: CheckSeeds, adoptedAt: Date): Promise<Neighbours> {
  const load = { trx, adoptedAt };
  const own = byId(await checkedById(trx, 'payment_intent', seeds.intents, adoptedAt));
  const invoices = byId(await belonging(load, 'invoice', seeds.invoices, [...own.values()]));
  const payins = byId(await belonging(load, 'payin', seeds.payins, [...own.values()]));
  const payouts = byId(await belonging(load, 'payout', seeds.payouts, [...own.values()]));
  const listings = await listingIntents(trx, [...payins.keys()]);
  const intents = new Map([
    ...own,
    ...(await intentsAround(load, { invoice: invoices, payin: payins, payout: payouts })),
  ]);
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

/** The payments behind the records, and those that a payout was said to give back before. */
async function intentsAround({ trx, adoptedAt }: Load, around: Record<BelongingKind, ById>): Promise<ById> {
  const records = belongingKinds.flatMap((kind) => [...around[kind].keys()].map((id) => ({ kind, id })));
  if (records.length === 0) return new Map();
  const linked = records.flatMap(await relatedPayments(trx, records));
  const where = sql`id = ANY (${linked}::text[]) OR id = ANY (ARRAY(
    SELECT payment_intent_id FROM refund_assignments WHERE payout_id = ANY (${[...around.payout.keys()]}::text[])))`;
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

/** Those with these ids, those that the payments name or were given by a person, and those that name one of the payments. */
async function belonging(
  { trx, adoptedAt }: Load,
  kind: BelongingKind,
  ids: Iterable<string>,
  intents: readonly CheckedRecord[],
): Promise<CheckedRecord[]> {
  const wanted = [...ids, ...intents.flatMap(({ fields }) => namedBelongings[kind](fields))];
  if (wanted.length + intents.length === 0) return [];
  const own = intents.map(({ id }) => id);
  // An array, so that indexes answer the whole condition.
  const assigned = sql`OR id = ANY (ARRAY(
    SELECT payout_id FROM refund_assignments WHERE payment_intent_id = ANY (${own}::text[])))`;
  const where = sql`id = ANY (${wanted}::text[]) OR payment_intent_id = ANY (${own}::text[])
    ${kind === 'payout' ? assigned : raw('')}`;
  return selectChecked(trx, kind, where, adoptedAt);
}

const namedBelongings = {
  invoice: (fields: JsonObject) => textField(fields, 'invoiceId') ?? [],
  payin: listedPayins,
  payout: (fields: JsonObject) => textField(fields, 'irregularRefundPayoutId') ?? [],
} as const;
