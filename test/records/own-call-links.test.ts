import type { Knex } from 'knex';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import { applyRetention } from '../../src/records/retention/apply-retention.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import type { KeyStore, NotedWrite } from '../../src/service-api/key-store.js';
import { type KeyedParts, prepareKeyed } from '../../src/service-api/keyed-calls.js';
import type { KeyedOperation } from '../../src/service-api/operations.js';
import { useDatabase } from '../support/database.js';
import { insertAsBefore } from './earlier-library.js';

const LIMITS = { leaseMs: 60_000, withinMs: 480_000 };
const NO_LINKS = { payment_intent_id: null, merchant_reference: null, account_id: null };

const database = useDatabase();
let db: Knex;
let log: KeyStore;

beforeAll(async () => {
  db = database.db;
  log = createServiceWriteLog(db);
});
beforeEach(() => db('service_writes').delete());

const pi = 'pi_1';
const prepared = (operation: KeyedOperation, parts: KeyedParts): NotedWrite => prepareKeyed(operation, parts).write;
const refund = (more: object = {}): NotedWrite => prepared('createRefund', { body: { paymentIntentId: pi, ...more } });

describe('what a call links is kept for good', () => {
  const linksOf = (key: string) =>
    db('service_writes').where({ key }).first('payment_intent_id', 'merchant_reference', 'account_id', 'request');
  const ADDRESS = { assetCode: 'USDT.TRON', amount: '1', destinationAddress: 'TAbc' };

  test.each<[KeyedOperation, KeyedParts, object]>([
    ['createRefund', { body: { paymentIntentId: 'pi_9' } }, { payment_intent_id: 'pi_9' }],
    ['createRefund', { body: { paymentIntentId: 'pi_9', totpCode: '123456' } }, { payment_intent_id: 'pi_9' }],
    [
      'createPayout',
      { path: { id: 'acc_1' }, body: { ...ADDRESS, merchantReference: 'ord-1' } },
      { merchant_reference: 'ord-1', account_id: 'acc_1' },
    ],
    [
      'createDirectPayment',
      { body: { requestedCoin: 'BTC', amount: '1', customer: {}, merchantReference: 'ord\uD800-1' } },
      { merchant_reference: 'ord\uD800-1' },
    ],
    ['createTransfer', { path: { id: 'acc_1' }, body: { assetCode: 'BTC', amount: '1', toOperating: true } }, {}],
  ])('%s', async (operation, parts, links) => {
    const write = prepared(operation, { ...parts, idempotencyKey: 'k' });
    await log.begin(write, LIMITS);
    await log.end(write, 'done', 'x_1');
    expect(await linksOf('k')).toEqual({ ...NO_LINKS, ...links, request: null });
  });

  test('another request under a key that is free again has its own', async () => {
    const [first, second] = ['pi_a', 'pi_b'].map((paymentIntentId) =>
      prepared('createRefund', { body: { paymentIntentId }, idempotencyKey: 'k' }),
    );
    await log.begin(first!, LIMITS);
    await log.end(first!, 'refused', null);
    await log.begin(second!, LIMITS);
    expect(await linksOf('k')).toMatchObject({ payment_intent_id: 'pi_b' });
  });

  test('no id that an index can’t hold stops a call', async () => {
    const write = prepared('createRefund', { body: { paymentIntentId: 'x'.repeat(5_000) }, idempotencyKey: 'k' });
    expect(await log.begin(write, LIMITS)).toMatchObject({ ok: true });
    expect(await linksOf('k')).toMatchObject(NO_LINKS);
  });

  test('also when what it asked for goes by its age', async () => {
    const write = refund();
    await log.begin(write, LIMITS);
    await log.end(write, 'lost', null);
    const days = { body: 1, keys: 1, personal: 1 };
    const now = () => new Date(Date.now() + 86_400_000 * 30);
    await applyRetention({ db, log: createLog('silent'), now, days }, { pauseMs: 0 });
    expect(await linksOf(write.key)).toEqual({ ...NO_LINKS, payment_intent_id: pi, request: null });
  });
});

describe('written down by a library of the version before', () => {
  test('its payment is kept, also when the key begins anew for another', async () => {
    await insertAsBefore(db, refund({ idempotencyKey: 'k' }));
    await db('service_writes').update({ status: 'refused', request: null });
    expect(await db('service_writes').pluck('payment_intent_id')).toEqual([pi]);
    await insertAsBefore(db, prepared('createRefund', { body: { paymentIntentId: 'pi_other' }, idempotencyKey: 'k' }));
    expect(await db('service_writes').pluck('payment_intent_id')).toEqual(['pi_other']);
  });

  test('a request that can’t be read links nothing, and stops nothing', async () => {
    const write = { ...refund(), request: '{"path":{},"body":"{\\"paymentIntentId\\":\\"\\\\u0000\\"}"}' };
    await insertAsBefore(db, write);
    await insertAsBefore(db, { ...write, key: 'k2', request: 'no JSON' });
    expect(await db('service_writes').pluck('payment_intent_id')).toEqual([null, null]);
  });
});
