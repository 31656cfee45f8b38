import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteSearched } from '../../src/records/family/searched.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { saveObservations } from '../../src/records/save-observations.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { at, paidIntent, payin, payout, reading, save } from './observed.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const context = { now: new Date(), adoptedAt: new Date(0) };

test('a refund of which only a report names the payment holds its order until the delivery history was searched', async () => {
  const released = async () => (await getOrder(database.db, 'order-pi_1'))?.release;
  await save(database, [
    reading('payment_intent', paidIntent('pi_1', 'in_1'), 10),
    reading('payin', payin('in_1', 'pi_1'), 10),
    reading('payout', payout('po_1', { status: 'confirmed', paymentIntentId: null }), 10),
  ]);
  expect(await released()).toMatchObject({ safe: true });
  const about = {
    kind: 'payout',
    id: 'po_1',
    from: at(20),
    to: at(20),
    source: { type: 'webhook', ref: '1' },
  } as const;
  const said = { ...payout('po_1', { status: 'confirmed' }), paymentIntentId: 'pi_1' };
  await database.db.transaction((trx) => saveObservations(trx, [{ ...about, type: 'claim', fields: said }], context));
  expect(await released()).toMatchObject({ safe: false, reason: 'refund_reported' });

  await database.db.transaction((trx) => noteSearched(trx, 'po_1', at(19), context));
  expect(await released()).toMatchObject({ safe: false, reason: 'refund_reported' });
  await database.db.transaction((trx) => noteSearched(trx, 'po_1', at(21), context));
  expect(await released()).toMatchObject({ safe: true, reason: 'proven' });
});
