import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Inbox, isSignedBy, openInbox, openSandbox, type Row, rowsOf, type TestSandbox } from './support.js';

interface Page {
  items: Row[];
  nextCursor: string | null;
}

const PAYMENT = { amount: '10', currency: 'USDT.TRC20', merchantReference: 'o-1' };

async function deliveries(sandbox: TestSandbox, query = ''): Promise<Page> {
  return (await sandbox.call<Page>('GET', `/v1/webhook-endpoints/deliveries?${query}`)).body;
}

async function subscribe(sandbox: TestSandbox, inbox: Inbox, events?: string[]): Promise<Row & { secret: string }> {
  const { body } = await sandbox.call('POST', '/sandbox/webhook-endpoints', { url: inbox.url, events });
  return body as Row & { secret: string };
}

function payOne(sandbox: TestSandbox): string {
  const id = sandbox.control.createPayment(PAYMENT);
  sandbox.control.pay(id);
  return id;
}

describe('webhook endpoints', () => {
  it('show their secret once, at creation', async () => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    const created = await subscribe(sandbox, inbox, ['payment_intent.completed']);
    expect(created.secret).toMatch(/^whsec_[0-9a-f]{48}$/);
    const { body } = await sandbox.call<Row[]>('GET', '/v1/webhook-endpoints');
    expect(body).toEqual([
      {
        id: created.id,
        url: inbox.url,
        events: ['payment_intent.completed'],
        isActive: true,
        createdAt: expect.any(String),
      },
    ]);
    sandbox.control.setFaults({ businessAccount: false });
    expect((await sandbox.call('GET', '/v1/webhook-endpoints')).status).toBe(403);
  });

  it('are called for what they subscribe to, while they are active', async () => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    const { id } = await subscribe(sandbox, inbox, ['payment_intent.completed']);
    payOne(sandbox);
    await sandbox.call('PATCH', `/sandbox/webhook-endpoints/${id}`, { isActive: false });
    payOne(sandbox);
    await sandbox.call('PATCH', `/sandbox/webhook-endpoints/${id}`, { isActive: true });
    await sandbox.call('DELETE', `/sandbox/webhook-endpoints/${id}`);
    payOne(sandbox);
    await sandbox.control.deliveriesIdle();
    expect((await sandbox.call('GET', '/v1/webhook-endpoints')).body).toEqual([]);
    expect((await deliveries(sandbox)).items).toHaveLength(1);
  });

  it.each([[{ url: 'ftp://x' }], [{ url: 5 }], [{}], [{ url: 'http://127.0.0.1', events: [1] }]])(
    'refuse %j',
    async (body) => {
      const sandbox = await openSandbox();
      expect((await sandbox.call('POST', '/sandbox/webhook-endpoints', body)).status).toBe(400);
    },
  );
});

