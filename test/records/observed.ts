import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { type RecordKind, textField } from '../../src/domain/records.js';
import { deriveOrders } from '../../src/records/orders/derive-orders.js';
import type { OrderState } from '../../src/records/orders/order-row.js';
import { type SaveContext, type SaveResult, saveObservations } from '../../src/records/save-observations.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/drill.js';

/** A second of the service's clock, in milliseconds. */
export const at = (second: number): number => Date.parse('2026-03-01T00:00:00Z') + second * 1000;

export const context: SaveContext = {
  now: new Date('2026-03-01T01:00:00Z'),
  adoptedAt: new Date('2026-01-01T00:00:00Z'),
};

export function intent(id: string, fields: JsonObject = {}): JsonObject {
  return {
    id,
    status: 'pending',
    amountRequested: '25.00',
    currencyRequested: 'EUR',
    requestedCurrencyType: 'fiat',
    amountCryptoExpected: '26.1',
    assetCode: 'USDT.TRON',
    acceptedCoins: ['USDT.TRON', 'BTC'],
    totalAmountReceived: '0',
    amountNetMerchant: '0',
    feeAmountTotal: '0',
    amountInRange: null,
    amountRejected: null,
    amountToRefund: null,
    feeAmountOnRange: null,
    feeAmountOnRejected: null,
    source: 'api',
    merchantReference: `order-${id}`,
    invoiceId: null,
    irregularStatus: 'none',
    paymentResult: null,
    customerEmail: 'ada@example.test',
    returnUrl: 'https://shop.example.test/thanks',
    createdAt: '2026-02-28T23:00:00.000Z',
    expiresAt: '2026-03-01T02:00:00.000Z',
    paymentLink: `https://pay.example.test/${id}`,
    statusHistory: [],
    payins: [],
    ...fields,
  };
}

/** A payment intent that is paid in full by the deposit `payinId`. */
export function paidIntent(id: string, payinId: string, fields: JsonObject = {}): JsonObject {
  return intent(id, {
    status: 'completed',
    totalAmountReceived: '26.1',
    amountNetMerchant: '25.839',
    feeAmountTotal: '0.261',
    amountInRange: '26.1',
    amountRejected: '0',
    payins: [{ id: payinId, amountGross: '26.1', status: 'confirmed', assetCode: 'USDT.TRON' }],
    ...fields,
  });
}

export function payin(id: string, paymentIntentId: string, fields: JsonObject = {}): JsonObject {
  return {
    id,
    paymentIntentId,
    payinType: 'blockchain',
    amountGross: '26.1',
    amountNet: '25.839',
    feeAmount: '0.261',
    assetCode: 'USDT.TRON',
    status: 'confirmed',
    kytStatus: 'approved',
    createdAt: '2026-02-28T23:30:00.000Z',
    ...fields,
  };
}

export function invoice(id: string, fields: JsonObject = {}): JsonObject {
  return {
    id,
    customerEmail: 'ada@example.test',
    customerName: 'Ada Example',
    amount: '25.00',
    currency: 'EUR',
    assetCode: null,
    status: 'sent',
    paymentIntentId: null,
    expiresAt: null,
    createdAt: '2026-02-28T22:00:00.000Z',
    ...fields,
  };
}

export function payout(id: string, fields: JsonObject = {}): JsonObject {
  return {
    id,
    merchantReference: null,
    payoutType: 'refund',
    amount: '25.839',
    assetCode: 'USDT.TRON',
    feeAmount: '0',
    txid: null,
    status: 'pending',
    createdAt: '2026-03-01T00:00:00.000Z',
    updatedAt: '2026-03-01T00:00:00.000Z',
    ...fields,
  };
}

export function reading(kind: RecordKind, fields: JsonObject, second: number, ref = 'run-1'): Observation {
  const id = textField(fields, 'id') ?? '';
  return { type: 'reading', kind, id, from: at(second), to: at(second) + 200, source: { type: 'poll', ref }, fields };
}

export function claim(kind: RecordKind, id: string, fields: JsonObject, second: number, ref = '1'): Observation {
  return { type: 'claim', kind, id, from: at(second), to: at(second) + 999, source: { type: 'webhook', ref }, fields };
}

/** What our own request was answered: `operation` is its name in the contract. */
export function ownCall(
  kind: RecordKind,
  id: string,
  fields: JsonObject,
  second: number,
  operation: string,
): Observation {
  const source = { type: 'api_response', ref: operation } as const;
  return { type: 'claim', kind, id, from: at(second), to: at(second) + 200, source, fields };
}

