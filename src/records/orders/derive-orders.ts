import { type Family, noFamily } from '../../domain/family/family.js';
import { namedIn } from '../../domain/family/links.js';
import { receivedOf } from '../../domain/family/money.js';
import { type Json, ownField } from '../../domain/json.js';
import { differenceOf, holdByReports } from '../../domain/orders/hold-by-reports.js';
import { factsOf, type ReleaseRules } from '../../domain/orders/order-facts.js';
import { compareText } from '../../domain/record-state.js';
import { instantText, momentOf } from '../../domain/service-time.js';
import type { NewChange } from '../changes.js';
import { arrayText } from '../database/array-parameter.js';
import { findOrLock, prepared, raw, rowsOf, run, type Trx, tableOf } from '../database/statements.js';
import type { Affected } from '../family/affected.js';
import { type FamilyRules, loadFamilies } from '../family/load.js';
import type { FamilyMembers } from '../family/lock.js';
import { skeletonKey } from '../family/references.js';
import { expectedOf, ORDER_STATE, type OrderRow, type OrderState, untouchedOrder } from '../order-row.js';
import type { MergedRecord } from '../stored-record.js';

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
  trx: Trx,
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
  trx: Trx,
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
  const received = receivedOf(intents);
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
    received_amount: received?.amount ?? null,
    received_asset: received?.currency ?? null,
    held_by_reports: reports.held,
    refuted_at: reports.refutedAt.map((at) => new Date(at)),
  };
  return { before: isNew ? null : row, after, changed: isNew || differs(row, after), records: family };
}

function isOlder(createdAt: Json | undefined, adoptedAt: Date): boolean {
  const created = momentOf(createdAt);
  return created !== null && created < adoptedAt.getTime();
}

/** Each once, whatever the order in which they were found. */
const idList = (ids: string[]): string[] => [...new Set(ids)].sort(compareText);

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
  'received_amount',
  'received_asset',
  'held_by_reports',
  'refuted_at',
] as const;

function differs(before: OrderState, after: OrderState): boolean {
  const [was, is] = [before, after].map((row) => JSON.stringify(DERIVED.map((name) => row[name])));
  return was !== is;
}

export interface TouchedOrder {
  reference: string;
  /** When the order began, as far as is known: text for a `timestamptz`; null: now. */
  since: string | null;
}

export interface LockedOrder {
  row: OrderRow;
  isNew: boolean;
}

/** Locks the orders, creating those that are missing, in one pass in the order of references. */
export async function lockOrders(trx: Trx, touched: TouchedOrder[]): Promise<Map<string, LockedOrder>> {
  if (touched.length === 0) return new Map();
  const created = await insertOrders(
    trx,
    touched.map(({ reference, since }) => ({ ...untouchedOrder(reference), since })),
  );
  const rows = await lockExisting(trx, touched);
  return new Map(rows.map((row) => [row.reference, { row, isNew: created.has(row.reference) }]));
}

/** Locks those that are there, in the order of references. */
export async function lockExisting(trx: Trx, touched: readonly TouchedOrder[]): Promise<OrderRow[]> {
  if (touched.length === 0) return [];
  return rowsOf<OrderRow>(trx)`
    SELECT * FROM orders WHERE reference = ANY (${touched.map(({ reference }) => reference)}::text[])
    ORDER BY reference FOR UPDATE`;
}

/** An order to be made. `since`: when it began, as far as is known: text for a `timestamptz`; null: now. */
type NewOrder = OrderState & { since: string | null };

/**
 * Makes those orders that are not there, and locks the others as they are, all in one pass in the order of references.
 * Returns the references of those that were made.
 */
async function insertOrders(trx: Trx, orders: readonly NewOrder[]): Promise<Set<string>> {
  const { text, values } = tableOf('new', orders, {
    ...stateColumns,
    since: 'text',
    skeleton: ['text', ({ reference }) => skeletonKey(reference)],
  });
  const { rows } = await prepared<{ rows: { reference: string }[] }>(
    trx,
    'insert orders',
    `INSERT INTO orders (reference, status, release_safe, release_reason, release_proven_at,
       payment_intents, invoices, refunds, difference_amount, difference_currency, received_amount, received_asset,
       held_by_reports, refuted_at, created_at, reference_skeleton)
     SELECT reference, status, safe, reason, to_timestamp(proven_at / 1000.0), intents::text[], invoices::text[],
       refunds::text[], difference::numeric, currency, received::numeric, asset, held, refuted::timestamptz[], coalesce(since::timestamptz, now()), skeleton
     FROM ${text} ORDER BY reference
     ON CONFLICT (reference) DO UPDATE SET reference = excluded.reference WHERE false RETURNING reference`,
    values as Buffer[],
  );
  return new Set(rows.map(({ reference }) => reference));
}

