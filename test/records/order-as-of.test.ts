import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { orderAsOf } from '../../src/records/orders/order-as-of.js';
import { orderDetails } from '../../src/records/orders/order-details.js';
import { registerOrder, withdrawRegistration } from '../../src/records/orders/orders.js';
import { useDatabase } from '../support/database.js';
import { at, poll, report } from '../support/observations.js';
import { intent } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();
let db: Knex;

beforeAll(async () => {
  db = database.db;
});

/** A moment of the database between two transactions. */
async function moment(): Promise<Date> {
  const between = async () => (await db.raw('SELECT pg_sleep(0.005), clock_timestamp() AS at')).rows[0].at as Date;
  const found = await between();
  await between();
  return found;
}

const known = async (asOf: Date, reference = 'r1') => {
  const result = await orderAsOf(db, reference, asOf);
  if (result.outcome !== 'known') throw new Error(result.outcome);
  return result.details;
};

it('shows an order as it was known at each time, though the service dates things otherwise', async () => {
  const before = await moment();
  await save(database, [
    report(
      'payment_intent',
      'pi_1',
      intent('pi_1', { merchantReference: 'r1', status: 'pending', customerEmail: 'ann@example.com' }),
      10,
    ),
  ]);
  const pending = await moment();
  await db.transaction((trx) => registerOrder(trx, { reference: 'r1', amount: '10', currency: 'USDT.TRON' }));
  const registered = await moment();
  await save(database, [poll('payment_intent', intent('pi_1', { merchantReference: 'r1', status: 'pending' }), 15)]);
  const read = await moment();
  await save(database, [
    report('payment_intent', 'pi_1', intent('pi_1', { merchantReference: 'r1', status: 'completed' }), 20),
  ]);
  const claimed = await moment();
  await save(database, [poll('payment_intent', intent('pi_1', { merchantReference: 'r1', status: 'completed' }), 30)]);
  await save(database, [poll('payment_intent', intent('pi_2', { merchantReference: 'r1', status: 'pending' }), 40)]);
  const two = await moment();

  expect(await orderAsOf(db, 'r1', before)).toMatchObject({ outcome: 'not_yet_known' });
  expect(await orderAsOf(db, 'R1', two)).toEqual({ outcome: 'not_found' });
  const first = await known(pending);
  // An event alone puts no payment into an order.
  expect(first.order).toMatchObject({ expected: null, paymentIntents: [], release: { safe: false } });
  expect(first.paymentIntents).toEqual([]);
  expect((await known(registered)).order).toMatchObject({
    expected: { amount: '10', currency: 'USDT.TRON' },
    paymentIntents: [],
  });
  const listed = await known(read);
  expect(listed.order).toMatchObject({ status: 'awaiting_payment', paymentIntents: ['pi_1'] });
  expect(listed.paymentIntents).toMatchObject([{ id: 'pi_1', verified: true, fields: { status: 'pending' } }]);
  for (const one of [first, listed]) expect(JSON.stringify(one)).not.toContain('ann@example.com');
  expect(await known(claimed)).toMatchObject({
    order: { status: 'paid_unverified', release: { safe: false, reason: 'not_verified' } },
    // What the webhook said is no state of the payment: the poll showed that.
    paymentIntents: [{ verified: true, fields: { status: 'pending' }, knownBy: { type: 'poll' } }],
  });
  expect((await known(claimed)).timeline.length).toBeLessThan((await known(two)).timeline.length);
  const last = await known(two);
  const details = await orderDetails(db, 'r1');
  expect(last.order.paymentIntents).toEqual(['pi_1', 'pi_2']);
  expect(last.order).toMatchObject({ status: details?.order.status, expected: details?.order.expected });
  expect(last.timeline.map(({ seq }) => seq)).toEqual(details?.timeline.map(({ seq }) => seq));
  expect(last.paymentIntents[0]).toMatchObject({ id: 'pi_1', verified: true });
  expect(last.toldLater).toEqual({ changes: 0, firstKnownAt: null });
});

it('shows what was registered then, of an order that was registered, changed, withdrawn and registered again', async () => {
  const isCurrent = async () => true;
  const register = (amount: string) =>
    db.transaction((trx) => registerOrder(trx, { reference: 'r2', amount, currency: 'EUR' }, { isCurrent }));
  await db.transaction((trx) => registerOrder(trx, { reference: 'r2', amount: '10', currency: 'EUR' }));
  const moments = [await moment()];
  const steps = [
    () => register('12'),
    () => db.transaction((trx) => withdrawRegistration(trx, 'r2')),
    () => register('13'),
  ];
  for (const step of steps) {
    await step();
    moments.push(await moment());
  }
  const amounts: (string | null)[] = [];
  for (const then of moments) amounts.push((await known(then, 'r2')).order.expected?.amount ?? null);
  expect(amounts).toEqual(['10', '12', null, '13']);
});

it('counts what the service dates by then and reported later', async () => {
  await save(database, [poll('payment_intent', intent('pi_3', { merchantReference: 'r3', status: 'pending' }), 10)]);
  await db.raw('ALTER TABLE changes DISABLE TRIGGER USER');
  await db('changes')
    .where({ entity_kind: 'payment_intent', entity_id: 'pi_3' })
    .update({ changed_at: new Date(at(11)) });
  await db('changes')
    .where({ entity_kind: 'order', entity_id: 'r3' })
    .update({ changed_at: new Date(at(11)) });
  await db.raw('ALTER TABLE changes ENABLE TRIGGER USER');
  await save(database, [
    report('payment_intent', 'pi_3', intent('pi_3', { merchantReference: 'r3', status: 'completed' }), 20),
  ]);
  const { toldLater, order } = await known(new Date(at(25)), 'r3');
  expect(toldLater.changes).toBeGreaterThan(0);
  expect(order.status).toBe('awaiting_payment');
});
