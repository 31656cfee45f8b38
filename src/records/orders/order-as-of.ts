import type { Knex } from 'knex';
import { listedPayins } from '../../domain/family/links.js';
import type { Json, JsonObject } from '../../domain/json.js';
import type { OrderStatus } from '../../domain/orders/order.js';
import type { ReleaseReason } from '../../domain/orders/reason-words.js';
import { type EntityRef, type RecordKind, recordRules, textField } from '../../domain/records.js';
import type { OrderAsOfAnswer, OrderDetail, RecordAsOf } from '../../domain/views/order-shapes.js';
import type { Change } from '../../domain/views/proof-shapes.js';
import { ASSIGNED, changesOf, REPORTED } from '../changes.js';
import { rowOf, type Trx } from '../database/statements.js';
import { listRecords } from '../rows.js';
import { type TimelineEntry, timelineOf } from './order-details.js';
import { getOrder } from './orders.js';

/** Of an order and its records what was known at a time; personal fields are digests. */
export interface OrderAsOf extends Pick<OrderAsOfAnswer, 'reference' | 'asOf' | 'toldLater'> {
  order: Pick<OrderAsOfAnswer, 'expected' | 'paymentIntents' | 'invoices' | 'refunds' | 'release'> & {
    status: OrderStatus | null;
  };
  paymentIntents: RecordAsOf[];
  payins: RecordAsOf[];
  invoices: RecordAsOf[];
  refunds: RecordAsOf[];
  timeline: TimelineEntry[];
}

export type OrderAsOfResult =
  | { outcome: 'known'; details: OrderAsOf }
  /** It was first known later; at what time. */
  | { outcome: 'not_yet_known'; firstKnownAt: string }
  | { outcome: 'not_found' };

/**
 * An order as it was known at a time, or where that is yet to come as it is known now: by the time at which we came to know, not by that at which things happened at the service. Read
 * from the history of changes, in one moment of the database.
 */
export async function orderAsOf(db: Knex, reference: string, asOf: Date): Promise<OrderAsOfResult> {
  return db.transaction(async (trx) => readOrder(trx, reference, await noLaterThanNow(trx, asOf)), {
    isolationLevel: 'repeatable read',
    readOnly: true,
  });
}

async function noLaterThanNow(trx: Trx, asOf: Date): Promise<Date> {
  const { now } = await rowOf<{ now: Date }>(trx)`SELECT clock_timestamp() AS now`;
  return asOf > now ? now : asOf;
}

async function readOrder(trx: Trx, reference: string, asOf: Date): Promise<OrderAsOfResult> {
  const now = await getOrder(trx, reference);
  if (now === null) return { outcome: 'not_found' };
  const own = await changesUntil(trx, { kind: 'order', id: reference }, asOf);
  if (own.known.length === 0)
    return { outcome: 'not_yet_known', firstKnownAt: own.later[0]?.changedAt ?? now.createdAt };
  const order = foldOrder(now, own, asOf);
  const reader = createReader(trx, asOf);
  const paymentIntents = await reader.read('payment_intent', order.paymentIntents);
  const payins = await reader.read('payin', await payinsOf(trx, paymentIntents));
  const invoices = await reader.read('invoice', order.invoices);
  const refunds = await reader.read('payout', order.refunds);
  const timeline = await timelineOf(trx, [...own.known, ...reader.known]);
  const records = { paymentIntents, payins, invoices, refunds };
  const toldLater = laterOf([...own.later, ...reader.later], asOf);
  return { outcome: 'known', details: { reference, asOf: asOf.toISOString(), order, ...records, timeline, toldLater } };
}

type History = Awaited<ReturnType<typeof changesUntil>>;

/** What a list was is what it is now, without what came since and with what left. */
function foldOrder(now: OrderDetail, { known, later }: History, asOf: Date): OrderAsOf['order'] {
  const before = (field: string, list: readonly string[]): string[] => {
    let ids = [...list];
    for (const change of [...later].reverse()) {
      if (change.field !== field) continue;
      const came = new Set(texts(change.to));
      ids = [...ids.filter((id) => !came.has(id)), ...texts(change.from)];
    }
    return ids.sort();
  };
  const last = (field: string): Json => known.findLast((change) => change.field === field)?.to ?? null;
  const release = last('release') as { safe?: boolean; reason?: ReleaseReason } | null;
  return {
    status: last('status') as OrderStatus | null,
    expected: expectedThen(now, { known, later }, asOf),
    paymentIntents: before('paymentIntents', now.paymentIntents),
    invoices: before('invoices', now.invoices),
    refunds: before('refunds', now.refunds),
    release: { safe: release?.safe === true, reason: release?.reason ?? 'unknown' },
  };
}

