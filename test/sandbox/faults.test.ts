import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import type { Faults } from '../../src/sandbox/faults.js';
import { type Inbox, isSignedBy, openInbox, openSandbox, type Row, type TestSandbox } from './support.js';

interface Scene {
  sandbox: TestSandbox;
  inbox: Inbox;
  secret: string;
  latest: () => Promise<Row>;
}

/** One payment is created under the faults, and its deliveries are awaited. */
async function underFaults(faults: Partial<Faults>): Promise<Scene> {
  const sandbox = await openSandbox();
  const inbox = await openInbox();
  const { secret } = sandbox.control.addEndpoint({ url: inbox.url, events: ['payment_intent.created'] });
  expect((await sandbox.call('PUT', '/sandbox/faults', faults)).status).toBe(200);
  sandbox.control.createPayment({ amount: '10', currency: 'USDT.TRC20' });
  await sandbox.control.deliveriesIdle();
  const latest = async (): Promise<Row> => {
    const { body } = await sandbox.call<{ items: Row[] }>('GET', '/v1/webhook-endpoints/deliveries');
    return body.items[0] ?? { id: 'none' };
  };
  return { sandbox, inbox, secret, latest };
}

describe('delivery faults', () => {
  it('drop: no attempt ever arrives', async () => {
    const { sandbox, inbox, latest } = await underFaults({ drop: 1 });
    for (let attempts = 1; attempts <= 6; attempts += 1) {
      expect(await latest()).toMatchObject({ attempts, httpStatus: null });
      sandbox.control.advance(3601);
      await sandbox.control.deliveriesIdle();
    }
    expect((await latest()).status).toBe('failed');
    expect(inbox.arrivals).toEqual([]);
  });

  it('flaky: an attempt is lost, the next may arrive', async () => {
    const { sandbox, inbox } = await underFaults({ flaky: 1 });
    expect(inbox.arrivals).toEqual([]);
    sandbox.control.setFaults({});
    sandbox.control.advance(6);
    await sandbox.control.deliveriesIdle();
    expect(inbox.arrivals).toHaveLength(1);
  });

  it('delay: the event keeps its time and comes later', async () => {
    const { sandbox, inbox, latest } = await underFaults({ delay: 1, delaySeconds: 60 });
    expect(inbox.arrivals).toEqual([]);
    expect(await latest()).toMatchObject({ status: 'pending', attempts: 0, lastAttemptAt: null });
    const created = Math.floor(sandbox.control.now() / 1000);
    sandbox.control.advance(61);
    await sandbox.control.deliveriesIdle();
    expect(inbox.arrivals[0]?.envelope?.timestamp).toBeLessThanOrEqual(created);
  });

  it('delay: an hour of it passes with POST /sandbox/clock, and what is due by then is sent at once', async () => {
    const { sandbox, inbox } = await underFaults({ delay: 1, delaySeconds: 3600 });
    for (let n = 0; n < 4; n += 1) sandbox.control.createPayment({ amount: '1', currency: 'USD' });
    expect((await sandbox.call('POST', '/sandbox/clock', { advanceSeconds: 3500 })).status).toBe(200);
    await sandbox.control.deliveriesIdle();
    expect(inbox.arrivals).toEqual([]);
    await sandbox.call('POST', '/sandbox/clock', { advanceSeconds: 100 });
    await sandbox.control.deliveriesIdle();
    expect(inbox.arrivals).toHaveLength(5);
  });

  it('reorder: later events overtake earlier ones', async () => {
    const { sandbox, inbox } = await underFaults({ reorder: 0.5, reorderSeconds: 1 });
    const references = Array.from({ length: 30 }, (_, n) => `r-${n}`);
    for (const merchantReference of references)
      sandbox.control.createPayment({ amount: '1', currency: 'USD', merchantReference });
    await sandbox.control.deliveriesIdle();
    sandbox.control.advance(1);
    await vi.waitFor(() => expect(inbox.arrivals).toHaveLength(31));
    const order = inbox.arrivals
      .map(({ envelope }) => String(envelope?.data.merchantReference))
      .filter((name) => name !== 'null');
    expect(order).not.toEqual(references);
    expect(order.toSorted()).toEqual(references.toSorted());
  });

  it('duplicate: the same bytes arrive twice, noted as one attempt', async () => {
    const { inbox, latest } = await underFaults({ duplicate: 1 });
    expect(inbox.arrivals).toHaveLength(2);
    expect(inbox.arrivals[0]?.raw).toEqual(inbox.arrivals[1]?.raw);
    expect((await latest()).attempts).toBe(1);
  });

  it('corrupt: one bit differs from what was signed', async () => {
    const { inbox, secret } = await underFaults({ corrupt: 1 });
    expect(inbox.arrivals.map((one) => isSignedBy(secret, one))).toEqual([false]);
  });

  it('phantom: noted as answered and never sent', async () => {
    const { inbox, latest } = await underFaults({ phantom: 1 });
    expect(inbox.arrivals).toEqual([]);
    expect(await latest()).toMatchObject({ status: 'succeeded', httpStatus: 200, attempts: 1 });
  });

  it('forge: a completed payment is claimed beside the true event, without the secret', async () => {
    const { inbox, secret } = await underFaults({ forge: 1 });
    const [forged, real] = inbox.arrivals;
    expect(inbox.arrivals.map((one) => isSignedBy(secret, one))).toEqual([false, true]);
    expect(forged?.envelope).toMatchObject({ event: 'payment_intent.completed', data: { status: 'completed' } });
    expect(real?.envelope?.event).toBe('payment_intent.created');
  });

  it('restamp: a retry has a new time and signature', async () => {
    const { sandbox, inbox, secret, latest } = await underFaults({ restamp: true, flaky: 0 });
    inbox.answer.status = 500;
    sandbox.control.createPayment({ amount: '1', currency: 'USD' });
    await sandbox.control.deliveriesIdle();
    sandbox.control.advance(100);
    await sandbox.control.deliveriesIdle();
    const [, first, second] = inbox.arrivals;
    expect(second?.envelope?.timestamp).toBeGreaterThanOrEqual((first?.envelope?.timestamp ?? 0) + 100);
    expect(second?.envelope?.data).toEqual(first?.envelope?.data);
    expect(second && isSignedBy(secret, second)).toBe(true);
    expect((await latest()).payload).toEqual(second?.envelope);
  });

  it.each([
    ['none', undefined, undefined],
    ['envelope', /^evt_/, undefined],
    ['header', undefined, /^evt_/],
  ] as const)('event id: %s, one for both endpoints', async (eventId, inEnvelope, inHeader) => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    sandbox.control.setFaults({ eventId });
    for (let n = 0; n < 2; n += 1) sandbox.control.addEndpoint({ url: inbox.url });
    sandbox.control.createPayment({ amount: '1', currency: 'USD' });
    await sandbox.control.deliveriesIdle();
    const ids = inbox.arrivals.map(({ envelope, headers }) => [envelope?.id, headers['x-service-event-id']]);
    const shape = (pattern: RegExp | undefined): unknown => (pattern ? expect.stringMatching(pattern) : undefined);
    expect(ids[0]).toEqual([shape(inEnvelope), shape(inHeader)]);
    expect(ids[1]).toEqual(ids[0]);
  });

  it.each([
    [
      'partial',
      ['assetCode', 'id', 'irregularStatus', 'merchantReference', 'metadata', 'status', 'totalAmountReceived'],
    ],
    ['wrapped', ['paymentIntent']],
    ['bare', ['paymentIntentId']],
  ] as const)('shape %s', async (shape, keys) => {
    const { inbox } = await underFaults({ shape });
    expect(Object.keys(inbox.arrivals[0]?.envelope?.data ?? {}).sort()).toEqual(keys);
  });
});

