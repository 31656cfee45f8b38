import type { Knex } from 'knex';
import { defaultPayoutWords } from '../../domain/family/links.js';
import type { OpenCall } from '../../domain/family/own-refunds.js';
import type { JsonObject } from '../../domain/json.js';
import type { ReleaseRules } from '../../domain/orders/order-facts.js';
import type { EntityRef, RecordKind } from '../../domain/records.js';
import type { OrderDetail } from '../../domain/views/order-shapes.js';
import type { BreakView, Change } from '../../domain/views/proof-shapes.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { openBreaksOf } from '../breaks/list-breaks.js';
import { openCalls } from '../calls/list-calls.js';
import { changesOf } from '../changes.js';
import { isRowId } from '../database/paging.js';
import { rowsOf } from '../database/statements.js';
import { secretsPassedOver, undecidedRefunds } from '../family/reported-refunds.js';
import { getRecord, listRecords } from '../rows.js';
import { type OpenRefund, openRefundsAmong } from './list-open-refunds.js';
import { getOrder } from './orders.js';

/** Of what webhooks alone say: a forger may say much. */
const MOST_REPORTED = 20;
/** An event's time names a whole second. */
const SECOND_MS = 1_000;

/** A change, and what is known of the event or run behind it. */
export type TimelineEntry = Change & { because: SourceDetail | null };

/** One order with all that made it what it is. */
export interface OrderDetails {
  order: OrderDetail;
  paymentIntents: RecordView[];
  payins: RecordView[];
  /** As far as they are known: an order may name one that was not read yet. */
  invoices: RecordView[];
  refunds: RecordView[];
  /** Of the refunds those that no payment owns, and that hold the order whole. */
  unlinked: Omit<OpenRefund, 'orders'>[];
  /** Refunds of its payments that we asked for, and of which the records don't know what came. */
  openCalls: OpenCall[];
  /** What webhooks alone tie to the order, the newest first: payments that they call paid, payouts that they call refunds. */
  reported: {
    paymentIntents: RecordView[];
    refunds: (RecordView & { said: SaidOf })[];
    /** Secrets under which so many refunds of it were denied lately that what comes under them holds it no more. */
    passedOver: { secret: string; denied: number }[];
  };
  /** Every change of the order and of its records, oldest first, each with its source. */
  timeline: TimelineEntry[];
  /** Open or acknowledged, of the order or of one of its records. */
  breaks: BreakView[];
}

/** The payment's id, or the order's reference, and the newest webhook that says so, by its event. */
interface SaidOf extends JsonObject {
  of: 'payment' | 'order';
  name: string;
  by: string;
  at: string;
}

/** Null when there is no such order. */
export async function orderDetails(
  db: Knex,
  reference: string,
  { payoutWords = defaultPayoutWords }: Pick<ReleaseRules, 'payoutWords'> = {},
): Promise<OrderDetails | null> {
  const order = await getOrder(db, reference);
  if (!order) return null;
  const paymentIntents = await recordsOf(db, 'payment_intent', order.paymentIntents);
  const payins = await payinsOf(db, paymentIntents);
  const invoices = await recordsOf(db, 'invoice', order.invoices);
  const refunds = await recordsOf(db, 'payout', order.refunds);
  const reported = await reportedOf(db, order);
  const open = await openRefundsAmong(db, payoutWords, order.refunds);
  const unlinked = open.filter(({ why }) => why !== 'reported');
  const calls = await openCalls(db, { paymentIntents: order.paymentIntents });
  const entities: EntityRef[] = [
    { kind: 'order', id: reference },
    ...refs('payment_intent', reported.paymentIntents),
    ...refs('payout', reported.refunds),
    ...refs('payment_intent', paymentIntents),
    ...refs('payin', payins),
    ...refs('invoice', invoices),
    ...refs('payout', refunds),
  ];
  const changes: Change[] = [];
  for (const entity of entities) changes.push(...(await changesOf(db, entity)));
  const timeline = await timelineOf(db, changes);
  const breaks = await openBreaksOf(db, entities);
  return { order, paymentIntents, payins, invoices, refunds, unlinked, openCalls: calls, reported, timeline, breaks };
}

