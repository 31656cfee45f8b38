import type { Knex } from 'knex';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { listCalls, openCalls } from '../../src/records/calls/list-calls.js';
import { settleCall } from '../../src/records/calls/settle-call.js';
import { changesOf } from '../../src/records/changes.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { holdOrders } from '../../src/records/orders/rederive-releases.js';
import { getRecord } from '../../src/records/rows.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { takeInCalls } from '../../src/records/saving/take-in-calls.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import type { KeyStore, NotedWrite } from '../../src/service-api/key-store.js';
import { type KeyedParts, prepareKeyed } from '../../src/service-api/keyed-calls.js';
import type { KeyedOperation } from '../../src/service-api/operations.js';
import { useDatabase } from '../support/database.js';
import { absence, at, poll, readPaid } from '../support/observations.js';
import { payout } from '../support/records.js';
import { context, save, savePaid } from '../support/saved.js';
import { insertAsBefore } from './earlier-library.js';

const LIMITS = { leaseMs: 60_000, withinMs: 480_000 };

const database = useDatabase();
let db: Knex;
let log: KeyStore;
/** Each test has a payment of its own, as it may run beside others' rows. */
let count = 0;
let pi: string;

beforeAll(async () => {
  db = database.db;
  log = createServiceWriteLog(db);
});
beforeEach(async () => {
  await db('service_writes').delete();
  pi = `pi_${(count += 1)}`;
});

const prepared = (operation: KeyedOperation, parts: KeyedParts): NotedWrite => prepareKeyed(operation, parts).write;
const refund = (more: object = {}): NotedWrite => prepared('createRefund', { body: { paymentIntentId: pi, ...more } });

const hold = (limit = 50) => db.transaction((trx) => holdOrders(trx, { limit, rules: { adoptedAt: new Date(0) } }));
const takeIn = (limit = 50, serviceNow = at(1_000)) =>
  db.transaction((trx) => takeInCalls(trx, { limit, serviceNow, context }));
const release = async () => (await getOrder(db, `order-${pi}`))?.release;

const SAFE = { safe: true, reason: 'proven' };
const HELD = { safe: false, reason: 'refund_in_progress', provenAt: null };

/** An order whose goods may go out. */
async function provenOrder(): Promise<void> {
  await savePaid(database, pi);
  expect(await release()).toMatchObject(SAFE);
}

