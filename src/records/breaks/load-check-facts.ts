import type { Knex } from 'knex';
import type { CheckedOrder, CheckedRecord, CheckFacts, RefundFacts } from '../../domain/breaks/check-facts.js';
import { isLost, lostAt } from '../../domain/breaks/lost-refunds.js';
import { type PayoutWords, referenceOf } from '../../domain/family/links.js';
import type { OpenCall } from '../../domain/family/own-refunds.js';
import { ownField } from '../../domain/json.js';
import { kinds } from '../../domain/kinds/kinds.js';
import type { KytWords } from '../../domain/orders/kyt.js';
import { compareText } from '../../domain/record-state.js';
import { type EntityRef, type RecordKind, recordKinds } from '../../domain/records.js';
import { keyText } from '../database/database-text.js';
import { columnOf, rowsOf, sql, type Trx } from '../database/statements.js';
import { loadNaming, readAssigned } from '../family/around.js';
import { loadMakers } from '../family/load.js';
import { lookAlikes, sharedWithMoney } from '../family/references.js';
import { expectedOf, type OrderRow } from '../order-row.js';
import { loadNeighbours, type Neighbours } from './check-neighbours.js';
import { byId, checkedById, selectChecked } from './checked-records.js';

export interface CheckContext {
  now: Date;
  adoptedAt: Date;
  kytWords: KytWords;
  payoutWords: PayoutWords;
}

/** Everything that checks of these records and orders need, in a handful of queries. */
export async function loadCheckFacts(
  trx: Trx,
  entities: readonly EntityRef[],
  { now, adoptedAt, kytWords, payoutWords }: CheckContext,
): Promise<CheckFacts> {
  const seeds = {
    intents: idsOf(entities, 'payment_intent'),
    payins: idsOf(entities, 'payin'),
    invoices: idsOf(entities, 'invoice'),
    payouts: [...idsOf(entities, 'payout'), ...(await payoutsOfOrders(trx, idsOf(entities, 'order')))],
  };
  const changed = await loadNeighbours(trx, seeds, adoptedAt);
  const registered = await registersSince(trx);
  // Kinds that are classified by their age alone.
  const alone = (kind: 'account' | 'transaction') => checkedById(trx, kind, idsOf(entities, kind), adoptedAt);
  const references = new Set([...idsOf(entities, 'order'), ...referencesOf(changed)]);
  return {
    now: now.getTime(),
    kytWords,
    ranAt: await ranAt(trx),
    registersSince: registered,
    ...changed,
    refunds: await loadRefundFacts(trx, changed, { now, adoptedAt, words: payoutWords }),
    others: [...(await alone('account')), ...(await alone('transaction'))],
    orders: await loadOrders(trx, references, { registered, known: changed.intents, adoptedAt }),
  };
}

async function ranAt(trx: Knex): Promise<Map<RecordKind, number>> {
  const rows = await rowsOf<{ kind: string; at: Date }>(trx)`
    SELECT kind, at FROM unnest(${[...new Set(recordKinds.flatMap((kind) => kinds[kind].run ?? []))]}::text[]) AS asked (kind)
    CROSS JOIN LATERAL (SELECT started_at AS at FROM runs
      WHERE runs.kind = asked.kind AND status = 'succeeded' ORDER BY id DESC LIMIT 1) AS last`;
  const runs = new Map(rows.map(({ kind, at }) => [kind, at.getTime()]));
  return new Map(
    recordKinds.flatMap((kind) => {
      const at = runs.get(kinds[kind].run ?? '');
      return at === undefined ? [] : [[kind, at] as const];
    }),
  );
}

function idsOf(entities: readonly EntityRef[], wanted: EntityRef['kind']): string[] {
  return entities.flatMap(({ kind, id }) => (kind === wanted ? [id] : []));
}

function referencesOf({ intents, invoices }: Neighbours): string[] {
  return [...intents.values(), ...invoices.values()].flatMap(({ fields }) => {
    const reference = keyText(ownField(fields, 'merchantReference'));
    return reference === null || reference === '' ? [] : [reference];
  });
}

/** What was withdrawn since counts; an order of an older program has no version of its registration. */
async function registersSince(trx: Knex): Promise<number | null> {
  const rows = await rowsOf<{ at: Date | null }>(trx)`
    SELECT least((SELECT registered_at FROM orders WHERE registered_at IS NOT NULL ORDER BY registered_at LIMIT 1),
      (SELECT at FROM order_registrations ORDER BY at LIMIT 1)) AS at`;
  return rows[0]?.at?.getTime() ?? null;
}

/** Those that can be held against what the store registers, and none where it registers nothing. */
async function loadOrders(
  trx: Knex,
  references: ReadonlySet<string>,
  { registered, known, adoptedAt }: { registered: number | null; known: Neighbours['intents']; adoptedAt: Date },
): Promise<CheckedOrder[]> {
  if (references.size === 0 || registered === null) return [];
  const { rows, alike } = await withLookAlikes(trx, references);
  const missing = rows.flatMap((row) => row.payment_intents.filter((id) => !known.has(id)));
  const intents = new Map([...known, ...byId(await checkedById(trx, 'payment_intent', missing, adoptedAt))]);
  const unregistered = rows.filter((row) => row.registered_at === null);
  const withMoney = await sharedWithMoney(trx, unregistered);
  return rows.map((row) => ({
    reference: row.reference,
    expected: expectedOf(row),
    intents: row.payment_intents.flatMap((id) => intents.get(id) ?? []),
    status: row.status,
    releaseReason: row.release_reason,
    createdAt: row.created_at.getTime(),
    similar: (row.registered_at === null ? (alike.get(row.reference) ?? []) : [])
      .filter((other) => other.registered_at !== null)
      .map((other) => ({ reference: other.reference, status: other.status })),
    sharedMoney: withMoney.has(row.reference),
  }));
}

