import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Json, type JsonObject } from '../../src/domain/json.js';
import { createLog } from '../../src/log.js';
import type { ServiceReader } from '../../src/reconcile/deps.js';
import { decideBreak } from '../../src/records/breaks/decide-break.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import type { Sandbox } from '../../src/sandbox/start-sandbox.js';
import { MerchantClient } from '../../src/service-api/client.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { ForbiddenError } from '../../src/service-api/service-errors.js';
import { secretsStatus } from '../../src/webhook/rotation.js';
import { createSecretMatchLog } from '../../src/webhook/secret-matches.js';
import { loggedDeliveries } from '../support/deliveries.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { post } from '../support/receiver.js';
import { signedHeaders } from '../support/signed.js';

const LONG = process.env['TALLYHOOK_LONG'] !== undefined;
const [REAL, FORGED] = LONG ? [5_000, 50] : [500, 5];

let flow: DeliveryFlow;
afterEach(() => flow.close());

const secretOf = (label: string) => flow.secrets.find((one) => one.label === label)?.secret ?? '';
const now = () => Math.floor(Date.now() / 1_000);
const notSent = async (status = 'open') =>
  (await listBreaks(flow.db, { kind: 'event_not_sent', status, take: 500 })).items;
const named = async () => (await notSent()).map(({ entity }) => entity.id).sort();
const differing = async () => (await listBreaks(flow.db, { kind: 'history_differs', status: 'open' })).items;

/** What somebody who holds the secret sends. Returns the id of its row in the inbox. */
async function send(label: string, envelope: object): Promise<string> {
  const body = JSON.stringify(envelope);
  const { status, body: answer } = await post(flow.url, body, signedHeaders(body, secretOf(label)));
  expect(status).toBe(200);
  return String(answer['id']);
}

let made = 0;
function forge(label: string, more: object = {}): Promise<string> {
  made += 1;
  const data = {
    id: `pi_forged_${made}`,
    status: 'completed',
    merchantReference: `F-${made}`,
    customerEmail: 'a@b.example',
  };
  return send(label, { event: 'payment_intent.completed', timestamp: now(), data, ...more });
}

/** Matches are written down once a second; what the receiver has in memory is not waited for. */
async function noteMatches(): Promise<void> {
  const rows = await flow.db('inbox_arrivals').select('secret_label').min('first_at as first').groupBy('secret_label');
  const log = createSecretMatchLog({ db: flow.db, log: createLog('silent'), now: () => new Date() });
  for (const { secret_label } of rows) log.add(secret_label, flow.secrets);
  await log.close();
  for (const { secret_label, first } of rows) {
    await flow.db('secrets').where({ label: secret_label }).update({ first_match_at: first });
  }
}

async function learn() {
  await noteMatches();
  await flow.run('endpoints');
  return flow.run('deliveries');
}

async function secret(label: string) {
  const { items } = await secretsStatus(flow.db, flow.secrets);
  return items.find((one) => one.label === label);
}

/** The service, with another delivery history than it has. */
function between(change: (page: JsonObject, query: Record<string, unknown>) => Json) {
  return (sandbox: Sandbox): ServiceReader => {
    const client = new MerchantClient({ baseUrl: sandbox.url, apiKey: 'sandbox-api-key', contract: defaultContract });
    return {
      serviceNow: () => client.serviceNow(),
      reply: async (operation, request) => {
        const answer = await client.reply(operation, request);
        if (operation !== 'listWebhookDeliveries') return answer;
        return { ...answer, data: change(answer.data as JsonObject, request.query ?? {}) };
      },
    };
  };
}

const itemsOf = (page: JsonObject) => page['items'] as JsonObject[];
const without = (page: JsonObject, isLacking: (item: JsonObject, index: number) => boolean): JsonObject => ({
  ...page,
  items: itemsOf(page).filter((item, index) => !isLacking(item, index)),
});

/** Payments until so many events are there. */
async function payUntil(events: number): Promise<void> {
  const count = async () => Number((await flow.db('inbox').count('* as n').first())?.n);
  for (let there = await count(); there < events; there = await count()) {
    await flow.pay(Math.max(1, Math.ceil((events - there) / 4)));
  }
}

