import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apiDocument } from '../../src/console/api/serve-document.js';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import { type CallbackDeps, callbackLoops, sendNextCallback } from '../../src/notify/send-callbacks.js';
import {
  claimCallback,
  collectCallbacks,
  finishAttempt,
  replayCallback,
  replayDeadCallbacks,
} from '../../src/records/callbacks/claim-callback.js';
import { callbackBacklog, listCallbacks, pruneCallbacks } from '../../src/records/callbacks/list-callbacks.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { registerOrder } from '../../src/records/orders/register-order.js';
import { useDatabase } from '../support/database.js';
import { documentedShapes } from '../support/document-shapes.js';
import { poll } from '../support/observations.js';
import { intent, paidIntent, payin } from '../support/records.js';
import { save } from '../support/saved.js';
import { sized } from '../support/sizes.js';
import { SECRET, type Store, startStore, verified } from './store.js';

const adoptedAt = new Date('2026-01-01');
/** Of which two leaders send at once. */
const ORDERS = sized(6, 12);

let store: Store;
const database = useDatabase();
let deps: CallbackDeps;
beforeEach(async () => {
  store = await startStore();
  deps = {
    db: database.db,
    log: createLog('silent'),
    now: () => new Date(),
    metrics: createMetrics(),
    rules: { privateNetworks: false, loopback: true },
    url: store.url,
    secret: SECRET,
    adoptedAt,
    timeoutMs: 2_000,
    retry: { firstMs: 1, maxAttempts: 4 },
  };
});
afterEach(async () => {
  await store.close();
  await database.db.raw('TRUNCATE callbacks, orders, payment_intents, payins');
  await database.db.raw('UPDATE callback_progress SET seq = changes_settled_up_to()');
});

const collect = async () => {
  while (await collectCallbacks(deps.db, deps));
};
/** Until nothing is due; retries come within milliseconds here. */
const sendAll = async () => {
  await vi.waitFor(async () => {
    while (await sendNextCallback(deps));
    expect((await callbackBacklog(deps.db)).pending).toBe(0);
  }, 15_000);
};
const rows = async () => (await listCallbacks(deps.db, {})).items.toReversed();
const begin = (id: string) => save(database, [poll('payment_intent', intent(id), 1)]);
const pay = (id: string) =>
  save(database, [
    poll('payment_intent', paidIntent(id, `payin-${id}`), 60),
    poll('payin', payin(`payin-${id}`, id), 61),
  ]);

test('the store is sent an order as the read API shows it, signed by the scheme', async () => {
  await begin('a');
  await pay('a');
  await collect();
  await sendAll();
  const [arrival] = store.arrivals;
  expect(store.arrivals).toHaveLength(1);
  const sent = verified(arrival!);
  const { similarReferences: _, sharedBy: __, ...shown } = (await getOrder(deps.db, 'order-a'))!;
  expect(sent).toEqual({ type: 'order.changed', id: arrival!.id, timestamp: expect.any(String), data: shown });
  expect(sent.data.release).toMatchObject({ safe: true });
  const { schema } = apiDocument().webhooks['order.changed'].post.requestBody.content['application/json'];
  expect(documentedShapes(apiDocument())(schema).parse(sent)).toEqual(sent);
  expect(() => verified(arrival!, `whsec_${btoa('the secret of somebody else')}`)).toThrow();
  expect(() => verified({ ...arrival!, body: arrival!.body.replace('order-a', 'order-b') })).toThrow();
});

test('the same change never makes two, whoever checks and however often', async () => {
  await begin('a');
  await begin('b');
  await Promise.all([collect(), collect(), collect()]);
  await collect();
  expect((await rows()).map(({ reference }) => reference).sort()).toEqual(['order-a', 'order-b']);
});

test('history is not sent; an order of then that is paid now is', async () => {
  const old = { createdAt: '2025-12-01T00:00:00.000Z' };
  await save(database, [
    poll('payment_intent', paidIntent('old', 'payin-old', old), 1),
    poll('payin', payin('payin-old', 'old', old), 1),
    poll('payment_intent', intent('late', old), 1),
  ]);
  await collect();
  expect(await rows()).toEqual([]);
  await save(database, [poll('payment_intent', paidIntent('late', 'payin-late', old), 60)]);
  await save(database, [poll('payin', payin('payin-late', 'late'), 61)]);
  await collect();
  expect((await rows()).map(({ reference }) => reference)).toEqual(['order-late']);
});