describe('a delivery', () => {
  it('carries each transition of the payment, signed over its bytes, with the record as the list shows it', async () => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    const { secret } = await subscribe(sandbox, inbox);
    const id = payOne(sandbox);
    sandbox.control.dispute(id);
    sandbox.control.decide(id, 'encash');
    await sandbox.control.deliveriesIdle();
    expect(inbox.arrivals.map(({ event }) => event).sort()).toEqual([
      'payment_intent.completed',
      'payment_intent.confirming',
      'payment_intent.created',
      'payment_intent.dispute_encashed',
      'payment_intent.dispute_opened',
      'payment_intent.pending',
    ]);
    for (const arrival of inbox.arrivals) {
      expect(isSignedBy(secret, arrival)).toBe(true);
      expect(Object.keys(arrival.envelope ?? {})).toEqual(['event', 'timestamp', 'data']);
      expect(arrival.headers['x-service-timestamp']).toBe(String(arrival.envelope?.timestamp));
      expect(arrival.headers['content-type']).toBe('application/json');
      expect(arrival.envelope?.data.id).toBe(id);
    }
    const last = inbox.arrivals.find(({ event }) => event === 'payment_intent.dispute_encashed');
    expect(last?.envelope?.data).toEqual((await sandbox.list())[0]);
  });

  it('goes to both endpoints of one address during a rotation, each under its own secret', async () => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    const first = await subscribe(sandbox, inbox);
    const second = await subscribe(sandbox, inbox);
    payOne(sandbox);
    await sandbox.control.deliveriesIdle();
    const under = (secret: string): string[] =>
      inbox.arrivals
        .filter((one) => isSignedBy(secret, one))
        .map(({ event }) => event)
        .sort();
    expect(first.secret).not.toBe(second.secret);
    expect(under(first.secret)).toHaveLength(4);
    expect(under(second.secret)).toEqual(under(first.secret));
  });

  it('is retried by the schedule until the endpoint answers 2xx', async () => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    await subscribe(sandbox, inbox, ['payment_intent.completed']);
    inbox.answer.status = 503;
    payOne(sandbox);
    await sandbox.control.deliveriesIdle();
    const [waiting] = (await deliveries(sandbox)).items;
    expect(waiting).toMatchObject({ status: 'pending', httpStatus: 503, attempts: 1, responseBody: 'noted' });
    const wait = Date.parse(String(waiting?.nextRetryAt)) - Date.parse(String(waiting?.lastAttemptAt));
    expect(wait).toBeGreaterThanOrEqual(5000);
    expect(wait).toBeLessThan(6000);
    inbox.answer.status = 204;
    sandbox.control.advance(6);
    await sandbox.control.deliveriesIdle();
    const [done] = (await deliveries(sandbox)).items;
    expect(done).toMatchObject({ status: 'succeeded', httpStatus: 204, attempts: 2, nextRetryAt: null });
    expect(rowsOf(done, 'attemptsList').map(({ httpStatus }) => httpStatus)).toEqual([503, 204]);
    expect(inbox.arrivals[1]?.raw).toEqual(inbox.arrivals[0]?.raw);
  });

  it('fails for good after the last retry, and its payload stays readable', async () => {
    const sandbox = await openSandbox({ retrySchedule: [1, 1] });
    const inbox = await openInbox();
    await subscribe(sandbox, inbox, ['payment_intent.completed']);
    inbox.answer.status = 500;
    const id = payOne(sandbox);
    for (const attempts of [1, 2, 3]) {
      await sandbox.control.deliveriesIdle();
      expect(inbox.arrivals).toHaveLength(attempts);
      sandbox.control.advance(2);
    }
    const [failed] = (await deliveries(sandbox)).items;
    expect(failed).toMatchObject({ status: 'failed', attempts: 3, nextRetryAt: null });
    expect(failed?.payload).toMatchObject({ event: 'payment_intent.completed', data: { id } });
  });

  it('counts an endpoint that does not answer in time as failed', async () => {
    const sandbox = await openSandbox({ deliveryTimeoutMs: 50 });
    const { createServer } = await import('node:net');
    const silent = createServer((socket) => onTestFinished(() => void socket.destroy())).listen(0, '127.0.0.1');
    await vi.waitFor(() => expect(silent.listening).toBe(true));
    const address = silent.address() as { port: number };
    sandbox.control.addEndpoint({ url: `http://127.0.0.1:${address.port}/` });
    sandbox.control.createPayment(PAYMENT);
    await sandbox.control.deliveriesIdle();
    silent.close();
    const [row] = (await deliveries(sandbox)).items;
    expect(row).toMatchObject({ status: 'pending', httpStatus: null, responseBody: null, attempts: 1 });
    expect(rowsOf(row, 'attemptsList')[0]?.error).toBe('no answer in time');
  });

  it('of a test send looks like a real one, of a payment that does not exist', async () => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    const { id, secret } = await subscribe(sandbox, inbox);
    payOne(sandbox);
    await sandbox.call('POST', `/sandbox/webhook-endpoints/${id}/test`, { event: 'payment_intent.completed' });
    await sandbox.control.deliveriesIdle();
    const [real, test] = inbox.arrivals.filter(({ event }) => event === 'payment_intent.completed');
    if (!real?.envelope || !test?.envelope) throw new Error('both must have arrived');
    expect(isSignedBy(secret, test)).toBe(true);
    expect(Object.keys(test.envelope.data)).toEqual(Object.keys(real.envelope.data));
    expect(test.envelope.data).toMatchObject({ status: 'completed', totalAmountReceived: '25' });
    expect((await sandbox.list()).map((row) => row.id)).not.toContain(test.envelope.data.id);
  });
});

describe('GET /v1/webhook-endpoints/deliveries', () => {
  it('pages newest first by an opaque cursor and filters by payment and endpoint', async () => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    const own = await subscribe(sandbox, inbox);
    const shop = await subscribe(sandbox, inbox, ['payment_intent.completed']);
    const intents = Array.from({ length: 30 }, () => payOne(sandbox));
    await sandbox.control.deliveriesIdle();
    expect((await deliveries(sandbox)).items).toHaveLength(50);
    const seen: Row[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = await deliveries(sandbox, `take=40${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(150);
    const times = seen.map(({ createdAt }) => String(createdAt));
    expect(times).toEqual(times.toSorted().toReversed());
    expect((await deliveries(sandbox, `endpointId=${shop.id}`)).items).toHaveLength(30);
    const ofOne = await deliveries(sandbox, `paymentIntentId=${intents[3]}&endpointId=${own.id}&take=4`);
    expect(ofOne.items).toHaveLength(4);
    expect(ofOne.nextCursor).toBeNull();
    expect((await deliveries(sandbox, 'payoutId=po_1')).items).toEqual([]);
    for (const query of ['take=101', 'cursor=nonsense']) {
      expect((await sandbox.call('GET', `/v1/webhook-endpoints/deliveries?${query}`)).status).toBe(400);
    }
  });

  it('carries every field of the specification', async () => {
    const sandbox = await openSandbox();
    await subscribe(sandbox, await openInbox());
    payOne(sandbox);
    await sandbox.control.deliveriesIdle();
    const [row] = (await deliveries(sandbox)).items;
    const fields =
      'id endpointId endpointUrl eventType status httpStatus responseBody responseHeaders payload attempts lastAttemptAt nextRetryAt createdAt attemptsList';
    expect(Object.keys(row ?? {}).sort()).toEqual(fields.split(' ').sort());
    expect(row?.responseHeaders).toMatchObject({ 'content-type': 'text/plain' });
  });
});
