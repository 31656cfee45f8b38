import type { Knex } from 'knex';
import { mayHaveLeft } from '../../domain/family/family.js';
import {
  isUnlinkedRefund,
  ownerOfRefund,
  type PayoutWords,
  payoutClass,
  referenceOf,
  type ShownRecord,
} from '../../domain/family/links.js';
import type { OpenCall } from '../../domain/family/own-refunds.js';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import { atMicroseconds, cut, microseconds, type Page, type PageQuery, takeOf, timeKeyOf } from '../database/paging.js';
import { raw, rowsOf } from '../database/statements.js';
import { loadNaming, readAssigned } from '../family/around.js';
import { loadMakers } from '../family/load.js';
import { undecidedRefunds } from '../family/reported-refunds.js';
import { relatedOrders, type ShownRow, STANDING, shownRecord } from '../family/shown-records.js';

/** A payout that may give money back, and that no payment owns. */
export interface OpenRefund {
  id: string;
  /**
   * A refund by its type; of a type that nobody has classed, or of none; one that a call of our own with an unknown outcome may have made; or
   * only webhooks say whose it is.
   */
  why: 'refund' | 'unknown_type' | 'own_call' | 'reported';
  /** That call: settling it says whether it made the payout. Null: none. */
  call: { operation: string; key: string; paymentIntentId: string; undecided: boolean } | null;
  payoutType: string | null;
  status: string | null;
  amount: string | null;
  assetCode: string | null;
  merchantReference: string | null;
  /** The payment that webhooks say it is of. */
  reportedPaymentIntentId: string | null;
  /** References of the orders that it concerns. */
  orders: string[];
  firstSeenAt: string;
}

interface Row extends Omit<ShownRow, 'kind'> {
  reported: string | null;
  seen: string;
  first_seen_at: Date;
}

const AT_ONCE = 500;
const SELECT = `SELECT ${STANDING}, shown, reported, false AS says_paid,
  first_seen_at, ${microseconds('first_seen_at')} AS seen FROM payouts`;

/** Newest first, paged by key: what holds orders until a person says whose refund it is. @throws {CursorError} */
export async function listOpenRefunds(db: Knex, words: PayoutWords, query: PageQuery): Promise<Page<OpenRefund>> {
  const take = takeOf(query);
  const [seen = null, id = ''] = timeKeyOf(query, 2) ?? [];
  const found: { row: Row; refund: Omit<OpenRefund, 'orders'> }[] = [];
  let after: { seen: string | null; id: string } | null = { seen, id };
  while (after !== null && found.length <= take) {
    const rows: Row[] = await readRows(db, words, after);
    const open = await openAmong(db, rows, words);
    found.push(...open);
    const last: Row | undefined = rows.length < AT_ONCE ? undefined : rows.at(-1);
    after = last === undefined ? null : { seen: last.seen, id: last.id };
  }
  const { items, nextCursor } = cut(found, take, ({ row }) => [row.seen, row.id]);
  const orders = await ordersOfPayouts(
    db,
    items.map(({ refund }) => refund.id),
  );
  return { items: items.map(({ refund }) => ({ ...refund, orders: orders.get(refund.id) ?? [] })), nextCursor };
}

/** Of some payouts those that may give money back and that no payment owns. */
export async function openRefundsAmong(
  db: Knex,
  words: PayoutWords,
  ids: readonly string[],
): Promise<Omit<OpenRefund, 'orders'>[]> {
  const rows = await rowsOf<Row>(db)`${raw(SELECT)} WHERE id = ANY (${ids}::text[]) ORDER BY id`;
  return (await openAmong(db, rows, words)).map(({ refund }) => refund);
}

