import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import type { Knex } from 'knex';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canaryBody } from '../../src/domain/events/event-key.js';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import { type CanaryDeps, sendCanary } from '../../src/notify/send-canary.js';
import { loadAlertFacts } from '../../src/records/alerts/load-alert-facts.js';
import { beginCanary, canaryFacts } from '../../src/records/inbox/canaries.js';
import { minuteCounts } from '../../src/records/inbox/minute-counts.js';
import { applyEvents } from '../../src/webhook/apply-events.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startReceiver } from '../support/receiver.js';
import { eventBody, NOW, SECRET, sign, signedHeaders } from '../support/signed.js';
import { sized } from '../support/sizes.js';

const log = createLog('silent');
const now = () => new Date(NOW * 1_000);
/** Less than what timers may be early: the next is due at once. */
const AT_ONCE = 3;

interface Way {
  database: TestDatabase;
  receiver: Awaited<ReturnType<typeof startReceiver>>;
  deps: CanaryDeps;
  /** All that came is applied. */
  settled: () => Promise<unknown>;
  close(): Promise<void>;
}

/** A receiver whose events are applied as they come. */
async function openWay(): Promise<Way> {
  const database = await createTestDatabase();
  const { db } = database;
  const applying: Promise<unknown>[] = [];
  const onStored = (ids: string[]) =>
    void applying.push(applyEvents({ db, log, now, adoptedAt: new Date(0), metrics: createMetrics() }, ids));
  const receiver = await startReceiver(db, { onStored });
  const opened: Way = {
    database,
    receiver,
    deps: {
      db,
      log,
      now,
      url: `${receiver.url}/webhooks`,
      rules: { privateNetworks: false, loopback: true },
      everySeconds: AT_ONCE,
      eventIdPointer: 'auto',
      sign: (body) => signedHeaders(body),
    },
    settled: () => Promise.all(applying),
    async close() {
      await opened.receiver.close();
      await Promise.all(applying);
      await database.drop();
    },
  };
  return opened;
}

let way: Way;
let others: { close(): void }[];

beforeEach(async () => {
  others = [];
  way = await openWay();
});
afterEach(async () => {
  for (const other of others) other.close();
  await way.close();
});

/** Something before the receiver. */
async function before(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  others.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
}

/** By which silence is an alert. */
const heard = async (db: Knex) => (await loadAlertFacts(db, { now: new Date(), runEverySeconds: {} })).webhooks;

const rows = (db: Knex, table: string) => db(table).select();

test('a canary comes back, stored and applied, and nothing counts it as the service’s', async () => {
  const { deps, receiver, database } = way;
  const outcome = await sendCanary(deps);
  expect(outcome).toEqual({
    answeredMs: expect.any(Number),
    storedMs: expect.any(Number),
    appliedMs: expect.any(Number),
    error: null,
  });
  const { db } = database;
  expect(await rows(db, 'inbox')).toMatchObject([
    { mark: 'canary', status: 'applied', secret_label: null, event_type: 'tallyhook.canary', arrivals: 1 },
  ]);
  expect(await canaryFacts(db)).toMatchObject({ failures: 0, error: null, everySeconds: AT_ONCE });
  await receiver.close();
  for (const table of ['secrets', 'inbox_repeats', 'payment_intents', 'orders', 'breaks', 'changes', 'reading_marks'])
    expect([table, await rows(db, table)]).toEqual([table, []]);
  expect((await minuteCounts(db, new Date(), 2)).map(({ applied, waiting }) => applied + waiting)).toEqual([0, 0]);
  expect(await heard(db)).toEqual({ halfHour: 0, before: 0, unproven: 0 });
  const metrics = await receiver.metrics.registry.metrics();
  expect(metrics).toContain('tallyhook_webhook_requests_total{result="canary"} 1');
  expect(metrics).toContain('tallyhook_webhook_requests_total{result="accepted"} 0');
  expect(metrics).not.toMatch(/signature_matches_total\{/);
  way.receiver = await startReceiver(db);
});

test('what only looks like one is any event: a word that is not ours, ours a second time, ours in another body', async () => {
  const { deps, receiver, database, settled } = way;
  const word = 'ab'.repeat(16);
  const forged = eventBody('pi_1', { tallyhook: 'canary', note: `canary-${word}` });
  expect((await receiver.post(forged)).status).toBe(200);
  const sent: string[] = [];
  await sendCanary({
    ...deps,
    sign: (body) => {
      sent.push(body.toString());
      return signedHeaders(body);
    },
  });
  expect((await receiver.post(sent[0] ?? '')).body).toMatchObject({ duplicate: true });
  const known = { nonce: 'cd'.repeat(16), body: Buffer.from(canaryBody('cd'.repeat(16), NOW)), everySeconds: AT_ONCE };
  await beginCanary(database.db, known);
  await receiver.post(eventBody('pi_2', { tallyhook: 'canary', note: `canary-${known.nonce}` }));
  await settled();
  const { db } = database;
  expect(await db('payment_intents').orderBy('id').pluck('id')).toEqual(['pi_1', 'pi_2']);
  expect(await db('inbox').orderBy('id').pluck('mark')).toEqual([null, 'canary', null]);
  expect(await db('inbox_repeats').select('secret_label', 'arrivals')).toEqual([{ secret_label: 'live', arrivals: 1 }]);
});

test('how far it came is said in words, and a rejected one is no rejection of the service’s', async () => {
  const { deps, receiver, database } = way;
  const changing = await before((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()), null, 1);
      const headers = { 'X-Service-Signature': String(req.headers['x-service-signature']) };
      void receiver.post(body, headers).then((answer) => res.writeHead(answer.status).end(JSON.stringify(answer.body)));
    });
  });
  const anybody = await before((_req, res) => res.writeHead(200).end('welcome'));
  const elsewhere = await before((_req, res) => res.writeHead(301, { Location: deps.url }).end());
  const errorOf = async (changes: Partial<CanaryDeps>) => (await sendCanary({ ...deps, ...changes }))?.error;
  expect(await errorOf({ url: changing })).toMatch(/^answered 401: .*invalid_signature/);
  expect(await errorOf({ url: anybody })).toBe('answered 200, and the inbox lacks it: something else answers there');
  expect(await errorOf({ url: elsewhere })).toBe('answered 301: redirects are not followed');
  expect(await errorOf({ url: 'http://127.0.0.1:1/webhooks' })).toBe('failed: ECONNREFUSED');
  expect(await errorOf({ rules: { privateNetworks: false, loopback: false } })).toMatch(/takes https/);
  expect(await errorOf({ sign: () => null })).toBe('no secret is accepted that could sign it');
  const { db } = database;
  expect(await canaryFacts(db)).toMatchObject({ failures: 6, cameSecondsAgo: null });
  await sendCanary(deps);
  expect(await canaryFacts(db)).toMatchObject({ failures: 0, error: null });
  await receiver.close();
  expect(await heard(db)).toEqual({ halfHour: 0, before: 0, unproven: 0 });
  expect([await rows(db, 'rejections'), await rows(db, 'rejection_counts')]).toEqual([[], []]);
  expect(JSON.stringify(await rows(db, 'canaries'))).not.toContain(SECRET);
  way.receiver = await startReceiver(db);
});