async function reportedOf(
  db: Knex,
  { reference, paymentIntents, refunds }: OrderDetail,
): Promise<OrderDetails['reported']> {
  const payments: string[] = await db('payment_intents')
    .where({ reported_reference: reference, reported_paid: true, known: false, absent_since: null })
    .orderBy('observed_at', 'desc')
    .limit(MOST_REPORTED)
    .pluck('id');
  const about = { orders: [reference], payments: paymentIntents };
  const said = await undecidedRefunds(db, about);
  const newest = new Map<string, SaidOf>();
  for (const { payout, of, name, by, until } of said)
    if (!newest.has(payout))
      newest.set(payout, { of, name, by, at: new Date(until - (until % SECOND_MS)).toISOString() });
  const others = [...newest.keys()].filter((id) => !refunds.includes(id)).slice(0, MOST_REPORTED);
  const payouts = await recordsOf(db, 'payout', others);
  return {
    paymentIntents: await recordsOf(db, 'payment_intent', payments),
    passedOver: await secretsPassedOver(db, about),
    refunds: payouts.flatMap((record) => {
      const one = newest.get(record.id);
      return one === undefined ? [] : [{ ...record, said: one }];
    }),
  };
}

/** Those that the payments list, and those that name one of them. */
async function payinsOf(db: Knex, intents: readonly RecordView[]): Promise<RecordView[]> {
  const listed = await recordsOf(db, 'payin', intents.flatMap(payinIds));
  const naming: RecordView[] = [];
  for (const { id } of intents) {
    const page = await listRecords(db, 'payin', { filters: { paymentIntentId: id } });
    naming.push(...page.items);
  }
  return [...new Map([...listed, ...naming].map((payin) => [payin.id, payin])).values()];
}

async function recordsOf(db: Knex, kind: RecordKind, ids: readonly string[]): Promise<RecordView[]> {
  const found: RecordView[] = [];
  for (const id of new Set(ids)) {
    const record = await getRecord(db, kind, id);
    if (record !== null) found.push(record);
  }
  return found;
}

const refs = (kind: RecordKind, records: readonly RecordView[]): EntityRef[] => records.map(({ id }) => ({ kind, id }));

function payinIds({ payins }: RecordView): string[] {
  return (Array.isArray(payins) ? payins : []).flatMap((summary: unknown) => {
    const id = typeof summary === 'object' && summary !== null && 'id' in summary ? summary.id : null;
    return typeof id === 'string' ? [id] : [];
  });
}

/** The event or the run behind an observation. `at`: when it came in, or began; ISO 8601 UTC. */
export interface SourceDetail {
  /** The event's type, or the kind of the run. */
  name: string;
  at: string;
}

type Source = Change['source'];

/**
 * In the order in which they were saved, each with the stored event or run behind it; null where that has no row (any more).
 * `changedAt` is when the transaction began: what one that waited for another wrote may be earlier than the change before it.
 */
export async function timelineOf<One extends Change>(
  db: Knex,
  changes: readonly One[],
): Promise<(One & { because: SourceDetail | null })[]> {
  const idsOf = (isWanted: (source: Source) => boolean): string[] => [
    ...new Set(changes.flatMap(({ source }) => (isWanted(source) && isRowId(source.ref) ? [source.ref] : []))),
  ];
  const found = await rowsOf<{ is_event: boolean; id: string; name: string; at: Date }>(db)`
    SELECT true AS is_event, id, event_type AS name, received_at AS at FROM inbox WHERE id = ANY (${idsOf(isEvent)}::bigint[])
    UNION ALL SELECT false, id, kind, started_at FROM runs WHERE id = ANY (${idsOf(isPoll)}::bigint[])`;
  const details = new Map(
    found.map(({ is_event, id, name, at }) => [`${is_event} ${id}`, { name, at: at.toISOString() }]),
  );
  return changes
    .map((change) => {
      const isKnown = isEvent(change.source) || isPoll(change.source);
      return { ...change, because: (isKnown && details.get(`${isEvent(change.source)} ${change.source.ref}`)) || null };
    })
    .sort((a, b) => Number(BigInt(a.seq) - BigInt(b.seq)));
}

const isEvent = ({ type }: Source): boolean => type === 'webhook' || type === 'delivery_history';

const isPoll = ({ type }: Source): boolean => type === 'poll';