test('an order of then that the store registers now is sent', async () => {
  const old = { createdAt: '2025-12-01T00:00:00.000Z' };
  await save(database, [
    poll('payment_intent', paidIntent('past', 'payin-past', old), 1),
    poll('payin', payin('payin-past', 'past', old), 1),
  ]);
  await collect();
  expect(await rows()).toEqual([]);
  const order = { reference: 'order-past', amount: '10', currency: 'USDT.TRC20' };
  await deps.db.transaction((trx) => registerOrder(trx, order));
  await collect();
  expect((await rows()).map(({ reference }) => reference)).toEqual(['order-past']);
});

test('what was sent, but not marked before the process died, is sent again under the same webhook-id', async () => {
  await begin('a');
  await collect();
  const dead = await claimCallback(deps.db, { seconds: 0.3 });
  expect(await sendNextCallback(deps)).toBe(false);
  await sendAll();
  expect(store.arrivals.map(({ id }) => id)).toEqual([dead!.webhookId]);
  // The one that was taken for dead comes back, and changes nothing.
  expect(await finishAttempt(deps.db, dead!, { ok: false, httpStatus: 500, error: 'late', retryInMs: null })).toBe(
    false,
  );
  expect(await rows()).toMatchObject([{ status: 'sent', attempts: 2, error: null }]);
});

test('every attempt has the same id and body, and a signature of its own time', async () => {
  await begin('a');
  await collect();
  let now = Date.now() - 60_000;
  deps.now = () => new Date((now += 10_000));
  store.answer = (_, res) => void res.writeHead(store.arrivals.length < 3 ? 500 : 200).end('busy');
  await sendAll();
  expect(store.arrivals).toHaveLength(3);
  expect(new Set(store.arrivals.map(({ id, body }) => id + body)).size).toBe(1);
  for (const arrival of store.arrivals) verified(arrival);
  expect(new Set(store.arrivals.map(({ headers }) => headers['webhook-signature'])).size).toBe(3);
});

test.each([
  ['fails', (res) => void res.writeHead(500).end('no database, ask ann@example.com'), 'answered 500: no database'],
  ['hangs', () => {}, 'no answer within 0.2 s'],
  ['has gone', (res) => void res.writeHead(410).end(), 'answered 410'],
  ['never ends its answer', (res) => void res.writeHead(200).write('{'), 'no answer within 0.2 s'],
  ['redirects', (res) => void res.writeHead(302, { location: '/elsewhere' }).end(), 'answered 302: redirects'],
  ['cuts the line', (res) => void res.destroy(), 'failed: ECONNRESET'],
] as [string, (res: import('node:http').ServerResponse) => void, string][])(
  'a store that %s: given up after the last attempt, shown, and sent when it is replayed',
  async (_what, answer, error) => {
    store.answer = (_, res) => answer(res);
    if (error.startsWith('no answer')) deps.timeoutMs = 200;
    await begin('a');
    await collect();
    await sendAll();
    expect(store.arrivals.map(({ path }) => path)).toEqual(Array(4).fill('/orders'));
    const [given] = await rows();
    expect(given).toMatchObject({ status: 'dead', attempts: 4, error: expect.stringContaining(error) });
    expect(given!.error).not.toContain('ann@');
    expect(await callbackBacklog(deps.db)).toMatchObject({ dead: 1, pending: 0 });

    store.answer = (_, res) => void res.writeHead(200).end();
    expect(await deps.db.transaction((trx) => replayDeadCallbacks(trx))).toBe(1);
    await sendAll();
    expect(new Set(store.arrivals.map(({ id }) => id)).size).toBe(1);
    expect(await rows()).toMatchObject([{ status: 'sent', attempts: 1 }]);
  },
);

test('a store that moves: what waits goes to the new address, and what was given up too, as soon as it is replayed', async () => {
  await begin('a');
  await collect();
  await store.close();
  await sendAll();
  expect(await rows()).toMatchObject([{ status: 'dead', error: expect.stringContaining('ECONNREFUSED') }]);
  await begin('b');
  await collect();
  store = await startStore();
  deps.url = store.url;
  await sendAll();
  await deps.db.transaction((trx) => replayDeadCallbacks(trx));
  await sendAll();
  expect(store.arrivals.map((arrival) => verified(arrival).data.reference)).toEqual(['order-b', 'order-a']);
  expect((await rows()).map(({ status }) => status)).toEqual(['sent', 'sent']);
});