async function bodyOf(label: string): Promise<JsonObject> {
  const row = await flow.db('inbox').where({ secret_label: label, source: 'webhook' }).orderBy('id').first('body');
  return JSON.parse(row.body.toString('utf8'));
}

test(
  'forged events among a hundred times as many real ones, through a rotation, a retry and a replay: each is named, and none besides',
  async () => {
    flow = await startDeliveryFlow({ sandbox: { retrySchedule: [0.05] } });
    flow.addEndpoint('old');
    await flow.pay(2);
    await learn();
    flow.sandbox.control.setFaults({ restamp: true, flaky: 0.05, duplicate: 0.05, stampApartSeconds: 1 });
    const forged: string[] = [];
    await payUntil(REAL / 2);
    for (let n = 0; n < FORGED; n += 2) forged.push(await forge('old'));
    flow.addEndpoint('new');
    await payUntil(REAL);
    for (let n = forged.length; n < FORGED; n += 1) forged.push(await forge('new'));
    // Somebody sends again what was caught, and stamps it anew.
    const real = await bodyOf('old');
    await send('old', { ...real, timestamp: now() });
    await noteMatches();
    flow.sandbox.control.setFaults({ drop: 1 });
    await flow.pay(1);
    flow.sandbox.control.advance(1);
    await flow.sandbox.control.deliveriesIdle();
    flow.sandbox.control.setFaults({});
    await flow.run('endpoints');
    const run = await flow.run('deliveries');
    expect(run).toMatchObject({ complete: true, status: 'succeeded' });
    expect(run.proof['recovered']).toBeGreaterThan(0);
    await flow.apply();
    await flow.run('deliveries', { full: true });
    expect(await named()).toEqual(forged.toSorted());
    expect(await differing()).toEqual([]);
    const [one] = await notSent();
    expect(one).toMatchObject({
      severity: 'critical',
      entity: { kind: 'event' },
      evidence: {
        reason: 'not_listed',
        ours: {
          eventType: 'payment_intent.completed',
          secret: 'new',
          key: expect.any(String),
          receivedAt: expect.any(String),
          names: { id: expect.stringMatching(/^pi_forged_/), merchantReference: expect.stringMatching(/^F-/) },
        },
        theirs: { historyReadAt: expect.any(String), knownSince: expect.any(String) },
        mayBe: expect.stringContaining('test send'),
        source: { type: 'poll', ref: expect.any(String) },
      },
    });
    const olds = Math.ceil(FORGED / 2);
    expect(await secret('old')).toMatchObject({
      notSent: olds,
      untold: null,
      next: expect.stringContaining('may have leaked'),
    });
    expect(await secret('new')).toMatchObject({ notSent: FORGED - olds });
    // What is known is not looked at again, and no row is kept of what is matched.
    const rows = await flow.db('report_checks').whereNot({ state: 'matched' });
    expect(rows.map(({ inbox_id }) => inbox_id).toSorted()).toEqual(forged.toSorted());
  },
  LONG ? 900_000 : 120_000,
);

test(
  'a history that lacks one in twenty is one finding, and no event is named',
  async () => {
    flow = await startDeliveryFlow();
    flow.addEndpoint('live');
    await flow.pay(2);
    await learn();
    const reader = between((page) =>
      without(page, (item) => Number.parseInt(String(item['id']).slice(-3), 36) % 20 === 0),
    );
    flow.deps.client = reader(flow.sandbox);
    await payUntil(REAL);
    await forge('live');
    await noteMatches();
    await flow.run('deliveries');
    expect(await named()).toEqual([]);
    const [one, ...more] = await differing();
    expect(more).toEqual([]);
    expect(one).toMatchObject({ severity: 'high', evidence: { ours: { bySecret: { live: expect.any(String) } } } });
    expect(await secret('live')).toMatchObject({ notSent: 0, unmatched: expect.any(Number) });
    expect((await secret('live'))?.unmatched).toBeGreaterThan(REAL / 40);
    // The service mends its history: what it lists now was sent, and only the forged one is left.
    flow.deps.client = between((page) => page)(flow.sandbox);
    await flow.run('deliveries');
    expect(await differing()).toEqual([]);
    expect((await secret('live'))?.unmatched).toBe(1);
  },
  LONG ? 900_000 : 120_000,
);