/**
 * The orders of these references, and the unregistered ones that look like a registered one among them: what is wrong with
 * those hangs on it. Of each of all these the look-alikes.
 */
async function withLookAlikes(
  trx: Knex,
  references: ReadonlySet<string>,
): Promise<{ rows: OrderRow[]; alike: Map<string, OrderRow[]> }> {
  const rows = await rowsOf<OrderRow>(trx)`
    SELECT * FROM orders WHERE reference = ANY (${[...references]}::text[])`;
  const alike = await lookAlikes(
    trx,
    rows.map(({ reference }) => reference),
  );
  const known = new Set(rows.map(({ reference }) => reference));
  const others = [...alike.values()].flat().filter((row) => row.registered_at === null && !known.has(row.reference));
  const further = [...new Map(others.map((row) => [row.reference, row])).values()];
  const alikeOthers = await lookAlikes(
    trx,
    further.map(({ reference }) => reference),
  );
  return { rows: [...rows, ...further], alike: new Map([...alike, ...alikeOthers]) };
}

/** Candidates of so many refunds are searched for at once, each among so many payments that came before it. */
const REFUNDS_AT_ONCE = 20;
const PAYMENTS = 500;

/** Who owns the payouts, and what those that nobody owns may give back. */
async function loadRefundFacts(
  trx: Trx,
  { payouts, focus }: Pick<Neighbours, 'payouts' | 'focus'>,
  { now, adoptedAt, words }: { now: Date; adoptedAt: Date; words: PayoutWords },
): Promise<RefundFacts> {
  const all = [...payouts.values()];
  if (all.length === 0) return { ...noRefunds, words };
  const facts = {
    words,
    naming: await loadNaming(trx, new Map(), all, []),
    assigned: await readAssigned(trx, all),
    namedThen: await readNamedThen(trx, [...focus.payouts]),
    ordered: await orderedReferences(trx, all),
    candidates: new Map<string, CheckedRecord[]>(),
    makers: new Map<string, OpenCall>(),
  };
  const lost = all.filter((payout) => focus.payouts.has(payout.id) && isLost(payout, facts));
  const due = lost.filter((payout) => lostAt(payout) <= now.getTime());
  facts.makers = await loadMakers(trx, due);
  for (const payout of due.toSorted((a, b) => compareText(a.id, b.id)).slice(0, REFUNDS_AT_ONCE))
    facts.candidates.set(payout.id, await paymentsBefore(trx, payout, adoptedAt));
  return facts;
}

const noRefunds: Omit<RefundFacts, 'words'> = {
  naming: [],
  assigned: new Map(),
  namedThen: new Map(),
  ordered: new Set(),
  candidates: new Map(),
  makers: new Map(),
};

async function readNamedThen(trx: Knex, payouts: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await rowsOf<{ payout_id: string; named: string[] }>(trx)`
    SELECT DISTINCT ON (payout_id) payout_id, named FROM refund_assignments
    WHERE payout_id = ANY (${payouts}::text[]) ORDER BY payout_id, id DESC`;
  return new Map(rows.map(({ payout_id, named }) => [payout_id, named]));
}

/** References of payouts that name an order: one that the store registered, or that has a payment or an invoice. */
async function orderedReferences(trx: Knex, payouts: readonly CheckedRecord[]): Promise<Set<string>> {
  const references = payouts.flatMap(({ fields }) => keyText(referenceOf(fields) ?? undefined) ?? []);
  if (references.length === 0) return new Set();
  return new Set(
    await columnOf<string>(trx)`
    SELECT reference FROM orders WHERE reference = ANY (${[...new Set(references)]}::text[]) AND (registered_at IS NOT NULL
      OR cardinality(payment_intents) > 0 OR cardinality(invoices) > 0 OR status = 'shared_reference')`,
  );
}

/** The newest that were made before it. */
function paymentsBefore(
  trx: Knex,
  { createdAt, firstSeenAt }: CheckedRecord,
  adoptedAt: Date,
): Promise<CheckedRecord[]> {
  const where = sql`id = ANY (ARRAY(
    SELECT id FROM payment_intents WHERE created_at <= to_timestamp(${createdAt ?? firstSeenAt} / 1000.0)
    ORDER BY created_at DESC, id DESC LIMIT ${PAYMENTS}))`;
  return selectChecked(trx, 'payment_intent', where, adoptedAt);
}

/** Payouts that carry the reference of one of the orders, and name no payment. */
async function payoutsOfOrders(trx: Knex, references: readonly string[]): Promise<string[]> {
  if (references.length === 0) return [];
  return columnOf<string>(trx)`
    SELECT id FROM payouts WHERE merchant_reference = ANY (${references}::text[]) AND payment_intent_id IS NULL`;
}
