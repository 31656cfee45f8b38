import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import type { ClassifiedDelivery } from '../../src/records/deliveries/classify-deliveries.js';
import { deliveriesById, openDeliveries } from '../../src/records/deliveries/deliveries.js';
import { getDelivery, listDeliveries } from '../../src/records/deliveries/list-deliveries.js';
import { type Delivery, readDelivery } from '../../src/records/deliveries/read-delivery.js';
import { saveDeliveries } from '../../src/records/deliveries/save-deliveries.js';
import { useFreshDatabase } from '../support/database.js';

const database = useFreshDatabase();

const at = (minute: number) => Date.UTC(2026, 9, 1, 0, minute);
const knowledge = (minute: number, run: string) => {
  const time = new Date(at(minute)).toISOString();
  return { verified: true, verifiedAt: time, observedAt: time, observedBy: { type: 'poll', ref: run } };
};

function classified(delivery: Delivery, kind: 'pending_retry' | 'never_reached' | 'received'): ClassifiedDelivery {
  const verdict = { class: kind, missed: kind === 'never_reached', open: true, recover: false, breakKind: null };
  return {
    delivery,
    verdict,
    ours: true,
    inboxId: null,
    alike: [],
    once: [],
    payload: null,
    reason: null,
    classifyAt: null,
  };
}

function fromService(fields: JsonObject): Delivery {
  const delivery = readDelivery({ id: 'wd_1', status: 'pending', ...fields }, 'none');
  if (delivery === null) throw new Error('it has an id');
  return delivery;
}

const save = (one: ClassifiedDelivery, minute: number, ref: string) =>
  database.db.transaction((trx) => saveDeliveries(trx, [one], { from: at(minute), ref }));

test('a delivery is verified by the reading of the history that showed it, not by being judged again', async () => {
  await save(classified(fromService({}), 'pending_retry'), 1, '11');
  expect(await getDelivery(database.db, 'wd_1')).toMatchObject({ class: 'pending_retry', ...knowledge(1, '11') });

  const [known] = await deliveriesById(database.db, ['wd_1']);
  await save(classified(known!, 'never_reached'), 20, '12');
  const { items } = await listDeliveries(database.db, {});
  expect(items).toMatchObject([{ class: 'never_reached', missed: true, ...knowledge(1, '11') }]);

  await save(classified(fromService({ status: 'succeeded' }), 'received'), 30, '13');
  expect(await getDelivery(database.db, 'wd_1')).toMatchObject({ status: 'succeeded', ...knowledge(30, '13') });
});

const event = JSON.stringify({ event: 'payout.failed', timestamp: at(1) / 1_000, data: { id: 'po_1' } });

test.each([
  ['with its event', { payload: event }],
  ['without one', { payload: { data: { payoutId: 'po_1', paymentIntentId: 'pi_1' } } }],
])('a delivery %s comes back as it was saved, and is due again when it is to be judged', async (name, { payload }) => {
  const id = `wd ${name}`;
  const times = {
    createdAt: '2026-10-01T00:01:00.250Z',
    lastAttemptAt: '2026-10-01T00:02:00Z',
    nextRetryAt: '2026-10-01T00:09:00Z',
  };
  const endpoint = { endpointId: 'we_1', endpointUrl: 'https://shop.example/webhooks', eventType: 'payout.failed' };
  const answer = { httpStatus: '503', attempts: '2', responseBody: '{"error":"unavailable"}' };
  const delivery = fromService({ id, ...times, ...endpoint, ...answer, payload });
  expect([delivery.event === null, delivery.mentions.length]).toEqual(name === 'without one' ? [true, 2] : [false, 0]);
  const judged = { ...classified(delivery, 'never_reached'), payload: delivery.payload, classifyAt: at(40) };
  await save(judged, 1, '11');
  const [known] = await deliveriesById(database.db, [id]);
  expect(known).toEqual({ ...delivery, firstSeenAt: expect.any(Number), shownIn: { from: at(1), run: '11' } });
  expect(await openDeliveries(database.db, at(39))).not.toContain(id);
  expect(await openDeliveries(database.db, at(40))).toContain(id);
});
