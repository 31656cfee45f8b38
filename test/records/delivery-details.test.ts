import { afterEach, beforeEach, expect, test } from 'vitest';
import { maskedDelivery } from '../../src/console/view/personal.js';
import { fromJsonText, type JsonObject } from '../../src/domain/json.js';
import { createLog } from '../../src/log.js';
import { getDelivery, listDeliveries } from '../../src/records/deliveries/list-deliveries.js';
import { detailsIn, detailsOf, keptPayload } from '../../src/records/deliveries/read-delivery.js';
import { applyRetention } from '../../src/records/retention/apply-retention.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';

let flow: DeliveryFlow;
beforeEach(async () => {
  flow = await startDeliveryFlow();
  flow.addEndpoint('live');
});
afterEach(() => flow.close());

const DAY_MS = 86_400_000;
const keep = (now: Date) =>
  applyRetention(
    { db: flow.db, log: createLog('silent'), now: () => now, days: { body: 90, keys: 400, personal: 400 } },
    { pauseMs: 0 },
  );

async function one() {
  const [first] = (await listDeliveries(flow.db, { take: 1 })).items;
  return getDelivery(flow.db, first?.id ?? '');
}

test('a delivery shows what was sent, what was answered and each attempt; the payload that its event holds is kept once', async () => {
  await flow.pay(1);
  await flow.run();
  const shown = await one();
  const stored = await flow.db('inbox').where({ id: shown?.eventId }).first('body');
  expect(shown).toMatchObject({
    payload: stored.body.toString('utf8'),
    responseBody: expect.stringContaining('"received":true'),
    responseHeaders: expect.any(Object),
    attemptsList: [{ error: null, attemptedAt: expect.any(String) }],
  });
  expect(await flow.db('deliveries').whereNotNull('payload')).toEqual([]);
  expect((await listDeliveries(flow.db, { take: 1 })).items[0]).not.toHaveProperty('payload');
});

test('it is kept where no event holds it, also of another endpoint, and goes with RETENTION_BODY_DAYS for good', async () => {
  flow.sandbox.control.addEndpoint({ url: 'http://127.0.0.1:9/elsewhere', events: ['payment_intent.completed'] });
  await flow.pay(1);
  await flow.run();
  const [other] = (await listDeliveries(flow.db, { class: 'other_endpoint' })).items;
  const id = other?.id ?? '';
  const kept = await getDelivery(flow.db, id);
  expect(fromJsonText(kept?.payload ?? '')).toMatchObject({ event: 'payment_intent.completed' });

  await keep(new Date(Date.now() + 89 * DAY_MS));
  expect(await getDelivery(flow.db, id)).toEqual(kept);
  await keep(new Date(Date.now() + 91 * DAY_MS));
  const gone = { payload: null, responseBody: null, responseHeaders: null, attemptsList: null };
  expect(await getDelivery(flow.db, id)).toMatchObject(gone);
  const [event] = (await listDeliveries(flow.db, { class: 'received' })).items;
  expect(await getDelivery(flow.db, event?.id ?? '')).toMatchObject(gone);

  const rows = () => flow.db('deliveries').orderBy('id').select('id', 'poll_ref', 'payload', 'details');
  const before = await rows();
  await flow.run('deliveries', { full: true });
  expect(await rows()).toEqual(before);
});

test('what may still be recovered keeps its payload, however old', async () => {
  flow.deps.settings.missedGraceMs = 900_000;
  flow.sandbox.control.setFaults({ drop: 1 });
  await flow.pay(1);
  await flow.run();
  await keep(new Date(Date.now() + 300 * DAY_MS));
  expect((await one())?.payload).not.toBeNull();
});

test('it is bounded, and viewers see nothing personal', () => {
  const large = 'x'.repeat(70_000);
  const attempt = { error: 'mail to jo@shop.example failed' };
  const fields: JsonObject = {
    payload: { note: 'no event', customerEmail: 'jo@shop.example' },
    responseBody: large,
    responseHeaders: { 'x-large': large },
    attemptsList: Array.from({ length: 80 }, () => attempt),
  };
  const details = detailsOf(detailsIn(fields, null), null);
  expect(details.responseBody).toHaveLength(2_001);
  expect(details.responseHeaders).toBeNull();
  expect(details.attemptsList).toHaveLength(50);
  expect(keptPayload(large)).toBeNull();
  expect(details.payload).toContain('jo@shop.example');
  const masked = maskedDelivery({ ...details, responseHeaders: { from: 'jo@shop.example' } });
  expect(JSON.stringify(masked)).not.toContain('jo@shop');
  expect(masked.payload).toContain('no event');
});