describe('what a call made that nobody took in', () => {
  const claims = async () =>
    (await changesOf(db, { kind: 'payout', id: `po_${pi}` })).map(({ field, source }) => [field, source.ref]);

  test('is claimed with its payment at the time of the call, and is to be read', async () => {
    await provenOrder();
    const write = refund();
    await log.begin(write, LIMITS);
    await log.end(write, 'done', `po_${pi}`);
    await db.raw(`UPDATE service_writes SET ended_at = now() - interval '100 s'`);
    expect(await takeIn()).toBe(1);
    const record = await getRecord(db, 'payout', `po_${pi}`);
    expect(record).toMatchObject({ paymentIntentId: pi, observedBy: { type: 'api_response', ref: 'createRefund' } });
    expect(Date.parse(String(record?.['observedAt'])) - at(900)).toBeLessThan(5_000);
    expect(await db('reading_marks').where({ kind: 'payout', id: `po_${pi}` })).toHaveLength(1);
    expect(await getOrder(db, `order-${pi}`)).toMatchObject({ refunds: [`po_${pi}`], release: HELD });
  });

  test('links a payout that a poll shows without its payment', async () => {
    await provenOrder();
    const write = refund();
    await log.begin(write, LIMITS);
    await log.end(write, 'done', `po_${pi}`);
    await save(database, [poll('payout', payout(`po_${pi}`, { status: 'confirmed' }), 2_000)]);
    expect(await getRecord(db, 'payout', `po_${pi}`)).not.toHaveProperty('paymentIntentId');
    await takeIn();
    expect(await getRecord(db, 'payout', `po_${pi}`)).toMatchObject({ verified: true, paymentIntentId: pi });
    expect(await getOrder(db, `order-${pi}`)).toMatchObject({ status: 'refunded' });
  });

  test('is taken in once, by one of several schedulers', async () => {
    const writes = Array.from({ length: 12 }, (_, n) =>
      prepared('createRefund', { body: { paymentIntentId: `${pi}_${n}` } }),
    );
    for (const [n, write] of writes.entries()) {
      await log.begin(write, LIMITS);
      await log.end(write, 'done', `po_${pi}_${n}`);
    }
    const taken = await Promise.all([takeIn(5), takeIn(5), takeIn(5), takeIn(5)]);
    const rest = await takeIn();
    expect([...taken, rest].reduce((sum, one) => sum + one, 0)).toBe(12);
    expect(await takeIn()).toBe(0);
    expect(await db('payouts').where('id', 'like', `po_${pi}_%`)).toHaveLength(12);
  });

  test('each kind with what its call says of it; a transfer has no record', async () => {
    const ended = async (operation: NotedWrite['operation'], links: NotedWrite['links']) => {
      const write = { operation, key: 'k', hash: 'h', request: null, ...(links && { links }) };
      await log.begin(write, LIMITS);
      await log.end(write, 'done', `${operation}_${pi}`);
    };
    const none = { paymentIntentId: null, merchantReference: null, accountId: null };
    await ended('createDirectPayment', { ...none, merchantReference: `d-${pi}` });
    await ended('createInvoice', { ...none, merchantReference: `i-${pi}` });
    await ended('createPayout', { ...none, merchantReference: `o-${pi}`, accountId: 'acc_1' });
    await ended('createTransfer', undefined);
    expect(await takeIn()).toBe(3);
    const record = (kind: 'payment_intent' | 'invoice' | 'payout', operation: string) =>
      getRecord(db, kind, `${operation}_${pi}`);
    expect(await record('payment_intent', 'createDirectPayment')).toMatchObject({ merchantReference: `d-${pi}` });
    expect(await record('invoice', 'createInvoice')).toMatchObject({ merchantReference: `i-${pi}` });
    const made = { merchantReference: `o-${pi}`, accountId: 'acc_1' };
    expect(await record('payout', 'createPayout')).toMatchObject(made);
    expect(await getOrder(db, `d-${pi}`)).toMatchObject({ paymentIntents: [`createDirectPayment_${pi}`] });
  });

  test('is no change where the answer said the same', async () => {
    const write = refund();
    await log.begin(write, LIMITS);
    await log.end(write, 'unknown', `po_${pi}`);
    expect(await takeIn()).toBe(1);
    const before = await claims();
    await log.end(write, 'done', `po_${pi}`);
    expect(await takeIn()).toBe(0);
    expect(await claims()).toEqual(before);
  });
});

