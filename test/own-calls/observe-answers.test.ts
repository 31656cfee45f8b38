import { expect, test } from 'vitest';
import type { LinkPointers } from '../../src/domain/events/event-key.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { defaultKytWords } from '../../src/domain/orders/kyt.js';
import { observeAnswers } from '../../src/own-calls/observe-answers.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { getRecord } from '../../src/records/rows.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import { prepareKeyed } from '../../src/service-api/keyed-calls.js';
import type { Answered } from '../../src/service-api/service-writes.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

async function answered(
  operation: Answered['operation'],
  given: { key?: string; path?: Record<string, string>; request?: JsonObject | null; data: Json },
  links: LinkPointers = {},
): Promise<void> {
  const observe = observeAnswers({
    db: database.db,
    now: () => new Date('2026-03-01T01:00:00Z'),
    adoptedAt: new Date('2026-01-01T00:00:00Z'),
    kytWords: defaultKytWords,
    links,
  });
  const reply = { data: given.data, from: 1_772_323_200_000, to: 1_772_323_200_500, totalCount: null };
  await observe({ operation, key: given.key ?? null, path: given.path ?? {}, request: given.request ?? null, reply });
}

const marked = () => database.db('reading_marks').orderBy(['kind', 'id']).select('kind', 'id');

test('an invoice that we created has the reference that we asked for, though its record has no such field', async () => {
  const request = { amount: '10', currency: 'EUR', merchantReference: 'ord-1' };
  await answered('createInvoice', { request, data: { id: 'inv_1', status: 'sent', amount: '10', currency: 'EUR' } });
  expect(await getRecord(database.db, 'invoice', 'inv_1')).toMatchObject({
    status: 'sent',
    merchantReference: 'ord-1',
    verified: false,
    observedBy: { type: 'api_response', ref: 'createInvoice' },
  });
  expect(await getOrder(database.db, 'ord-1')).toMatchObject({ status: 'awaiting_payment', invoices: ['inv_1'] });
});

test('what the record says itself counts more than what was asked', async () => {
  const data = { id: 'inv_2', status: 'sent', meta: { order: 'ord-3' } };
  await answered(
    'createInvoice',
    { request: { merchantReference: 'ord-2' }, data },
    {
      invoice: { merchantReference: '/meta/order' },
    },
  );
  expect(await getRecord(database.db, 'invoice', 'inv_2')).toMatchObject({ merchantReference: 'ord-3' });
});

test('a refund knows its payment, a sub-wallet’s payout its sub-wallet', async () => {
  await answered('createRefund', {
    request: { paymentIntentId: 'pi_1' },
    data: { id: 'po_1', status: 'pending', amount: '5' },
  });
  expect(await getRecord(database.db, 'payout', 'po_1')).toMatchObject({ paymentIntentId: 'pi_1', amount: '5' });
  await answered('createPayout', { path: { id: 'acc_1' }, request: {}, data: { id: 'po_2', status: 'pending' } });
  expect(await getRecord(database.db, 'payout', 'po_2')).toMatchObject({ accountId: 'acc_1' });
  expect(await getRecord(database.db, 'payout', 'po_2')).not.toHaveProperty('paymentIntentId');
});

test('accounts are claimed, where the answer shows nothing as the call says; both sides of a transfer are read', async () => {
  await database.db('reading_marks').delete();
  await answered('updateAccount', { path: { id: 'acc_2' }, request: {}, data: { id: 'acc_2', status: 'frozen' } });
  expect(await getRecord(database.db, 'account', 'acc_2')).toMatchObject({ status: 'frozen', verified: false });
  await answered('closeAccount', { path: { id: 'acc_3' }, data: null });
  expect(await getRecord(database.db, 'account', 'acc_3')).toMatchObject({ status: 'closed', verified: false });
  await answered('createTransfer', { path: { id: 'acc_4' }, request: { toWalletAccountId: 'acc_5' }, data: null });
  await answered('createTransfer', { path: { id: 'acc_6' }, request: { toOperating: true }, data: { id: 'tr_1' } });
  const ids = (await marked()).map(({ kind, id }) => `${kind} ${id}`);
  expect(ids).toEqual(['acc_2', 'acc_3', 'acc_4', 'acc_5', 'acc_6'].map((id) => `account ${id}`));
});

test('an answer without a record, or of another operation, is no observation', async () => {
  const before = await marked();
  await answered('createRefund', { request: { paymentIntentId: 'pi_9' }, data: {} });
  await answered('updateMerchantAsset', { path: { assetCode: 'BTC' }, data: { assetCode: 'BTC', isActive: true } });
  expect(await marked()).toEqual(before);
});

test('null in an answer says nothing against what the call says', async () => {
  const request = { paymentIntentId: 'pi_3' };
  await answered('createRefund', { request, data: { id: 'po_3', status: 'pending', paymentIntentId: null } });
  expect(await getRecord(database.db, 'payout', 'po_3')).toMatchObject({ paymentIntentId: 'pi_3' });
});

test('a call whose answer is taken in need not be taken in again, also if its process dies before it says how it ended', async () => {
  const { write } = prepareKeyed('createRefund', { body: { paymentIntentId: 'pi_4' } });
  await createServiceWriteLog(database.db).begin(write, { leaseMs: 60_000, withinMs: 480_000 });
  const request = { paymentIntentId: 'pi_4' };
  await answered('createRefund', { key: write.key, request, data: { id: 'po_4', status: 'pending' } });
  expect(await database.db('service_writes').first()).toMatchObject({
    status: 'open',
    object_id: 'po_4',
    taken_in_at: expect.any(Date),
    withholds: true,
  });
});
