import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { ForbiddenError } from '../../src/service-api/service-errors.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { until } from '../support/drill.js';
import { forger, itemsOf, otherHistory, seconds } from '../support/forger.js';
import { resettableDatabase } from '../support/resettable-database.js';

let flow: DeliveryFlow;
let endpoint: string;
const database = resettableDatabase();

beforeEach(async () => {
  // The service's clock is known to within a second or two.
  flow = await startDeliveryFlow({ database, settings: { missedGraceMs: 2_500 } });
  endpoint = flow.addEndpoint('live').id;
  await flow.run('endpoints');
  await flow.pay(1);
  await flow.run('payment-intents');
  await flow.run();
});
afterEach(() => flow.close());

/** A payment that is collected, of which the service generates no event. */
function swallowed(): string {
  const { control } = flow.sandbox;
  control.setFaults({ swallow: 1 });
  const id = control.createPayment({ amount: '12.5', currency: 'USDT.TRC20' });
  control.pay(id, { percent: 100 });
  control.setFaults({});
  return id;
}

/** Until all that the list showed is compared with the history. */
async function compare(): Promise<void> {
  await flow.run('payment-intents');
  const shown = await flow.db('changes').max('seq as seq').first();
  await until('the changes are compared', async () => {
    await flow.run();
    return BigInt(await compared()) >= BigInt(shown?.seq);
  });
}

async function compared(): Promise<string> {
  const row = await flow.db('watermarks').where({ kind: 'generated events' }).first('value');
  return row.value.seq;
}

async function named(status = 'open'): Promise<string[]> {
  const { items } = await listBreaks(flow.db, { kind: 'event_never_generated', status, take: 500 });
  return items.map(({ entity }) => entity.id).sort();
}

/** The history with one more delivery, to an endpoint of somebody else. */
function withDelivery(id: string, type: string) {
  const item: JsonObject = {
    id: `whd_${id}_${type}`,
    endpointId: 'we_other',
    endpointUrl: 'https://other.example/hook',
    eventType: type,
    status: 'succeeded',
    createdAt: new Date().toISOString(),
    payload: JSON.stringify({ event: type, timestamp: seconds(), data: { id, status: 'completed' } }),
  };
  return otherHistory(flow.sandbox, (page) => ({ ...page, items: [item, ...itemsOf(page)] }));
}

test('two payments whose events are swallowed are named, with what the list and the history say; a delivery ends it', async () => {
  const ids = [swallowed(), swallowed()].sort();
  await flow.pay(1);
  await compare();
  expect(await named()).toEqual(ids);
  const { items } = await listBreaks(flow.db, { kind: 'event_never_generated' });
  expect(items[0]).toMatchObject({
    severity: 'medium',
    entity: { kind: 'payment_intent' },
    evidence: {
      ours: { eventType: 'payment_intent.completed', status: 'completed', shownAt: expect.any(String) },
      theirs: { deliveries: '0', historyReadAt: expect.any(String), knownSince: expect.any(String) },
    },
  });

  const usual = flow.deps.client;
  flow.deps.client = withDelivery(ids[0] ?? '', 'payment_intent.pending');
  await flow.run();
  expect(await named()).toEqual(ids);
  flow.deps.client = withDelivery(ids[0] ?? '', 'payment_intent.completed');
  await flow.run();
  expect(await named()).toEqual(ids.slice(1));
  expect(await named('auto_resolved')).toEqual(ids.slice(0, 1));

  flow.deps.client = usual;
  const open = (await listBreaks(flow.db, { kind: 'event_never_generated', status: 'open' })).items;
  await decideBreak(flow.db, open[0]?.id ?? '', 'resolve', { actor: 'ops', note: 'asked the service' });
  await compare();
  expect(await named()).toEqual([]);
});

test('it ends where the event comes after all, or the list shows the payment in another state', async () => {
  const [first, second] = [swallowed(), swallowed()];
  await compare();
  expect(await named()).toEqual([first, second].sort());
  await flow.db('payment_intents').where({ id: first }).update({ status: 'expired' });
  await flow.run();
  expect(await named()).toEqual([second]);
  await flow.db('payment_intents').where({ id: second }).update({ absent_since: new Date() });
  await flow.run();
  expect(await named()).toEqual([]);
});

test('nothing is said within the grace, of a history that is late, incomplete or refused', async () => {
  const id = swallowed();
  await flow.run('payment-intents');
  await flow.run();
  expect(await named()).toEqual([]);

  flow.deps.client = otherHistory(flow.sandbox, (page) => ({ ...page, nextCursor: 'again' }));
  expect(await flow.run('deliveries', { full: true })).toMatchObject({ complete: false });
  flow.deps.client = {
    serviceNow: () => Date.now(),
    reply: () =>
      Promise.reject(
        new ForbiddenError('no', {
          operation: 'listWebhookDeliveries',
          status: 403,
          serviceCode: null,
          serviceMessage: null,
        }),
      ),
  };
  expect(await flow.run()).toMatchObject({ complete: false });
  expect(await named()).toEqual([]);

  // Listed late, and within the grace of its poll.
  flow.deps.client = withDelivery(id, 'payment_intent.completed');
  await compare();
  expect(await named()).toEqual([]);
});

