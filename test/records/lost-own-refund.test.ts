import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { printOrder } from '../../src/cli/orders.js';
import { defaultPayoutWords } from '../../src/domain/family/links.js';
import type { JsonObject } from '../../src/domain/json.js';
import { madeProblem, settleCall } from '../../src/records/calls/settle-call.js';
import { assignRefund } from '../../src/records/orders/assign-refund.js';
import { listOpenRefunds } from '../../src/records/orders/list-open-refunds.js';
import { orderDetails } from '../../src/records/orders/order-details.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { holdOrders } from '../../src/records/orders/rederive-releases.js';
import { takeInCalls } from '../../src/records/saving/take-in-calls.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import type { KeyStore } from '../../src/service-api/key-store.js';
import { prepareKeyed } from '../../src/service-api/keyed-calls.js';
import { type CheckedShop, MINUTE, openCheckedShop } from '../reconcile/checked-shop.js';
import { absence, at, poll, readPaid, report } from '../support/observations.js';
import { paidIntent, payout } from '../support/records.js';
import { context, save } from '../support/saved.js';

/*
 * A refund of our own, or of the store's own client, whose answer never came; the service's list shows a payout of type refund
 * that names no payment.
 */
let shop: CheckedShop;
let db: Knex;
let log: KeyStore;
let count = 0;
let pi: string;

beforeAll(async () => {
  shop = await openCheckedShop();
  ({ db } = shop.database);
  log = createServiceWriteLog(db);
});
afterAll(() => shop.database.drop());
beforeEach(async () => {
  shop.reset();
  await db('service_writes').delete();
  pi = `pi_${(count += 1)}`;
  await save(shop.database, readPaid(pi));
});

const key = () => `refund-${pi}`;
const order = async () => (await getOrder(db, `order-${pi}`))?.release;
const hold = () => db.transaction((trx) => holdOrders(trx, { limit: 50, rules: { adoptedAt: new Date(0) } }));
const listed = async () =>
  (await listOpenRefunds(db, defaultPayoutWords, { take: 50 })).items.filter(({ id }) => id.startsWith(`po_${pi}`));

async function callWithUnknownOutcome(outcome: 'unknown' | 'lost' = 'lost'): Promise<void> {
  const { write } = prepareKeyed('createRefund', { body: { paymentIntentId: pi } });
  await log.begin(write, { leaseMs: 60_000, withinMs: 480_000 });
  await log.end(write, outcome, null);
  await db('service_writes').update({ begun_at: new Date(at(15)) });
  await hold();
}

const refundAt = (id: string, second: number, fields: JsonObject = {}) =>
  save(shop.database, [
    poll(
      'payout',
      payout(id, {
        status: 'confirmed',
        merchantReference: `order-${pi}`,
        createdAt: new Date(at(second)).toISOString(),
        ...fields,
      }),
      second,
    ),
  ]);

const assign = (payoutId: string, paymentIntentId: string | null, force = false) =>
  db.transaction((trx) =>
    assignRefund(trx, { payoutId, paymentIntentId, note: 'looked', actor: 'ann', force }, context),
  );

const settle = (objectId: string | null) =>
  db.transaction((trx) =>
    settleCall(trx, { operation: 'createRefund', key: key(), objectId, by: { actor: 'ann', note: 'looked' } }),
  );

test('its payout is shown as what the call of unknown outcome may have made, with the key to settle, and not as anybody’s refund', async () => {
  const messageOf = async (start: string) => {
    const details = await orderDetails(db, `order-${pi}`);
    return (details === null ? [] : printOrder(details)).filter((line) => line.startsWith(start));
  };
  await callWithUnknownOutcome();
  expect(await messageOf('own call')).toEqual([expect.stringContaining(`settle ${key()} --note WHY --as done:PAYOUT`)]);
  await refundAt(`po_${pi}`, 20);
  expect(await order()).toMatchObject({ safe: false, reason: 'refund_in_progress' });
  expect(await listed()).toMatchObject([
    { id: `po_${pi}`, why: 'own_call', call: { operation: 'createRefund', key: key(), undecided: true } },
  ]);
  expect(await messageOf('own call')).toEqual([]);
  expect(await messageOf('unlinked')).toEqual([
    expect.stringContaining(
      `call ${key()} may have made it; nobody knows what came of it: tallyhook calls settle ${key()}`,
    ),
  ]);

  expect(await settle(`po_${pi}`)).toEqual({ outcome: 'settled' });
  await db.transaction((trx) => takeInCalls(trx, { limit: 9, serviceNow: at(100), context }));
  expect(await getOrder(db, `order-${pi}`)).toMatchObject({ status: 'refunded', refunds: [`po_${pi}`] });
  expect(await listed()).toEqual([]);
});

