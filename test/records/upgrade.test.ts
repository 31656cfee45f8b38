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

test('what is posted by earlier versions opens later months in money', async () => {
  const { db } = database;
  await run((name) => name < '0078');
  await db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(`
      INSERT INTO entries (record_kind, record_id, key, version, type, month, date, at, day, dated_by, description, sources, written)
      SELECT 'payout', 'po_' || n, 'payout', 1, 'entry', '2026-0' || n, ('2026-0' || n || '-15')::date, now(), '2026-03-15', 'created', 'd', '[]', 0
      FROM generate_series(1, 3) AS n ORDER BY n`);
    await trx.raw(`
      INSERT INTO entry_lines (entry_id, line, account, asset_code, amount, memo)
      SELECT id, line, 'assets:operating', asset, amount, line = 3 FROM entries,
        (VALUES (1, 'BTC', 0.1), (2, 'ETH', 2), (3, 'BTC', 5), (4, 'BTC', -0.3)) AS of (line, asset, amount)`);
    await trx.raw(`
      INSERT INTO account_months SELECT account, asset_code, month, sum(amount) FROM entry_lines JOIN entries ON entries.id = entry_id
      WHERE NOT memo GROUP BY 1, 2, 3`);
    await trx.raw(`
      INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at, reason)
      SELECT id, 'BTC', currency, rate, CASE WHEN rate IS NOT NULL THEN 'file' END, CASE WHEN rate IS NOT NULL THEN now() END,
             CASE WHEN rate IS NULL THEN 'none' END
      FROM entries JOIN (VALUES (1, 'USD', 7), (1, 'USD', 10), (2, 'EUR', 3), (3, 'USD', 2), (3, 'USD', NULL)) AS of (n, currency, rate)
        ON record_id = 'po_' || n ORDER BY id, rate`);
  });
  await run((name) => name >= '0078');
  expect(await db('account_values').orderBy('month')).toEqual(
    [
      ['2026-01', 'USD', '-2.0'],
      ['2026-02', 'EUR', '-0.6'],
    ].map(([month, currency, value]) => ({
      account: 'assets:operating',
      asset_code: 'BTC',
      month,
      currency,
      value,
      lines: '2',
    })),
  );
  const lines = await db('account_months').where({ month: '2026-03' }).orderBy('asset_code').pluck('lines');
  expect(lines).toEqual(['2', '1']);
});

test('what is in transit by earlier versions is known by days', async () => {
  const { db } = database;
  await run((name) => name < '0077');
  await db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(`
      INSERT INTO entries (record_kind, record_id, key, version, type, month, date, at, day, dated_by, description, sources, written)
      SELECT kind, 'r' || n, 'k', 1, 'entry', '2026-02', '2026-02-15', '2026-02-15T10:00:00Z'::timestamptz + n * interval '1 hour', '2026-02-15', 'created', 'd', '[]', 0
      FROM (VALUES (1, 'payout'), (2, 'transaction'), (3, 'placement')) AS of (n, kind)`);
    await trx.raw(`
      INSERT INTO entry_lines (entry_id, line, account, asset_code, amount)
      SELECT id, line, account, 'BTC', amount FROM entries,
        (VALUES (1, 'assets:in-transit:payouts', -2.5), (2, 'equity:withdrawals', 2.5)) AS of (line, account, amount)`);
  });
  await run((name) => name >= '0077');
  const [kept, ...others] = await db('transit_days');
  expect(others).toEqual([]);
  expect(kept).toMatchObject({ asset_code: 'BTC', month: '2026-02', amount: '-5.0' });
  expect(kept).toMatchObject({ last_at: new Date('2026-02-15T12:00:00Z') });
});