/** Writes what became of locked orders. */
async function updateOrders(trx: Trx, orders: readonly OrderState[]): Promise<void> {
  if (orders.length === 0) return;
  await run(trx)`
    UPDATE orders SET status = new.status, release_safe = new.safe, release_reason = new.reason,
      release_proven_at = to_timestamp(new.proven_at / 1000.0),
      payment_intents = new.intents::text[], invoices = new.invoices::text[], refunds = new.refunds::text[],
      difference_amount = new.difference::numeric, difference_currency = new.currency,
      received_amount = new.received::numeric, received_asset = new.asset,
      updated_at = CASE WHEN (${TOLD}) IS DISTINCT FROM (${NEWLY_TOLD}) THEN now() ELSE updated_at END,
      held_by_reports = new.held, refuted_at = new.refuted::timestamptz[]
    FROM ${tableOf('new', orders, stateColumns)} WHERE orders.reference = new.reference`;
}

/** What the feed of changes shows of an order, beside what the store registered: it is updated where that is other than before. */
const TOLD = raw(`orders.status, release_safe, release_reason, payment_intents, orders.invoices, orders.refunds,
  difference_amount, difference_currency`);
const NEWLY_TOLD =
  raw(`new.status, new.safe, new.reason, new.intents::text[], new.invoices::text[], new.refunds::text[],
  new.difference::numeric, new.currency`);

const stateColumns = {
  reference: 'text',
  status: 'text',
  safe: ['boolean', (order: OrderState) => order.release_safe],
  reason: ['text', (order: OrderState) => order.release_reason],
  proven_at: ['float8', (order: OrderState) => order.release_proven_at?.getTime() ?? null],
  intents: ['text', (order: OrderState) => arrayText(order.payment_intents)],
  invoices: ['text', (order: OrderState) => arrayText(order.invoices)],
  refunds: ['text', (order: OrderState) => arrayText(order.refunds)],
  difference: ['text', (order: OrderState) => order.difference_amount],
  currency: ['text', (order: OrderState) => order.difference_currency],
  received: ['text', (order: OrderState) => order.received_amount],
  asset: ['text', (order: OrderState) => order.received_asset],
  held: ['boolean', (order: OrderState) => order.held_by_reports],
  refuted: ['text', (order: OrderState) => arrayText(order.refuted_at.map((at) => at.toISOString()))],
} as const;

/** An event's time names a whole second. */
const SECOND_MS = 1_000;

type Cause = Pick<NewChange, 'source' | 'serviceTime'>;

/** By reference; each with the newest observation behind it. */
export type TouchedOrders = Map<string, TouchedOrder & { cause: Cause }>;

/** The orders that changed records belong to, or belonged to before. The records' links are locked. */
export function touchedOrders(members: FamilyMembers, affected: Affected): TouchedOrders {
  const touched: TouchedOrders = new Map();
  for (const record of Object.values(members).flat()) {
    for (const reference of affected.references(record)) touch(touched, reference, record);
  }
  return touched;
}

function touch(touched: TouchedOrders, reference: string, record: MergedRecord): void {
  const known = touched.get(reference);
  const cause = { source: record.cause.source, serviceTime: record.cause.at };
  touched.set(reference, {
    reference,
    since: earlier(known?.since ?? null, sinceOf(record)),
    cause: known !== undefined && (known.cause.serviceTime ?? 0) > cause.serviceTime ? known.cause : cause,
  });
}

/**
 * An order began with its first request; where only a report says so, no later than the report. One that is known by what
 * was given back is no younger than that.
 */
function sinceOf({ kind, shown: { fields, reported, observedAt } }: MergedRecord): string | null {
  if (kind === 'payout') return instantText(ownField(fields, 'createdAt'));
  if (kind !== 'payment_intent' && kind !== 'invoice') return null;
  const proven = instantText(ownField(fields, 'createdAt'));
  if (proven !== null || reported === null) return proven;
  const said = instantText(ownField(reported, 'createdAt'));
  return said !== null && Date.parse(said) <= observedAt + SECOND_MS ? said : null;
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
