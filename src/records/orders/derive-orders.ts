import type { Knex } from 'knex';
import { type Family, noFamily } from '../../domain/family/family.js';
import { namedIn } from '../../domain/family/links.js';
import type { Json } from '../../domain/json.js';
import { differenceOf, holdByReports } from '../../domain/orders/hold-by-reports.js';
import { factsOf, type ReleaseRules } from '../../domain/orders/order-facts.js';
import { compareText } from '../../domain/record-state.js';
import { instantMs } from '../database/database-text.js';
import { findOrLock } from '../database/statements.js';
import { type FamilyRules, loadFamilies } from '../family/load.js';
import { expectedOf, ORDER_STATE, type OrderState, untouchedOrder } from '../order-row.js';
import type { MergedRecord } from '../stored-record.js';
import { insertOrders, lockExisting, type NewOrder, type TouchedOrder, updateOrders } from './order-rows.js';

/** What a release hangs on beside the records. */
export interface OrderRules extends FamilyRules, ReleaseRules {
  /** Records older than this are history. */
  adoptedAt: Date;
  /** Left out: this moment. */
  now?: Date;
}

/** What became of an order. `before` is null where it was not known before. */
export interface DerivedRow {
  before: OrderState | null;
  after: OrderState;
  /** The row is other than before, or new. What is wrong with an order may change without that. */
  changed: boolean;
  records: Family;
}

/**
 * Derives the orders from their records as they stand now, each locked, and writes those that are other than before. One
 * that is not there is derived first and made as it is to be; where somebody else made it meanwhile, it is derived again:
 * whoever saves a record of an order locks it.
 */
export async function deriveOrders(
  trx: Knex.Transaction,
  touched: TouchedOrder[],
  inHand: MergedRecord[],
  rules: OrderRules,
): Promise<DerivedRow[]> {
  if (touched.length === 0) return [];
  const keys = touched.map(({ reference }) => reference);
  const found = await findOrLock<OrderState>(trx, { table: 'orders', key: 'reference', columns: ORDER_STATE }, keys);
  const existing = new Set(found.existing);
  const missing = touched.filter(({ reference }) => !existing.has(reference));
  const derive = (orders: OrderState[], isNew: boolean) => deriveEach(trx, orders, isNew, inHand, rules);
  const fresh = await derive(
    missing.map(({ reference }) => untouchedOrder(reference)),
    true,
  );
  const made = missing.length === 0 ? new Set<string>() : await insertOrders(trx, newOrders(touched, fresh));
  const others = touched.filter(({ reference }) => !made.has(reference));
  const known = await derive(found.rows ?? (await lockExisting(trx, others)), false);
  await updateOrders(
    trx,
    known.flatMap(({ changed, after }) => (changed ? [after] : [])),
  );
  return [...fresh.filter(({ after }) => made.has(after.reference)), ...known];
}

/** As they are to be made; those that are there are only locked. */
function newOrders(touched: readonly TouchedOrder[], fresh: readonly DerivedRow[]): NewOrder[] {
  const derived = new Map(fresh.map(({ after }) => [after.reference, after]));
  return touched.map(({ reference, since }) => ({ ...(derived.get(reference) ?? untouchedOrder(reference)), since }));
}

async function deriveEach(
  trx: Knex.Transaction,
  orders: OrderState[],
  isNew: boolean,
  inHand: MergedRecord[],
  rules: OrderRules,
): Promise<DerivedRow[]> {
  if (orders.length === 0) return [];
  const families = await loadFamilies(trx, orders, inHand, rules);
  return orders.map((order) => derive(order, isNew, families.get(order.reference) ?? noFamily, rules));
}

function derive(row: OrderState, isNew: boolean, family: Family, rules: OrderRules): DerivedRow {
  const { kytWords, requiresRegistration, adoptedAt, now = new Date() } = rules;
  const { intents, invoices, refundIds, unlinked } = family;
  const given = factsOf(family, {
    reference: row.reference,
    expected: expectedOf(row),
    history: new Set(intents.flatMap((intent) => (isOlder(intent.fields['createdAt'], adoptedAt) ? [intent.id] : []))),
    kytWords,
    requiresRegistration,
  });
  const before = { held: row.held_by_reports, refutedAt: row.refuted_at.map((at) => at.getTime()) };
  const { status, release, reports } = holdByReports(given, before, now.getTime());
  const difference = differenceOf(status, given);
  // What too many share is none of them's order; whoever carries it is found by the reference.
  const isShared = status === 'shared_reference';
  const named = intents.flatMap(({ fields }) => namedIn('payment_intent', fields, 'invoice'));
  // One by one: spreading as many fields takes longer than all of the law.
  const after: OrderState = {
    reference: row.reference,
    expected_amount: row.expected_amount,
    expected_currency: row.expected_currency,
    registered_at: row.registered_at,
    status,
    payment_intents: isShared ? [] : intents.map(({ id }) => id),
    invoices: isShared ? [] : idList([...invoices.map(({ id }) => id), ...named]),
    refunds: isShared ? [] : idList([...refundIds, ...unlinked.map(({ id }) => id)]),
    release_safe: release.safe,
    release_reason: release.reason,
    release_proven_at: release.provenAt === null ? null : new Date(release.provenAt),
    difference_amount: difference?.amount ?? null,
    difference_currency: difference?.currency ?? null,
    held_by_reports: reports.held,
    refuted_at: reports.refutedAt.map((at) => new Date(at)),
  };
  return { before: isNew ? null : row, after, changed: isNew || differs(row, after), records: family };
}

function isOlder(createdAt: Json | undefined, adoptedAt: Date): boolean {
  const created = instantMs(createdAt);
  return created !== null && created < adoptedAt.getTime();
}

/** Each once, whatever the order in which they were found. */
function idList(ids: string[]): string[] {
  return [...new Set(ids)].sort(compareText);
}

const DERIVED = [
  'status',
  'payment_intents',
  'invoices',
  'refunds',
  'release_safe',
  'release_reason',
  'release_proven_at',
  'difference_amount',
  'difference_currency',
  'held_by_reports',
  'refuted_at',
] as const;

function differs(before: OrderState, after: OrderState): boolean {
  const [was, is] = [before, after].map((row) => JSON.stringify(DERIVED.map((name) => row[name])));
  return was !== is;
}
