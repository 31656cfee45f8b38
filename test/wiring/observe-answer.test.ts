import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultKytWords } from '../../src/domain/kyt.js';
import type { WriteOperation } from '../../src/service-api/operations.js';
import type { Answered } from '../../src/service-api/service-writes.js';
import { observeAnswers } from '../../src/wiring/observe-answer.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

type Data = Answered['reply']['data'];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => database.db('reading_marks').delete());
afterAll(() => database.drop());

const path = { id: 'acc_1' };
const NOW = Date.parse('2026-10-31T12:00:00Z');

async function observe(operation: WriteOperation, data: Data, about: Partial<Answered> = {}): Promise<void> {
  const take = observeAnswers({
    db: database.db,
    now: () => new Date(NOW),
    adoptedAt: new Date(0),
    kytWords: defaultKytWords,
    links: {},
  });
  await take({
    operation,
    path: {},
    request: null,
    ...about,
    reply: { data, from: NOW, to: NOW + 100, totalCount: null },
  });
}

const marked = async () =>
  (await database.db('reading_marks').select('kind', 'id').orderBy('id')).map(({ kind, id }) => `${kind} ${id}`);

describe('what the service answers to a call of our own', () => {
  it.each<[WriteOperation, string, Partial<Answered>, object]>([
    ['createDirectPayment', 'payment_intents', { request: {} }, {}],
    ['createInvoice', 'invoices', { request: { merchantReference: 'ord-1' } }, { merchant_reference: 'ord-1' }],
    ['createPayout', 'payouts', { path, request: {} }, {}],
    ['createRefund', 'payouts', { request: { paymentIntentId: 'pi_1' } }, { payment_intent_id: 'pi_1' }],
    ['updateAccount', 'accounts', { path }, {}],
    ['closeAccount', 'accounts', { path }, {}],
    ['archiveAccount', 'accounts', { path }, {}],
  ])('%s is a claim in %s, with what the call alone tells, to be verified', async (operation, table, about, links) => {
    const id = `made by ${operation}`;
    await observe(operation, { id, status: 'some state' }, about);
    expect(await database.db(table).where({ id }).first()).toMatchObject({
      status: 'some state',
      verified: false,
      observed_by_type: 'api_response',
      observed_by_ref: operation,
      ...links,
    });
  });

  it.each<[WriteOperation, Data]>([
    ['updateAccount', null],
    ['closeAccount', { status: 'closed' }],
    ['archiveAccount', { id: '' }],
  ])('%s asks for a reading of the account where it names none: %j', async (operation, data) => {
    await observe(operation, data, { path });
    expect(await marked()).toEqual(['account acc_1']);
  });

  it('createTransfer asks for a reading of the accounts between which it moved money', async () => {
    await observe('createTransfer', null, { path, request: { toWalletAccountId: 'acc_2' } });
    expect(await marked()).toEqual(['account acc_1', 'account acc_2']);
  });

  it('updateMerchantAsset is about no record that is kept', async () => {
    await observe('updateMerchantAsset', { assetCode: 'BTC', isActive: true });
    expect(await marked()).toEqual([]);
  });
});
