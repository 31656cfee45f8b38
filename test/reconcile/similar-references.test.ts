import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { withdrawRegistration } from '../../src/records/orders/orders.js';
import { poll } from '../support/observations.js';
import { intent, paidIntent } from '../support/records.js';
import { save } from '../support/saved.js';
import { openCheckedShop, useCheckedShop } from './checked-shop.js';

const shop = useCheckedShop();

const KIND = 'similar_reference_paid';
const pay = (id: string, merchantReference: string, fields: JsonObject = {}) =>
  save(shop.database, [poll('payment_intent', paidIntent(id, `p-${id}`, { merchantReference, ...fields }), 10)]);

test.each<[string, (reference: string) => Promise<unknown>]>([
  ['the registered one is paid', (reference) => pay(`own-${reference}`, reference)],
  [
    'the registered one is withdrawn',
    (reference) => shop.database.db.transaction((trx) => withdrawRegistration(trx, reference)),
  ],
  ['the other is registered', (reference) => shop.register(`${reference}\u200b`, '25')],
  [
    'the other’s money is given back',
    (reference) =>
      save(shop.database, [
        poll(
          'payment_intent',
          paidIntent(`alike-${reference}`, 'p', {
            merchantReference: `${reference}\u200b`,
            irregularStatus: 'refunded',
            amountInRange: '0',
            amountRejected: '26.1',
          }),
          20,
        ),
      ]),
  ],
])('an unregistered order is paid in place of a registered one that looks the same, until %s', async (what, end) => {
  const reference = `K-${what.length}`;
  await shop.register(reference, '25');
  await pay(`alike-${reference}`, `${reference}\u200b`);
  await shop.check();
  expect(await shop.breaksOf(`${reference}\u200b`)).toEqual([KIND]);
  expect(await shop.breakOf(`${reference}\u200b`, KIND)).toMatchObject({
    severity: 'high',
    evidence: { reason: 'similar_reference', similarReferences: [reference], status: 'paid' },
  });
  expect(await shop.breaksOf(reference)).toEqual([]);
  await end(reference);
  await shop.check();
  expect(await shop.breaksOf(`${reference}\u200b`)).not.toContain(KIND);
  expect(await shop.breaksOf(`${reference}\u200b`, 'auto_resolved')).toContain(KIND);
});

test('it opens as well where the registration comes after the money', async () => {
  await pay('early', 'E-1 ');
  await shop.check();
  expect(await shop.breaksOf('E-1 ')).toEqual([]);
  await shop.register('E-1', '25');
  await shop.check();
  expect(await shop.breaksOf('E-1 ')).toEqual([KIND]);
});

test('no break: nothing paid, both registered, or the registered one is paid too', async () => {
  await shop.register('N-1', '25');
  await save(shop.database, [poll('payment_intent', intent('n1', { merchantReference: 'n-1' }), 10)]);
  await shop.register('N-2', '25');
  await shop.register('n-2', '25');
  await pay('n2', 'n-2');
  await shop.register('N-3', '25');
  await pay('n3', 'N-3');
  await pay('n3x', 'n-3');
  await pay('n4', 'N-4', { createdAt: '2025-01-01T00:00:00Z' });
  await shop.check();
  for (const reference of ['n-1', 'n-2', 'n-3', 'N-4']) expect(await shop.breaksOf(reference)).not.toContain(KIND);
});

test('a break of the only order that is registered ends where that is withdrawn', async () => {
  const alone = await openCheckedShop();
  try {
    await alone.register('order-w1', '20');
    await save(alone.database, [poll('payment_intent', intent('w1'), 10)]);
    await alone.check();
    expect(await alone.breaksOf('order-w1')).toEqual(['order_amount_mismatch']);
    await alone.database.db.transaction((trx) => withdrawRegistration(trx, 'order-w1'));
    await alone.check();
    expect(await alone.breaksOf('order-w1')).toEqual([]);
  } finally {
    await alone.database.drop();
  }
});