test('one that is stored and never applied says so', async () => {
  const { db } = way.database;
  await way.receiver.close();
  way.receiver = await startReceiver(db);
  const url = `${way.receiver.url}/webhooks`;
  const outcome = await sendCanary({ ...way.deps, url, timeoutMs: 300 });
  expect(outcome).toMatchObject({ storedMs: expect.any(Number), appliedMs: null });
  expect(outcome?.error).toBe('stored, and not applied within 0.3 s');
});

test('of many processes one sends, and none before it is due', async () => {
  const deps = { ...way.deps, everySeconds: 60 };
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => sendCanary(deps)));
  expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
  expect(await sendCanary(deps)).toBe(null);
});

/** What the service sends: signed by either secret, some twice, some that nobody signed. */
const step = fc.oneof(
  { weight: 2, arbitrary: fc.constant('canary' as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      id: fc.constantFrom('pi_1', 'pi_2', 'pi_3'),
      status: fc.constantFrom('pending', 'completed'),
      forged: fc.boolean(),
    }),
  },
);

type Step = 'canary' | { id: string; status: string; forged: boolean };

async function play(steps: readonly Step[]) {
  const one = await openWay();
  try {
    for (const event of steps) {
      if (event === 'canary') {
        expect((await sendCanary(one.deps))?.error).toBe(null);
        continue;
      }
      const { id, status, forged } = event;
      const body = eventBody(id, { data: { id, status, merchantReference: `order-${id}` } });
      await one.receiver.post(body, { 'X-Service-Signature': sign(body, forged ? 'whsec_nobody_knows' : SECRET) });
      await one.settled();
    }
    await one.receiver.close();
    const { db } = one.database;
    one.receiver.close = async () => {};
    const minutes = await minuteCounts(db, new Date(), 3);
    const sum = (of: (minute: (typeof minutes)[number]) => number) =>
      minutes.reduce((all, minute) => all + of(minute), 0);
    return {
      records: await db('payment_intents').select('id', 'status').orderBy('id'),
      orders: await db('orders').select('reference', 'status').orderBy('reference'),
      breaks: await db('breaks').select('kind', 'entity_id').orderBy(['kind', 'entity_id']),
      asked: await db('reading_marks').select('kind', 'id').orderBy(['kind', 'id']),
      changes: await db('changes').count('* as n').first(),
      secrets: await db('secrets').pluck('label'),
      matches: await db('secret_matches').select('label', 'count'),
      arrivals: await db('inbox_arrivals').whereNotNull('secret_label').sum('arrivals as n').first(),
      rejected: await db('rejection_counts').sum('count as n').first(),
      webhooks: [sum(({ applied }) => applied), sum(({ rejected }) => rejected)],
    };
  } finally {
    await one.close();
  }
}

test('law: with canaries in between everything is as without them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
      expect(await play(steps)).toEqual(await play(steps.filter((one) => one !== 'canary')));
    }),
    { numRuns: sized(4, 60) },
  );
});
