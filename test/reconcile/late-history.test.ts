import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { newRefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { ServiceClient } from '../../src/service-api/client.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { itemsOf, refundAtDashboard } from '../support/forger.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { refreshRecords } from './refresh-records.js';

const ASSET = 'USDT.TRC20';
let flow: DeliveryFlow;
/** What else stands in a page of the history. */
let more: JsonObject;
/** What the service shows of its history. */
let shows: (items: JsonObject[]) => JsonObject[];
beforeEach(async () => {
  flow = await startDeliveryFlow({ database });
  shows = (items) => items;
  more = {};
  const client = new ServiceClient({
    baseUrl: flow.sandbox.url,
    apiKey: 'sandbox-api-key',
    contract: defaultContract,
  });
  flow.deps.client = {
    serviceNow: () => client.serviceNow(),
    reply: async (operation, request) => {
      const answer = await client.reply(operation, request);
      if (operation === 'listPayouts') return { ...answer, data: (answer.data as JsonObject[]).map(withoutLinks) };
      if (operation !== 'listWebhookDeliveries') return answer;
      const page = answer.data as JsonObject;
      return { ...answer, data: { ...page, items: shows(itemsOf(page)), ...more } };
    },
  };
  flow.sandbox.control.setFaults({ links: true });
  flow.addEndpoint('live');
});
const database = resettableDatabase();
afterEach(() => flow.close());

/** The list says of no payout whose refund it is; events do. */
function withoutLinks({ paymentIntentId: _payment, merchantReference: _reference, ...payout }: JsonObject): JsonObject {
  return payout;
}

const reasonOf = async (reference: string) => (await getOrder(flow.db, reference))?.release.reason;

async function paidOrder(merchantReference: string): Promise<string> {
  const id = flow.sandbox.control.createPayment({ amount: '12.5', currency: ASSET, merchantReference });
  flow.sandbox.control.pay(id, { percent: 100 });
  await flow.sandbox.control.deliveriesIdle();
  await flow.apply();
  await flow.run('payment-intents');
  await refreshRecords(flow.deps, newRefreshMemory());
  expect(await reasonOf(merchantReference)).toBe('proven');
  return id;
}

async function refunded(paymentIntentId: string): Promise<void> {
  const id = await refundAtDashboard(flow, paymentIntentId);
  for (const step of ['approve', 'broadcast', 'confirm'] as const) flow.sandbox.control.advancePayout(id, { step });
  await flow.sandbox.control.deliveriesIdle();
  await flow.apply();
}

/** What waits to be read is read, as if its time had come, so many seconds after the reports. */
const searched = async (after = 5) => {
  await flow.db('reading_marks').update({ next_at: new Date(0) });
  await flow.db('reported_refunds').update({ said_to: flow.db.raw('?::bigint', [Date.now() - after * 1_000]) });
  await refreshRecords(flow.deps, newRefreshMemory());
};

const isSearchedFor = async () => (await flow.db('reading_marks').where({ kind: 'delivery' }).first()) !== undefined;

test('what the history shows of a refund later than it was searched for it holds its order again', async () => {
  const payment = await paidOrder('L-late');
  shows = () => [];
  await refunded(payment);
  expect(await reasonOf('L-late')).toBe('refund_reported');
  await flow.run('payouts');
  while (await isSearchedFor()) await searched();
  expect(await reasonOf('L-late')).toBe('proven');

  shows = (items) => items;
  await flow.run('deliveries');
  await searched();
  expect(await reasonOf('L-late')).toBe('refunded');
});

test('a history that is written a moment after its event frees no order meanwhile', async () => {
  const payment = await paidOrder('L-moment');
  shows = () => [];
  await refunded(payment);
  await flow.run('payouts');
  await searched(1);
  expect(await reasonOf('L-moment')).toBe('refund_reported');
  shows = (items) => items;
  await searched();
  expect(await reasonOf('L-moment')).toBe('refunded');
});

test('a history whose payloads can not be read decides nothing', async () => {
  const payment = await paidOrder('L-masked');
  shows = (items) => items.map((one) => ({ ...one, payload: null }));
  await refunded(payment);
  await flow.run('payouts');
  while (await isSearchedFor()) await searched();
  expect(await reasonOf('L-masked')).toBe('refund_reported');
});

test('a page of the history with more behind it decides nothing', async () => {
  const payment = await paidOrder('L-more');
  shows = (items) => items.slice(0, 0);
  more = { nextCursor: 'more' };
  await refunded(payment);
  await flow.run('payouts');
  while (await isSearchedFor()) await searched();
  expect(await reasonOf('L-more')).toBe('refund_reported');
});