/** What the service's delivery history shows that it sent. */
export function delivered(kind: RecordKind, id: string, fields: JsonObject, second: number): Observation {
  const source = { type: 'delivery_history', ref: 'dl-1' } as const;
  return { type: 'claim', kind, id, from: at(second), to: at(second) + 999, source, fields };
}

export function mention(kind: RecordKind, id: string, second: number): Observation {
  return { type: 'mention', kind, id, from: at(second), to: at(second) + 999, source: { type: 'webhook', ref: '1' } };
}

export function absence(kind: RecordKind, id: string, second: number): Observation {
  return { type: 'absence', kind, id, from: at(second), to: at(second) + 200, source: { type: 'poll', ref: 'run-1' } };
}

export function save(
  { db }: TestDatabase,
  observations: Observation[],
  overrides: Partial<SaveContext> = {},
): Promise<SaveResult> {
  return db.transaction((trx) => saveObservations(trx, observations, { ...context, ...overrides }));
}

/** A payment that the service's list shows as paid in full, and its deposit; its order is `order-` and its id. */
export async function savePaid(database: TestDatabase, payment: string): Promise<void> {
  await save(database, [
    reading('payment_intent', paidIntent(payment, `in_${payment}`), 10),
    reading('payin', payin(`in_${payment}`, payment), 10),
  ]);
}

/** Saves the second while the transaction of the first is still open: neither can see the rows of the other. */
export async function saveOverlapping(
  database: TestDatabase,
  first: Observation[],
  second: Observation[],
): Promise<void> {
  const { db } = database;
  const open = await db.transaction();
  await saveObservations(open, first, context);
  let ended = false;
  const saving = save(database, second).finally(() => {
    ended = true;
  });
  const isWaiting = () =>
    db('pg_stat_activity').whereRaw("datname = current_database() AND wait_event_type = 'Lock'").first();
  await until('the second has ended, or waits', async () => ended || (await isWaiting()) !== undefined, {
    intervalMs: 2,
  });
  await open.commit();
  await saving;
}

/** All that the tables say, without the times that depend on when it was saved and by how many steps. */
export async function everything({ db }: TestDatabase) {
  const records = async (table: string) => {
    const rows = await db(table).orderBy('id');
    return rows.map(({ first_seen_at: _first, absent_since, poll, claims, shown, ...row }) => ({
      ...row,
      absent: absent_since !== null,
      poll: JSON.parse(poll ?? 'null'),
      claims: JSON.parse(claims),
      shown: JSON.parse(shown),
    }));
  };
  const orders = await db('orders').orderBy('reference');
  // What has passed is read again where it was asked for: that hangs on what came first.
  const marks = await db('reading_marks').whereNot({ lane: 'recheck' }).orderBy(['kind', 'id']);
  const breaks = await db('breaks').whereIn('status', ['open', 'acknowledged']).orderBy(['kind', 'entity_id']);
  return {
    intents: await records('payment_intents'),
    payins: await records('payins'),
    invoices: await records('invoices'),
    payouts: await records('payouts'),
    orders: orders.map(({ created_at: _created, updated_at: _updated, release_proven_at: _proven, ...row }) => row),
    marks: marks.map(({ kind, id }) => ({ kind, id })),
    breaks: breaks.map(({ kind, entity_kind, entity_id, severity }) => ({ kind, entity_kind, entity_id, severity })),
  };
}

/** Orders that are other than their records, as they stand now, say; that they were proven again later, by records that stayed the same, needs no word. */
export async function staleOrders({ db }: TestDatabase): Promise<unknown[]> {
  const orders: { reference: string }[] = await db('orders').select('reference');
  const touched = orders.map(({ reference }) => ({ reference, since: null }));
  const derived = await db.transaction((trx) => deriveOrders(trx, touched, [], context));
  return derived.flatMap(({ changed, before, after }) => {
    const [stood, now] = [before, after].map((row) => row?.release_proven_at?.getTime() ?? 0) as [number, number];
    const differs = Object.entries(after).some(
      ([name, value]) => name !== 'release_proven_at' && !isDeepStrictEqual(value, before?.[name as keyof OrderState]),
    );
    return changed && (differs || stood === 0 || stood > now) ? [{ before, after }] : [];
  });
}