/** Orders of an older version show their first registration by its time alone. */
function expectedThen(now: OrderDetail, { known, later }: History, asOf: Date): OrderDetail['expected'] {
  const isOne = ({ field }: KnownChange): boolean => field === 'expected';
  const last = known.findLast(isOne);
  if (last !== undefined) return last.to as OrderDetail['expected'];
  const next = later.find(isOne);
  if (next !== undefined) return next.from as OrderDetail['expected'];
  return now.registeredAt !== null && Date.parse(now.registeredAt) <= asOf.getTime() ? now.expected : null;
}

function createReader(trx: Trx, asOf: Date) {
  const known: KnownChange[] = [];
  const later: KnownChange[] = [];
  const read = async (kind: RecordKind, ids: readonly string[]): Promise<RecordAsOf[]> => {
    const records: RecordAsOf[] = [];
    for (const id of new Set(ids)) {
      const history = await changesUntil(trx, { kind, id }, asOf);
      known.push(...history.known);
      later.push(...history.later);
      const record = foldRecord({ kind, id }, history.known);
      if (record !== null) records.push(record);
    }
    return records;
  };
  return { read, known, later };
}

function foldRecord({ kind, id }: EntityRef & { kind: RecordKind }, known: readonly KnownChange[]): RecordAsOf | null {
  const newest = known.findLast((change) => saysState(kind, change)) ?? known.at(-1);
  if (newest === undefined) return null;
  let fields: JsonObject = {};
  const flags = { verified: false, absent: false };
  for (const { field, to, isSet } of known) {
    if (field === '*') {
      const { verified, ...whole } = to as JsonObject;
      fields = whole;
      flags.verified = verified === true;
    } else if (field === REPORTED || field === ASSIGNED) continue;
    else if (field === 'verified' || field === 'absent') flags[field] = to === true;
    else if (isSet) fields = { ...fields, [field]: to };
    else fields = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field));
  }
  return { kind, id, ...flags, knownAt: newest.changedAt, knownBy: newest.source, fields };
}

/** It says the state that the record has from then on: what changed it, or showed it once more, or that the record is gone. */
function saysState(kind: RecordKind, { field, to }: KnownChange): boolean {
  if (field === 'verified' || field === 'absent') return to === true;
  return field === '*' || field === recordRules[kind].main.field;
}

/** Those that the payments listed then, and those that name one of them: what was not known then has no history to show. */
async function payinsOf(trx: Trx, intents: readonly RecordAsOf[]): Promise<string[]> {
  const ids = intents.flatMap(({ fields }) => listedPayins(fields));
  for (const { id } of intents) {
    const { items } = await listRecords(trx, 'payin', { filters: { paymentIntentId: id } });
    ids.push(
      ...items.filter((payin) => textField(payin as JsonObject, 'paymentIntentId') === id).map((payin) => payin.id),
    );
  }
  return ids;
}

function laterOf(later: readonly KnownChange[], asOf: Date): OrderAsOf['toldLater'] {
  const said = later.filter(({ serviceTime }) => serviceTime !== null && Date.parse(serviceTime) <= asOf.getTime());
  const first = said.map(({ changedAt }) => changedAt).sort()[0];
  return { changes: said.length, firstKnownAt: first ?? null };
}

function texts(value: Json): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

interface KnownChange extends Change {
  /** False: the field is gone. */
  isSet: boolean;
}

/** The history of one record or order, oldest first: what was known at a time (to its millisecond), and what came later. */
async function changesUntil(
  db: Knex,
  entity: EntityRef,
  asOf: Date,
): Promise<{ known: KnownChange[]; later: KnownChange[] }> {
  const changes = await changesOf(db, entity);
  const gone = await db('changes')
    .where({ entity_kind: entity.kind, entity_id: entity.id })
    .whereNull('to_value')
    .pluck('seq');
  const unset = new Set(gone.map(String));
  const all = changes.map((change) => ({ ...change, isSet: !unset.has(change.seq) }));
  const isKnown = ({ changedAt }: Change): boolean => Date.parse(changedAt) <= asOf.getTime();
  return { known: all.filter(isKnown), later: all.filter((change) => !isKnown(change)) };
}
