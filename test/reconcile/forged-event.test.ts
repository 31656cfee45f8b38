import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { ForbiddenError } from '../../src/service-api/service-errors.js';
import { loggedDeliveries } from '../support/deliveries.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { type Forger, informedForger, itemsOf, otherHistory, seconds, without } from '../support/forger.js';
import { resettableDatabase } from '../support/resettable-database.js';

let flow: DeliveryFlow;
let who: Forger;
const database = resettableDatabase();
afterEach(() => flow.close());

const refusal = { operation: 'listWebhookDeliveries', status: 403, serviceCode: null, serviceMessage: null };

describe('one forged event', () => {
  beforeEach(async () => {
    flow = await startDeliveryFlow({ database });
    who = await informedForger(flow);
  });

  test('is not named within the grace, by a reading that is not complete, or where the history or the endpoints are refused', async () => {
    const id = await who.forge('live');
    flow.deps.settings.missedGraceMs = 900_000;
    await flow.run('deliveries');
    expect(await who.named()).toEqual([]);
    expect(await who.secret('live')).toMatchObject({ notSent: 0, unmatched: 1 });
    flow.deps.settings.missedGraceMs = 0;

    flow.deps.client = otherHistory(flow.sandbox, (page) => ({ ...page, nextCursor: 'again' }));
    expect(await flow.run('deliveries', { full: true })).toMatchObject({ complete: false });
    expect(await who.named()).toEqual([]);

    flow.deps.client = {
      serviceNow: () => Date.now(),
      reply: () => Promise.reject(new ForbiddenError('not for this account', refusal)),
    };
    const refused = await flow.run('deliveries');
    expect(refused).toMatchObject({ status: 'succeeded', complete: false });
    expect(refused.proof['reason']).toMatch(/^degraded: /);
    expect(await who.named()).toEqual([]);
    await flow
      .db('runs')
      .where({ kind: 'deliveries', complete: true })
      .update({ started_at: new Date(0) });
    expect(await who.secret('live')).toMatchObject({ notSent: null, untold: expect.stringContaining('degraded: ') });

    flow.deps.client = otherHistory(flow.sandbox, (page) => page);
    flow.sandbox.control.setFaults({ businessAccount: false });
    expect(await flow.run('deliveries')).toMatchObject({ complete: true });
    expect(await who.named()).toEqual([]);

    flow.sandbox.control.setFaults({});
    await flow.run('deliveries');
    expect(await who.named()).toEqual([id]);
  });

  test('is none where the dashboard lists a test send or trigger marked it, and not named once its endpoint is deleted', async () => {
    const [endpoint] = await flow.db('endpoints').select('id');
    flow.sandbox.control.testSend(endpoint.id, 'payment_intent.completed');
    await flow.sandbox.control.deliveriesIdle();
    await who.forge('live', { tallyhook: 'trigger' });
    await flow.run('deliveries');
    expect(await who.named()).toEqual([]);
    expect(await who.secret('live')).toMatchObject({ notSent: 0, unmatched: 0 });

    await who.forge('live');
    // The service is asked for it after the reading.
    flow.sandbox.control.removeEndpoint(endpoint.id);
    await flow.run('deliveries');
    expect(await who.named()).toEqual([]);
    expect(await who.secret('live')).toMatchObject({
      notSent: null,
      unmatched: 1,
      untold: expect.stringContaining('does not list'),
    });
  });

  test('is not named by a history that lost what was before it', async () => {
    const id = await who.forge('live');
    const since = Date.now();
    await flow.db('deliveries').update({ created_at: flow.db.raw(`created_at - interval '1 hour'`) });
    await flow.pay(1);
    flow.deps.client = otherHistory(flow.sandbox, (page) =>
      without(page, ({ createdAt }) => Date.parse(createdAt) < since),
    );
    expect(await flow.run('deliveries')).toMatchObject({ complete: true });
    expect(await who.named()).toEqual([]);
    expect(await who.secret('live')).toMatchObject({ notSent: 0, unmatched: 1 });
    flow.deps.client = otherHistory(flow.sandbox, (page) => page);
    await flow.run('deliveries', { full: true });
    expect(await who.named()).toEqual([id]);
  });

  test('is named again by nothing once a person decided, and counts no more; the history lists it after all: the break is over', async () => {
    const [first, second] = [await who.forge('live'), await who.forge('live')];
    await flow.run('deliveries');
    expect(await who.named()).toEqual([first, second].toSorted());
    const [one] = (await who.notSent()).filter(({ entity }) => entity.id === first);
    await decideBreak(flow.db, one?.id ?? '', 'resolve', { actor: 'ops', note: 'our own test' });
    await flow.run('deliveries');
    expect(await who.named()).toEqual([second]);
    expect(await who.secret('live')).toMatchObject({ notSent: 1 });

    const late = await flow.db('inbox').where({ id: second }).first();
    const listed = {
      id: 'whd_late',
      endpointUrl: flow.url,
      eventType: late.event_type,
      createdAt: new Date().toISOString(),
    };
    const item: JsonObject = { ...listed, status: 'succeeded', payload: late.body.toString('utf8') };
    flow.deps.client = otherHistory(flow.sandbox, (page) => ({ ...page, items: [item, ...itemsOf(page)] }));
    await flow.run('deliveries');
    expect(await who.named()).toEqual([]);
    expect((await who.notSent('auto_resolved')).map(({ entity }) => entity.id)).toEqual([second]);
    flow.deps.client = otherHistory(flow.sandbox, (page) => page);
    await flow.run('deliveries', { full: true });
    expect(await who.named()).toEqual([]);
    expect(await who.secret('live')).toMatchObject({ notSent: 0, next: expect.not.stringContaining('leaked') });
  });

  test.each([
    ['after it', {}],
    ['before it', { drop: 1 }],
  ])('of the id of a real one is named for its content, when it comes %s', async (_when, faults) => {
    flow.sandbox.control.setFaults({ eventId: 'envelope', ...faults });
    await flow.pay(1);
    const real = (await loggedDeliveries(flow.sandbox))[0]?.payload;
    expect(real).toMatchObject({ id: expect.any(String) });
    const id = await who.send('live', { ...real, timestamp: seconds(), data: { ...real?.data, amountRequested: '1' } });
    await flow.run('deliveries');
    await flow.run('deliveries');
    expect(await who.named()).toEqual([id]);
    expect((await who.notSent())[0]?.evidence).toMatchObject({ reason: 'other_content' });
  });

  test('is one of so many that most are counted by one break', async () => {
    await who.payUntil(60);
    await flow.db.raw(
      `INSERT INTO deliveries (id, endpoint_id, created_at, ours, class, inbox_id, poll_from, poll_ref)
       SELECT 'old' || n, endpoint_id, now(), true, 'received', 1000000 + n, 1, '1'
       FROM generate_series(1, 14000) AS n, (SELECT endpoint_id FROM deliveries LIMIT 1) AS one`,
    );
    await Promise.all(Array.from({ length: 103 }, () => who.forge('live')));
    await flow.run('deliveries');
    const open = await who.notSent();
    expect(open.filter(({ entity }) => entity.kind === 'event')).toHaveLength(100);
    expect(open.filter(({ entity }) => entity.kind === 'secret')).toMatchObject([
      { entity: { id: 'live' }, evidence: { reason: 'many', ours: { events: '3' } } },
    ]);
    expect(await who.secret('live')).toMatchObject({ notSent: 103 });
    await who.forge('live');
    await flow.run('deliveries');
    expect(await who.notSent()).toHaveLength(101);
    await flow.db('report_checks').where({ single: false }).update({ state: 'matched' });
    await flow.run('deliveries');
    expect(await who.notSent()).toHaveLength(100);
  });

  test('may be a test send where the history lacks those: one break for each secret says so, and a dry run judges nothing', async () => {
    flow.deps.contract = { ...defaultContract, deliveries: { ...defaultContract.deliveries, testSends: 'unlisted' } };
    for (let n = 0; n < 3; n += 1) await who.forge('live');
    await flow.run('deliveries', { dryRun: true });
    expect(await who.named()).toEqual([]);
    expect(await flow.db('report_checks')).toEqual([]);
    await flow.run('deliveries');
    expect(await who.notSent()).toMatchObject([
      { entity: { kind: 'secret', id: 'live' }, evidence: { mayBe: expect.stringContaining('test send') } },
    ]);
  });
});