describe('API faults', () => {
  const asking = async (faults: Partial<Faults>): Promise<Response> => {
    const sandbox = await openSandbox();
    sandbox.control.setFaults(faults);
    return fetch(`${sandbox.url}/v1/payment-intents`, { headers: { authorization: 'Bearer sandbox-api-key' } });
  };

  it('429 with seconds, with a date, without either', async () => {
    const [seconds, date, none] = [
      await asking({ rateLimit: 1, retryAfter: 7 }),
      await asking({ rateLimit: 1, retryAfter: 'http-date' }),
      await asking({ rateLimit: 1, retryAfter: null }),
    ];
    expect([seconds.status, date.status, none.status]).toEqual([429, 429, 429]);
    expect(seconds.headers.get('retry-after')).toBe('7');
    expect(Date.parse(date.headers.get('retry-after') ?? '')).toBeGreaterThan(0);
    expect(none.headers.get('retry-after')).toBeNull();
    expect(await none.json()).toMatchObject({ statusCode: 429, code: 'RATE_LIMITED' });
  });

  it('5xx, HTML in place of JSON, and an answer cut in the middle', async () => {
    expect((await asking({ serverError: 1 })).status).toBeGreaterThanOrEqual(500);
    const html = await asking({ html: 1 });
    expect([200, 502]).toContain(html.status);
    expect(await html.text()).toMatch(/^<!doctype html>/);
    const cut = await asking({ cut: 1 });
    await expect(cut.text()).rejects.toThrow();
  });

  it('slow: the answer takes its time', async () => {
    const began = performance.now();
    expect((await asking({ slow: 1, slowMs: 80 })).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThanOrEqual(79);
  });

  it('slow: what was sent is done, though the caller does not wait', async () => {
    const sandbox = await openSandbox();
    sandbox.control.setFaults({ slow: 1, slowMs: 150 });
    const body = JSON.stringify({ requestedCoin: 'BTC', amount: '1', customer: {} });
    const headers = { authorization: 'Bearer sandbox-api-key', 'content-type': 'application/json' };
    const url = `${sandbox.url}/v1/payment-intents/direct`;
    const left = request(url, { method: 'POST', headers }).end(body);
    left.on('error', () => {});
    await once(left, 'finish');
    left.destroy();
    await vi.waitFor(async () => expect(await sandbox.list()).toHaveLength(1), { timeout: 3000 });
  });
});

describe('POST /sandbox/clock', () => {
  it.each([1e300, 1e12, -1, '5', null])('refuses %j, and goes on', async (advanceSeconds) => {
    const sandbox = await openSandbox();
    const { status, body } = await sandbox.call('POST', '/sandbox/clock', { advanceSeconds });
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    sandbox.control.createPayment({ amount: '1', currency: 'USD' });
    expect(await sandbox.list()).toHaveLength(1);
  });
});

describe('PUT /sandbox/faults', () => {
  it('sets what is given and resets the rest', async () => {
    const sandbox = await openSandbox();
    await sandbox.call('PUT', '/sandbox/faults', { drop: 0.5, names: { deliveries: { take: 'limit' } } });
    expect((await sandbox.call('GET', '/sandbox/faults')).body).toMatchObject({
      drop: 0.5,
      names: { paymentIntents: {}, deliveries: { take: 'limit' } },
    });
    await sandbox.call('PUT', '/sandbox/faults', {});
    expect((await sandbox.call('GET', '/sandbox/faults')).body).toMatchObject({ drop: 0, names: { deliveries: {} } });
  });

  it.each([
    { drop: 2 },
    { drop: '1' },
    { drop: -1 },
    { nothing: 1 },
    { eventId: 'body' },
    { names: { goods: {} } },
    { retryAfter: 'soon' },
    { restamp: 1 },
  ])('refuses %j', async (faults) => {
    const sandbox = await openSandbox();
    expect((await sandbox.call('PUT', '/sandbox/faults', faults)).status).toBe(400);
  });
});