/** Without those that can't be one: what links them is read of their records. */
async function readRows(
  db: Knex,
  { withdrawal, internal, settlement }: PayoutWords,
  { seen, id }: { seen: string | null; id: string },
): Promise<Row[]> {
  return rowsOf<Row>(db)`
    ${raw(SELECT)}
    WHERE ((known AND (payout_type IS NULL OR lower(payout_type) <> ALL (${[...withdrawal, ...internal, ...settlement]}::text[])))
        OR EXISTS (SELECT FROM said_refunds WHERE payout_id = payouts.id AND NOT not_sent))
      AND (CAST(${seen} AS bigint) IS NULL OR
        (first_seen_at, id) < (${atMicroseconds(seen)}, ${id}))
    ORDER BY first_seen_at DESC, id DESC LIMIT ${raw(AT_ONCE)}`;
}

async function openAmong(db: Knex, rows: readonly Row[], words: PayoutWords) {
  const payouts = rows.map(shownRecord);
  if (payouts.length === 0) return [];
  const naming = await loadNaming(db, new Map(), payouts, []);
  const assigned = await readAssigned(db, payouts);
  const unlinked = payouts.filter(
    (payout) =>
      payout.unknown !== true &&
      !assigned.has(payout.id) &&
      ownerOfRefund(payout, naming, words, assigned).payment === null &&
      mayHaveLeft(payout) &&
      isUnlinkedRefund(payout, words),
  );
  const whys = new Map(unlinked.map((payout) => [payout.id, whyOf(payout, words)]));
  for (const { payout } of await undecidedRefunds(db, { payouts: payouts.map(({ id }) => id) }))
    if (!whys.has(payout)) whys.set(payout, 'reported');
  const makers = await loadMakers(db, unlinked);
  return payouts.flatMap(({ id, fields, unknown }, place) => {
    const [row, why] = [rows[place], whys.get(id)];
    if (row === undefined || why === undefined) return [];
    const reported = row.reported === null ? {} : objectFromJsonText(row.reported);
    const call = makers.get(id) ?? null;
    const about = described(unknown === true ? reported : fields, reported, row);
    return [{ row, refund: { id, why: call === null ? why : 'own_call', call: shortOf(call), ...about } as const }];
  });
}

function whyOf({ fields }: ShownRecord, words: PayoutWords): OpenRefund['why'] {
  return payoutClass(fields, words) === 'refund' ? 'refund' : 'unknown_type';
}

function shortOf(call: OpenCall | null): OpenRefund['call'] {
  if (call === null) return null;
  const { operation, key, paymentIntentId, undecided } = call;
  return { operation, key, paymentIntentId, undecided };
}

function described(fields: JsonObject, reported: JsonObject, { first_seen_at }: Row) {
  return {
    payoutType: textField(fields, 'payoutType'),
    status: textField(fields, 'status'),
    amount: textField(fields, 'amount'),
    assetCode: textField(fields, 'assetCode'),
    merchantReference: referenceOf(fields),
    reportedPaymentIntentId: textField(reported, 'paymentIntentId'),
    firstSeenAt: first_seen_at.toISOString(),
  };
}

/**
 * References of the orders that payouts concern, by the payout's id: those of the payments that own or name them, or that
 * reports say they are of as long as nothing has decided on that, and those whose reference they carry.
 */
export async function ordersOfPayouts(db: Knex, ids: readonly string[]): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const said = await undecidedRefunds(db, { payouts: ids });
  const named = (wanted: 'order' | 'payment') => said.flatMap(({ of, name }) => (of === wanted ? [name] : []));
  const carried = await rowsOf<{ id: string; reference: string }>(db)`
    SELECT payouts.id, reference FROM payouts JOIN orders ON reference = merchant_reference
    WHERE payouts.id = ANY (${ids}::text[])`;
  const orders = new Set(await db('orders').whereIn('reference', named('order')).pluck('reference'));
  const related = await relatedOrders(db, 'payout', ids);
  const saidOf = await relatedOrders(db, 'payment_intent', named('payment'));
  const found = new Map(ids.map((id) => [id, new Set(related.get(id))]));
  for (const { id, reference } of carried) found.get(id)?.add(reference);
  for (const { payout, of, name } of said) {
    const references = of === 'payment' ? (saidOf.get(name) ?? []) : orders.has(name) ? [name] : [];
    for (const reference of references) found.get(payout)?.add(reference);
  }
  return new Map([...found].map(([id, references]) => [id, [...references].sort()]));
}