describe('a refund of which nobody knows what came', () => {
  test('by a library of the version before is held, taken in and linked like any other', async () => {
    await provenOrder();
    const write = refund();
    await insertAsBefore(db, write);
    await hold();
    expect(await release()).toEqual(HELD);
    await db('service_writes').update({ status: 'done', object_id: `po_${pi}`, request: null, ended_at: new Date() });
    await takeIn();
    await hold();
    expect(await getRecord(db, 'payout', `po_${pi}`)).toMatchObject({ paymentIntentId: pi });
    expect(await release()).toEqual(HELD);
  });

  test('holds its order from the next check on, and lets go when it was refused', async () => {
    await provenOrder();
    const write = refund();
    await log.begin(write, LIMITS);
    expect(await hold()).toBe(1);
    expect(await release()).toEqual(HELD);
    const [last] = (await changesOf(db, { kind: 'order', id: `order-${pi}` })).slice(-1);
    expect(last).toMatchObject({ field: 'release', source: { type: 'api_response', ref: 'createRefund' } });
    expect(await hold()).toBe(0);
    await log.end(write, 'refused', null);
    expect(await hold()).toBe(1);
    expect(await release()).toMatchObject(SAFE);
  });

  test('holds an order whose payment comes after it', async () => {
    await log.begin(refund(), LIMITS);
    await hold();
    await savePaid(database, pi);
    expect(await release()).toEqual(HELD);
  });

  test('waits for whoever is saving its order for the first time', async () => {
    const saving = await db.transaction();
    const paid = readPaid(pi);
    await saveObservations(saving, paid, context);
    await log.begin(refund(), LIMITS);
    const held = hold();
    await vi.waitFor(async () => expect(await db('pg_locks').where({ granted: false })).toHaveLength(1));
    await saving.commit();
    expect(await held).toBe(1);
    expect(await release()).toEqual(HELD);
  });

  test('holds while it is lost, until a person says what came of it', async () => {
    await provenOrder();
    const write = refund();
    await log.begin(write, LIMITS);
    await log.end(write, 'lost', null);
    await hold();
    expect(await release()).toEqual(HELD);
    expect(await listCalls(db, {})).toMatchObject({ items: [{ key: write.key, status: 'lost', undecided: true }] });
    const settle = (objectId: string | null) =>
      db.transaction((trx) =>
        settleCall(trx, { operation: 'createRefund', key: write.key, objectId, by: { actor: 'ann', note: 'looked' } }),
      );
    expect(await settle(null)).toEqual({ outcome: 'settled' });
    await hold();
    expect(await release()).toMatchObject(SAFE);
    expect(await settle(null)).toEqual({ outcome: 'decided' });
  });

  test('is of its payment alone', async () => {
    await log.begin(refund(), LIMITS);
    expect(await openCalls(db, { paymentIntents: [pi, 'pi_x'] })).toMatchObject([{ paymentIntentId: pi }]);
    expect(await openCalls(db, { paymentIntents: ['pi_x'] })).toEqual([]);
    await log.begin(
      prepared('createPayout', {
        path: { id: pi },
        body: { assetCode: 'BTC', amount: '1', destinationAddress: 'TAbc', merchantReference: `order-${pi}` },
      }),
      LIMITS,
    );
    expect(await openCalls(db, { paymentIntents: [pi] })).toHaveLength(1);
  });
});

describe('a payout of our own refund that the service’s list denies', () => {
  beforeEach(async () => {
    await provenOrder();
    const write = refund();
    await log.begin(write, LIMITS);
    await log.end(write, 'done', `po_${pi}`);
    await takeIn(50, at(20));
    await hold();
  });

  test.each(['never listed', 'listed before'])('%s: the order stays held, and a break names the call', async (was) => {
    const listed = poll('payout', payout(`po_${pi}`, { status: 'confirmed' }), 30);
    if (was === 'listed before') await save(database, [listed]);
    await save(database, [absence('payout', `po_${pi}`, 40)]);
    expect(await release()).toMatchObject({ safe: false });
    expect(await listCalls(db, {})).toMatchObject({ items: [{ objectId: `po_${pi}`, undecided: true }] });
    const { items } = await listBreaks(db, { kind: 'record_not_at_service', status: 'open' });
    const evidence = items.find(({ entity }) => entity.id === `po_${pi}`)?.evidence;
    expect(JSON.stringify(evidence)).toContain('"type":"api_response","ref":"createRefund"');
  });

  test('a person may say that it made nothing', async () => {
    await save(database, [absence('payout', `po_${pi}`, 40)]);
    const write = refund();
    await db.transaction((trx) =>
      settleCall(trx, {
        operation: 'createRefund',
        key: write.key,
        objectId: null,
        by: { actor: 'ann', note: 'looked' },
      }),
    );
    await hold();
    expect(await release()).toMatchObject(SAFE);
  });
});
