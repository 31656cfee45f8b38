import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareKeyed } from '../../src/service-api/keyed-calls.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

let database: TestDatabase;
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

async function run(wanted: (name: string) => boolean): Promise<void> {
  const names = (await readdir(MIGRATIONS)).filter((name) => /^\d{4}_/.test(name) && wanted(name)).sort();
  expect(names).not.toEqual([]);
  for (const name of names) {
    const sql = await readFile(new URL(name, MIGRATIONS), 'utf8');
    await database.db.transaction((trx) => trx.raw(sql.replaceAll('?', '\\?')));
  }
}

test('a status that no index can hold, kept by an earlier version, does not stop the migrations', async () => {
  const { db } = database;
  await run((name) => name < '0024');
  const long = randomBytes(4_000).toString('base64');
  const row = { ours: true, class: 'received', poll_from: 1, poll_ref: '1' };
  await db('deliveries').insert([
    { ...row, id: 'long', status: long },
    { ...row, id: 'short', status: 'failed' },
  ]);
  await run((name) => name >= '0024');
  expect(await db('deliveries').orderBy('id').pluck('status')).toEqual([long.slice(0, 100), 'failed']);
});

test('calls of earlier versions keep what they were for, where their request or their hash proves it', async () => {
  const { db } = database;
  await run((name) => name < '0049');
  const row = (key: string, more: object) => ({ operation: 'createRefund', key, leased_until: new Date(), ...more });
  const refund = (body: { paymentIntentId: string; amount?: string; idempotencyKey?: string }) => {
    const { key, hash, request } = prepareKeyed('createRefund', { body }).write;
    return { key, hash, request };
  };
  const done = (id: string, { key, hash }: { key: string; hash: string }) =>
    row(key, { hash, status: 'done', object_id: id, ended_at: new Date() });
  const alike = { ...refund({ paymentIntentId: 'pi_other' }), key: 'refund-pi_5' };
  await db('service_writes').insert([
    row('k-1', { ...refund({ paymentIntentId: 'pi_1', amount: '1', idempotencyKey: 'k-1' }), status: 'lost' }),
    done('po_2', refund({ paymentIntentId: 'pi_2' })),
    done('po_3', refund({ paymentIntentId: 'pi_3', amount: '1' })),
    done('po_4', refund({ paymentIntentId: 'pi_4' })),
    done('po_5', alike),
    done('po_6', refund({ paymentIntentId: 'pi_6', amount: '1' })),
    row('unreadable', { hash: 'h', status: 'open', request: 'no JSON' }),
  ]);
  const payout = { poll: null, claims: '[]', shown: '{}', verified: false, settled: false };
  const seen = { observed_at: new Date(), observed_by_type: 'api_response', observed_by_ref: 'createRefund' };
  await db('payouts').insert([
    { ...payout, ...seen, id: 'po_2' },
    { ...payout, ...seen, id: 'po_4', payment_intent_id: 'pi_forged' },
    { ...payout, ...seen, id: 'po_6' },
  ]);
  await run((name) => name >= '0049');
  const rows = await db('service_writes')
    .orderBy('key')
    .select('payment_intent_id', 'withholds', 'derived', 'taken_in_at');
  expect(rows.map(({ taken_in_at, ...kept }) => ({ ...kept, taken: taken_in_at !== null }))).toEqual([
    { payment_intent_id: 'pi_1', withholds: true, derived: false, taken: false },
    { payment_intent_id: 'pi_2', withholds: true, derived: true, taken: false },
    { payment_intent_id: null, withholds: true, derived: true, taken: false },
    { payment_intent_id: 'pi_4', withholds: true, derived: true, taken: false },
    { payment_intent_id: null, withholds: true, derived: true, taken: false },
    { payment_intent_id: null, withholds: false, derived: true, taken: true },
    { payment_intent_id: null, withholds: true, derived: false, taken: false },
  ]);
});

test('events of earlier versions are found by what they changed, where their row is still there', async () => {
  const { db } = database;
  await run((name) => name < '0074');
  const event = {
    key_type: 'id',
    content_hash: 'h',
    event_type: 'payin.confirmed',
    event_timestamp: 1,
    source: 'webhook',
  };
  await db('inbox').insert([
    { ...event, key: 'a' },
    { ...event, key: 'b' },
  ]);
  const change = { entity_kind: 'payin', entity_id: 'in_1', field: 'status', source_type: 'webhook', source_ref: '1' };
  await db('changes').insert([
    change,
    { ...change, field: 'txid' },
    { ...change, entity_kind: 'order', entity_id: 'o-1', source_type: 'delivery_history', source_ref: '2' },
    { ...change, entity_kind: 'account', entity_id: 'wa_1' },
    { ...change, source_type: 'poll', source_ref: '2' },
    { ...change, source_ref: '999' },
    { ...change, source_ref: 'none' },
  ]);
  await run((name) => name >= '0074');
  expect(await db('event_records').orderBy('inbox_id')).toEqual([
    { entity_kind: 'payin', entity_id: 'in_1', inbox_id: '1' },
    { entity_kind: 'order', entity_id: 'o-1', inbox_id: '2' },
  ]);
});
