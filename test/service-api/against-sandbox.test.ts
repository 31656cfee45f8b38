import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_FAULTS } from '../../src/sandbox/faults.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { ForbiddenError, NotFoundError, UnauthorizedError } from '../../src/service-api/service-errors.js';
import { rejection, testClient } from './test-client.js';

const PAYMENTS = 250;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, payments: PAYMENTS });
});
afterAll(() => sandbox.close());

const client = (options: Parameters<typeof testClient>[0] = {}) =>
  testClient({ baseUrl: sandbox.url, apiKey: 'sandbox-api-key', ...options });

async function setFaults(faults: object): Promise<void> {
  const response = await fetch(`${sandbox.url}/sandbox/faults`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...NO_FAULTS, ...faults }),
  });
  expect(response.status).toBe(200);
}

describe('the client and an emulator that was written from the specification alone', () => {
  it('agree on every record, through a service that limits, fails, babbles and breaks off', async () => {
    const chance = 0.08;
    await setFaults({ rateLimit: chance, retryAfter: null, serverError: chance, html: chance, cut: chance });
    const merchant = client({ retryPolicy: { retries: 8, failures: 20 } });
    const ids = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < PAYMENTS; page++) {
      const { data } = await merchant.listPaymentIntents({ take: 20, cursor });
      for (const { id } of data) ids.add(id);
      const next = data.at(-1)?.id;
      if (next === undefined) break;
      cursor = next;
    }
    expect(ids.size).toBe(PAYMENTS);
  });

  it('agree on names that are configured on both sides, where the service refuses all others', async () => {
    await setFaults({ unknownParameters: 'refuse', names: { paymentIntents: { status: 'state' }, deliveries: {} } });
    const contract = structuredClone(defaultContract);
    contract.query.listPaymentIntents.status = 'state';
    const { data } = await client({ contract }).listPaymentIntents({ status: 'completed', take: 100 });
    expect(data.length).toBeGreaterThan(0);
    expect(new Set(data.map(({ status }) => status))).toEqual(new Set(['completed']));
  });

  it('agree on refusals', async () => {
    await setFaults({ businessAccount: false });
    await rejection(client().listWebhookEndpoints(), ForbiddenError);
    await rejection(client().getPayin('none'), NotFoundError);
    await rejection(client({ apiKey: 'another' }).listPaymentIntents(), UnauthorizedError);
  });

  it('agree on payins, endpoints, deliveries and the time', async () => {
    await setFaults({});
    const merchant = client();
    const { data: intents } = await merchant.listPaymentIntents({ take: 100, status: 'completed' });
    const summary = intents[0]?.payins?.[0];
    const { data: payin, from, to } = await merchant.getPayin(summary?.id ?? '');
    expect(payin).toMatchObject({ id: summary?.id, amountGross: summary?.amountGross });
    expect((await merchant.listWebhookEndpoints()).data).toEqual([]);
    expect((await merchant.listWebhookDeliveries({ take: 1 })).data).toEqual({ items: [], nextCursor: null });
    const clock = (await (await fetch(`${sandbox.url}/sandbox/clock`)).json()) as { now: string };
    expect(from).toBeLessThanOrEqual(Date.parse(clock.now));
    expect(Math.abs(to - Date.parse(clock.now))).toBeLessThan(5_000);
  });
});