test('an older state is never sent after a newer one, whatever fails and whoever sends', async () => {
  store.answer = (_, res) => void res.writeHead(500).end();
  await begin('a');
  await collect();
  await sendNextCallback(deps);
  const underWay = await claimedAgain();
  await pay('a');
  await collect();
  // While the older one is on its way, the newer waits.
  expect(await claimCallback(deps.db, { seconds: 30 })).toBeNull();
  await finishAttempt(deps.db, underWay, { ok: false, httpStatus: null, error: 'cut off', retryInMs: 0 });
  store.answer = (_, res) => void res.writeHead(204).end();
  await sendAll();
  expect(store.arrivals.map((arrival) => verified(arrival).data.status)).toEqual(['awaiting_payment', 'paid']);
  const [older, newer] = await rows();
  expect([older!.status, newer!.status]).toEqual(['superseded', 'sent']);
  const replay = (id: string) => deps.db.transaction((trx) => replayCallback(trx, id));
  expect(await replay(older!.id)).toEqual({ outcome: 'outdated', newestId: newer!.id });
  expect(await replay(newer!.id)).toEqual({ outcome: 'replayed', reference: 'order-a' });
  expect(await replay('999')).toEqual({ outcome: 'not_found' });

  async function claimedAgain() {
    return vi.waitFor(async () => {
      const claimed = await claimCallback(deps.db, { seconds: 30 });
      expect(claimed).not.toBeNull();
      return claimed!;
    });
  }
});

test('two leaders and a store that fails at random: of every order the states come in order, the last of them last', async () => {
  const order = ['awaiting_payment', 'paid'];
  let arrived = 0;
  const underWay = new Map<string, number>();
  let mostAtOnce = 0;
  const count = (reference: string, by: number) => {
    underWay.set(reference, (underWay.get(reference) ?? 0) + by);
    mostAtOnce = Math.max(mostAtOnce, underWay.get(reference) ?? 0);
  };
  store.answer = async (arrival, res) => {
    arrived += 1;
    const { reference } = verified(arrival).data;
    const status = arrived % 3 === 0 ? 503 : 200;
    count(reference, 1);
    await delay(60);
    count(reference, -1);
    res.writeHead(status).end();
  };
  const stop = new AbortController();
  deps.retry = { firstMs: 1, maxAttempts: 100 };
  const leaders = [callbackLoops(deps, stop.signal), callbackLoops({ ...deps }, stop.signal)];
  const ids = Array.from({ length: ORDERS }, (_, index) => `o${index}`);
  for (const id of ids) await begin(id);
  await vi.waitFor(() => expect(store.arrivals.length).toBeGreaterThan(3), { timeout: 5_000 });
  await Promise.all(ids.map(pay));
  for (let round = 0; round < 5; round += 1) await collect();
  await vi.waitFor(
    async () => {
      const sent = (await rows()).filter(({ status }) => status === 'sent');
      const paid = sent.filter(({ data }) => (data as { status: string }).status === 'paid');
      // An order that changes while its first callback is collected is sent as paid by both.
      expect(new Set(paid.map(({ reference }) => reference)).size).toBe(ids.length);
      expect((await callbackBacklog(deps.db)).pending).toBe(0);
    },
    { timeout: 15_000, interval: 100 },
  );
  stop.abort();
  await Promise.all(leaders);
  expect(mostAtOnce).toBe(1);
  for (const id of ids) {
    const states = store.arrivals
      .map((arrival) => verified(arrival).data)
      .filter(({ reference }) => reference === `order-${id}`)
      .map(({ status }) => order.indexOf(status));
    expect(states).toEqual(states.toSorted((a, b) => a - b));
    expect(states.at(-1)).toBe(1);
  }
}, 30_000);

test('what was sent long ago is let go of, but for the newest of each order', async () => {
  await begin('a');
  await collect();
  await sendAll();
  await pay('a');
  await collect();
  await sendAll();
  await deps.db('callbacks').update({ created_at: new Date(0) });
  await pruneCallbacks(deps.db, { days: 90 });
  expect((await rows()).map(({ data }) => (data as { status: string }).status)).toEqual(['paid']);
});