const refusal = { operation: 'listWebhookDeliveries', status: 403, serviceCode: null, serviceMessage: null };

describe('one forged event', () => {
  beforeEach(async () => {
    flow = await startDeliveryFlow();
    flow.addEndpoint('live');
    await flow.pay(2);
    await learn();
  });

  test('is not named within the grace, by a reading that is not complete, or where the history or the endpoints are refused', async () => {
    const id = await forge('live');
    flow.deps.settings.missedGraceMs = 900_000;
    await flow.run('deliveries');
    expect(await named()).toEqual([]);
    expect(await secret('live')).toMatchObject({ notSent: 0, unmatched: 1 });
    flow.deps.settings.missedGraceMs = 0;

    flow.deps.client = between((page) => ({ ...page, nextCursor: 'again' }))(flow.sandbox);
    expect(await flow.run('deliveries', { full: true })).toMatchObject({ complete: false });
    expect(await named()).toEqual([]);

    flow.deps.client = {
      serviceNow: () => Date.now(),
      reply: () => Promise.reject(new ForbiddenError('not for this account', refusal)),
    };
    const refused = await flow.run('deliveries');
    expect(refused).toMatchObject({ status: 'succeeded', complete: false });
    expect(refused.proof['reason']).toMatch(/^degraded: /);
    expect(await named()).toEqual([]);
    await flow
      .db('runs')
      .where({ kind: 'deliveries', complete: true })
      .update({ started_at: new Date(0) });
    expect(await secret('live')).toMatchObject({ notSent: null, untold: expect.stringContaining('degraded: ') });

    flow.deps.client = between((page) => page)(flow.sandbox);
    flow.sandbox.control.setFaults({ businessAccount: false });
    expect(await flow.run('deliveries')).toMatchObject({ complete: true });
    expect(await named()).toEqual([]);

    flow.sandbox.control.setFaults({});
    await flow.run('deliveries');
    expect(await named()).toEqual([id]);
  });

  test('is not named once its endpoint is deleted, which the service is asked for after the reading', async () => {
    await forge('live');
    const [endpoint] = await flow.db('endpoints').select('id');
    flow.sandbox.control.removeEndpoint(endpoint.id);
    await flow.run('deliveries');
    expect(await named()).toEqual([]);
    expect(await secret('live')).toMatchObject({
      notSent: null,
      unmatched: 1,
      untold: expect.stringContaining('does not list'),
    });
  });

  test('is not named by a history that lost what was before it', async () => {
    const id = await forge('live');
    const since = Date.now();
    await flow.db('deliveries').update({ created_at: flow.db.raw(`created_at - interval '1 hour'`) });
    await flow.pay(1);
    flow.deps.client = between((page) => without(page, (item) => Date.parse(String(item['createdAt'])) < since))(
      flow.sandbox,
    );
    expect(await flow.run('deliveries')).toMatchObject({ complete: true });
    expect(await named()).toEqual([]);
    expect(await secret('live')).toMatchObject({ notSent: 0, unmatched: 1 });
    flow.deps.client = between((page) => page)(flow.sandbox);
    await flow.run('deliveries', { full: true });
    expect(await named()).toEqual([id]);
  });

  test('is named again by nothing once a person decided, and counts no more; the history lists it after all: the break is over', async () => {
    const [first, second] = [await forge('live'), await forge('live')];
    await flow.run('deliveries');
    expect(await named()).toEqual([first, second].toSorted());
    const [one] = (await notSent()).filter(({ entity }) => entity.id === first);
    await decideBreak(flow.db, one?.id ?? '', 'resolve', { actor: 'ops', note: 'our own test' });
    await flow.run('deliveries');
    expect(await named()).toEqual([second]);
    expect(await secret('live')).toMatchObject({ notSent: 1 });

    const late = await flow.db('inbox').where({ id: second }).first();
    const listed = {
      id: 'whd_late',
      endpointUrl: flow.url,
      eventType: late.event_type,
      createdAt: new Date().toISOString(),
    };
    const item: JsonObject = { ...listed, status: 'succeeded', payload: late.body.toString('utf8') };
    flow.deps.client = between((page) => ({ ...page, items: [item, ...itemsOf(page)] }))(flow.sandbox);
    await flow.run('deliveries');
    expect(await named()).toEqual([]);
    expect((await notSent('auto_resolved')).map(({ entity }) => entity.id)).toEqual([second]);
    flow.deps.client = between((page) => page)(flow.sandbox);
    await flow.run('deliveries', { full: true });
    expect(await named()).toEqual([]);
    expect(await secret('live')).toMatchObject({ notSent: 0, next: expect.not.stringContaining('leaked') });
  });

  test.each([
    ['after it', {}],
    ['before it', { drop: 1 }],
  ])('of the id of a real one is named for its content, when it comes %s', async (_when, faults) => {
    flow.sandbox.control.setFaults({ eventId: 'envelope', ...faults });
    await flow.pay(1);
    const real = (await loggedDeliveries(flow.sandbox))[0]?.payload;
    expect(real).toMatchObject({ id: expect.any(String) });
    const id = await send('live', { ...real, timestamp: now(), data: { ...real?.data, amountRequested: '1' } });
    await flow.run('deliveries');
    await flow.run('deliveries');
    expect(await named()).toEqual([id]);
    expect((await notSent())[0]?.evidence).toMatchObject({ reason: 'other_content' });
  });

  test('is one of so many that most are counted by one break', async () => {
    await payUntil(60);
    await flow.db.raw(
      `INSERT INTO deliveries (id, endpoint_id, created_at, ours, class, inbox_id, poll_from, poll_ref)
       SELECT 'old' || n, endpoint_id, now(), true, 'received', 1000000 + n, 1, '1'
       FROM generate_series(1, 14000) AS n, (SELECT endpoint_id FROM deliveries LIMIT 1) AS one`,
    );
    for (let n = 0; n < 103; n += 1) await forge('live');
    await flow.run('deliveries');
    const open = await notSent();
    expect(open.filter(({ entity }) => entity.kind === 'event')).toHaveLength(100);
    expect(open.filter(({ entity }) => entity.kind === 'secret')).toMatchObject([
      { entity: { id: 'live' }, evidence: { reason: 'many', ours: { events: '3' } } },
    ]);
    expect(await secret('live')).toMatchObject({ notSent: 103 });
    await forge('live');
    await flow.run('deliveries');
    expect(await notSent()).toHaveLength(101);
    await flow.db('report_checks').where({ single: false }).update({ state: 'matched' });
    await flow.run('deliveries');
    expect(await notSent()).toHaveLength(100);
  });

  test('may be a test send where the history lacks those: one break for each secret, which says so', async () => {
    flow.deps.contract = { ...defaultContract, deliveries: { ...defaultContract.deliveries, testSends: 'unlisted' } };
    for (let n = 0; n < 3; n += 1) await forge('live');
    await flow.run('deliveries');
    expect(await notSent()).toMatchObject([
      { entity: { kind: 'secret', id: 'live' }, evidence: { mayBe: expect.stringContaining('test send') } },
    ]);
  });

  test('a test send of the dashboard that the history lists is none, and neither is one with the mark of trigger', async () => {
    const [endpoint] = await flow.db('endpoints').select('id');
    flow.sandbox.control.testSend(endpoint.id, 'payment_intent.completed');
    await flow.sandbox.control.deliveriesIdle();
    await forge('live', { tallyhook: 'trigger' });
    await flow.run('deliveries');
    expect(await named()).toEqual([]);
    expect(await secret('live')).toMatchObject({ notSent: 0, unmatched: 0 });
  });

  test('a dry run judges nothing', async () => {
    await forge('live');
    await flow.run('deliveries', { dryRun: true });
    expect(await named()).toEqual([]);
    expect(await flow.db('report_checks')).toEqual([]);
  });
});