test('nothing is compared while the history differs from what came', async () => {
  const who = forger(flow);
  await who.learn();
  await who.payUntil(20);
  await Promise.all(Array.from({ length: 7 }, () => who.forge('live')));
  flow.deps.settings.missedGraceMs = 0;
  await flow.run();
  expect(await who.differing()).toHaveLength(1);
  const before = await compared();
  swallowed();
  await flow.run('payment-intents');
  await flow.run();
  expect(await compared()).toBe(before);
});

test('nothing is said where the endpoint was off, was switched on since, or cannot be listed', async () => {
  const { control } = flow.sandbox;
  control.setEndpointActive(endpoint, false);
  const off = swallowed();
  control.setEndpointActive(endpoint, true);
  await flow.run('endpoints');
  await compare();
  // Off and on between two polls shows nowhere.
  expect(await named()).toEqual([off]);

  control.setEndpointActive(endpoint, false);
  await flow.run('endpoints');
  const seenOff = swallowed();
  await compare();
  control.setEndpointActive(endpoint, true);
  await flow.run('endpoints');
  await compare();
  expect(await named()).toEqual([off]);
  expect(seenOff).not.toBe(off);
});

test('nothing is said of an endpoint that is not subscribed, of an event that came, and of a type that was never generated', async () => {
  const { control } = flow.sandbox;
  control.removeEndpoint(endpoint);
  flow.addEndpoint('other', ['payout.failed']);
  await flow.run('endpoints');
  swallowed();
  await compare();
  expect(await named()).toEqual([]);

  flow.addEndpoint('whole');
  await flow.run('endpoints');
  const came = swallowed();
  const row = await flow.db('inbox').where({ event_type: 'payment_intent.completed' }).first();
  const { id: _id, ...copy } = row;
  const body = JSON.stringify({ event: row.event_type, timestamp: 1, data: { id: came } });
  await flow.db('inbox').insert({ ...copy, key: 'fp:came', content_hash: 'came', body: Buffer.from(body) });
  const unheard = swallowed();
  await compare();
  expect(await named()).toEqual([unheard]);

  await flow.db('breaks').where({ kind: 'event_never_generated' }).update({ status: 'auto_resolved' });
  await flow
    .db('inbox')
    .where({ event_type: 'payment_intent.completed' })
    .update({ event_type: 'payment_intent.paid' });
  swallowed();
  await compare();
  expect(await named()).toEqual([]);
});

test('the grace counts from the poll that was the first to show the state, not from the first of the payment', async () => {
  const { control } = flow.sandbox;
  control.setFaults({ swallow: 1 });
  const id = control.createPayment({ amount: '12.5', currency: 'USDT.TRC20' });
  await flow.run('payment-intents');
  const seen = Date.now();
  await until('the grace of the first poll is over', async () => Date.now() > seen + 2_600);
  control.pay(id, { percent: 100 });
  control.setFaults({});
  await flow.run('payment-intents');
  await flow.run();
  expect(await named()).toEqual([]);
  await compare();
  expect(await named()).toEqual([id]);
});

test('a run names so many at most, and the next goes on where it ended', async () => {
  const { db } = flow;
  const one = swallowed();
  await until('the list shows that it is collected', async () => {
    await flow.run('payment-intents');
    return (await db('payment_intents').where({ id: one }).first('status'))?.status === 'completed';
  });
  // The change that says so: one that was read before says another state.
  const [shown] = await db('changes')
    .where({ entity_kind: 'payment_intent', entity_id: one })
    .whereIn('field', ['*', 'status'])
    .orderBy('seq', 'desc')
    .limit(1);
  const record = await db('payment_intents').where({ id: one }).first();
  const { seq: _seq, xid: _xid, ...change } = shown;
  const many = Array.from({ length: 150 }, (_, n) => `pi_many_${n}`);
  await db('payment_intents').insert(many.map((id) => ({ ...record, id })));
  await db('changes').insert(many.map((id) => ({ ...change, entity_id: id })));
  // Whatever else was written meanwhile: nothing between them is young any more.
  await until('the grace of all of them is over', async () => {
    const [row] = (await db.raw("SELECT max(changed_at) < now() - interval '6 seconds' AS old FROM changes")).rows;
    return row.old === true;
  });
  await until('the first hundred are named', async () => {
    await flow.run();
    return (await named()).length > 0;
  });
  expect(await named()).toHaveLength(100);
  await flow.run();
  expect(await named()).toEqual([one, ...many].sort());
});