test('a call makes one payout: another, one from before it, and one of another asset are anybody’s', async () => {
  await callWithUnknownOutcome('unknown');
  await refundAt(`po_${pi}`, 20);
  expect(await order()).toMatchObject({ reason: 'refund_in_progress' });
  await refundAt(`po_${pi}_2`, 30);
  expect(await order()).toMatchObject({ reason: 'refund_unlinked' });
  expect((await listed()).map(({ id, why }) => `${id} ${why}`).sort()).toEqual([
    `po_${pi} own_call`,
    `po_${pi}_2 own_call`,
  ]);
  // Which of them the call made nobody knows yet.
  expect(await assign(`po_${pi}_2`, null)).toMatchObject({ outcome: 'refused', why: 'own_call' });
  await assign(`po_${pi}_2`, null, true);
  expect(await order()).toMatchObject({ reason: 'refund_in_progress' });
  for (const [id, second, fields] of [
    ['before', -1_000, {}],
    ['other', 40, { assetCode: 'BTC' }],
  ] as const) {
    await assign(`po_${pi}`, null, true);
    await refundAt(`po_${pi}_${id}`, 50, { createdAt: new Date(at(second)).toISOString(), ...fields });
    expect(await order()).toMatchObject({ reason: 'refund_unlinked' });
    expect((await listed())[0]).toMatchObject({ id: `po_${pi}_${id}`, why: 'refund', call: null });
    expect(await assign(`po_${pi}_${id}`, null)).toMatchObject({ outcome: 'assigned' });
  }
});

test('a person who says that it gives nothing back, or another payment, is refused; by force it counts', async () => {
  await callWithUnknownOutcome();
  await refundAt(`po_${pi}`, 20);
  const refused = { outcome: 'refused', why: 'own_call', message: expect.stringContaining(key()) };
  expect(await assign(`po_${pi}`, null)).toMatchObject(refused);
  expect(await order()).toMatchObject({ reason: 'refund_in_progress' });
  await settle(`po_${pi}`);
  await db.transaction((trx) => takeInCalls(trx, { limit: 9, serviceNow: at(100), context }));
  expect(await assign(`po_${pi}`, null)).toMatchObject(refused);
  await save(shop.database, [poll('payment_intent', paidIntent(`${pi}_2`, `in_${pi}_2`), 10)]);
  expect(await assign(`po_${pi}`, `${pi}_2`)).toMatchObject(refused);
  expect(await getOrder(db, `order-${pi}`)).toMatchObject({ status: 'refunded' });
  expect(await assign(`po_${pi}`, pi)).toMatchObject({ outcome: 'assigned' });
  expect(await assign(`po_${pi}`, null, true)).toMatchObject({ outcome: 'assigned' });
  expect(await order()).toMatchObject({ safe: true });
});

test('one that names no order is a break which names the call', async () => {
  await callWithUnknownOutcome();
  await refundAt(`po_${pi}`, 20, { merchantReference: null });
  await shop.check();
  await shop.later(15 * MINUTE);
  expect(await shop.breakOf(`po_${pi}`, 'refund_without_order')).toMatchObject({
    evidence: { ownCall: { key: key(), paymentIntentId: pi } },
  });
  expect(await listed()).toMatchObject([{ id: `po_${pi}`, why: 'own_call', call: { key: key() } }]);
});

test('what it is said to have made is held against the records', async () => {
  await callWithUnknownOutcome();
  await refundAt(`po_${pi}`, 20);
  const said = { operation: 'createRefund', paymentIntentId: pi };
  const messageOf = async (objectId: string, operation = 'createRefund') =>
    (await madeProblem(db, { ...said, operation, objectId }, defaultPayoutWords))?.message ?? null;
  expect(await messageOf(`po_${pi}`)).toBeNull();
  expect(await messageOf('NONSENSE')).toContain('tallyhook reconcile payouts');
  expect(await messageOf('po 1')).toContain('is no id');
  expect(await messageOf('x'.repeat(1_001))).toContain('is no id');
  expect(await messageOf('tr_1', 'createTransfer')).toContain('no record here');
  await save(shop.database, [report('payout', `${pi}_said`, { status: 'confirmed', paymentIntentId: pi }, 20)]);
  expect(await messageOf(`${pi}_said`)).toContain('has shown no payout');
  for (const [name, fields, why] of [
    ['type', { payoutType: 'withdrawal' }, 'no refund'],
    ['asset', { assetCode: 'BTC' }, 'sends BTC'],
    ['other', { paymentIntentId: 'pi_x' }, 'gives pi_x back'],
  ] as const) {
    await refundAt(`${pi}_${name}`, 20, fields);
    expect(await messageOf(`${pi}_${name}`)).toContain(why);
  }
  await save(shop.database, [absence('payout', `po_${pi}`, 60)]);
  expect(await messageOf(`po_${pi}`)).toContain('does not list');
});
