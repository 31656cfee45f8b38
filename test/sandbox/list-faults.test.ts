import { describe, expect, it } from 'vitest';
import type { Faults } from '../../src/sandbox/faults.js';
import {
  openInbox,
  openSandbox,
  openWallet,
  payHundred,
  type Row,
  rowsOf,
  SESSION,
  type TestSandbox,
} from './support.js';

const PAYMENT = { amount: '10', currency: 'USDT.TRC20' };

/** A merchant with 45 payments, 12 transactions of 6 accounts, and the given faults. */
async function underFaults(faults: Partial<Faults>): Promise<TestSandbox> {
  const sandbox = await openSandbox();
  for (let n = 0; n < 45; n += 1) sandbox.control.createPayment({ ...PAYMENT, metadata: '{"n":1.00}' });
  for (let n = 0; n < 6; n += 1) await openWallet(sandbox);
  const { status } = await sandbox.call('PUT', '/sandbox/faults', faults);
  expect(status).toBe(200);
  return sandbox;
}

/** Reads by cursor as a caller does that stops at an empty page, or after the tenth. */
async function readAll(sandbox: TestSandbox, path: string, take: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor = ''; pages.length < 10; cursor = `&cursor=${pages.at(-1)?.at(-1)}`) {
    const { body } = await sandbox.call<Row[]>('GET', `${path}?take=${take}${cursor}`);
    if (body.length === 0) break;
    pages.push(body.map(({ id }) => id));
  }
  return pages;
}

const lengths = (pages: string[][]): number[] => pages.map(({ length }) => length);

describe('a list', () => {
  it('repeatPage: what continues it is the page before once more', async () => {
    const sandbox = await underFaults({ repeatPage: true });
    for (const path of ['/v1/payment-intents', '/v1/accounts', '/v1/accounts/transactions']) {
      const [first, second, third] = await readAll(sandbox, path, 4);
      expect(first).toHaveLength(4);
      expect([second, third]).toEqual([first, first]);
    }
    const paged = async (page: number): Promise<unknown> =>
      (await sandbox.call('GET', `/v1/accounts/transactions?page=${page}&take=5`)).body;
    const first = await paged(1);
    expect(await paged(2)).toEqual(first);
  });

  it('shrinkPage: pages are half as long as asked for, and nothing is left out', async () => {
    const sandbox = await underFaults({ shrinkPage: true });
    const pages = await readAll(sandbox, '/v1/payment-intents', 20);
    expect(lengths(pages)).toEqual([10, 10, 10, 10, 5]);
    expect(new Set(pages.flat()).size).toBe(45);
    const { body, headers } = await sandbox.call<Row[]>('GET', '/v1/accounts/transactions?page=2&take=10');
    expect([body.length, headers.get('x-total-count')]).toEqual([5, '12']);
    expect((await sandbox.call<Row[]>('GET', '/v1/accounts?take=1')).body).toHaveLength(1);
  });

  it('itemWithoutId: the first of each page has none, all else is as it was', async () => {
    const sandbox = await underFaults({});
    const whole = (await sandbox.call<Row[]>('GET', '/v1/payment-intents?take=3')).body;
    sandbox.control.setFaults({ itemWithoutId: true });
    const { body } = await sandbox.call<Row[]>('GET', '/v1/payment-intents?take=3');
    const [{ id: _, ...rest } = { id: '' }, ...others] = whole;
    expect(body).toEqual([rest, ...others]);
    const raw = await fetch(`${sandbox.url}/v1/payment-intents?take=3`, { headers: SESSION });
    expect(await raw.text()).toContain('{"n":1.00}');
    for (const path of ['accounts', 'accounts/transactions']) {
      const rows = (await sandbox.call<Row[]>('GET', `/v1/${path}`)).body;
      expect(rows.map(({ id }) => typeof id)).toEqual(['undefined', ...Array(rows.length - 1).fill('string')]);
    }
  });

  it('endlessList: after its end it begins again, each page full', async () => {
    const sandbox = await underFaults({ endlessList: true });
    for (const path of ['/v1/payment-intents', '/v1/accounts', '/v1/accounts/transactions']) {
      expect(lengths(await readAll(sandbox, path, 5))).toEqual(Array(10).fill(5));
    }
    const { body } = await sandbox.call<Row[]>('GET', '/v1/accounts/transactions?page=99&take=5');
    expect(body).toHaveLength(5);
    sandbox.control.addEndpoint({ url: (await openInbox()).url });
    sandbox.control.createPayment(PAYMENT);
    const deliveries = async (query: string) =>
      (await sandbox.call<{ items: Row[]; nextCursor: string }>('GET', `/v1/webhook-endpoints/deliveries${query}`))
        .body;
    const first = await deliveries('');
    expect([first.items.length > 0, typeof first.nextCursor]).toEqual([true, 'string']);
    const again = await deliveries(`?cursor=${first.nextCursor}`);
    expect(again.items.map(({ id }) => id)).toEqual(first.items.map(({ id }) => id));
  });

  it('forgetRecords: a share of the records is in no list, and can still be read alone', async () => {
    const sandbox = await underFaults({ forgetRecords: 0.4 });
    const truth = (await sandbox.call('GET', '/sandbox/truth')).body as unknown as { paymentIntents: Row[] };
    const shown = (await readAll(sandbox, '/v1/payment-intents', 40)).flat();
    expect(truth.paymentIntents).toHaveLength(45);
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.length).toBeLessThan(45);
    expect((await readAll(sandbox, '/v1/payment-intents', 40)).flat()).toEqual(shown);
  });

  it('irregular lists who received another amount (specification 3.1); with faults every dispute, or none of them', async () => {
    const sandbox = await openSandbox();
    const under = sandbox.control.createPayment({ amount: '100', currency: 'USDT.TRC20' });
    sandbox.control.pay(under, { percent: 50 });
    const slight = sandbox.control.createPayment({ amount: '100', currency: 'USDT.TRC20' });
    sandbox.control.pay(slight, { amount: '100.1' });
    const disputed = payHundred(sandbox);
    sandbox.control.dispute(disputed);
    const ids = async (): Promise<string[]> => (await sandbox.list('status=irregular')).map(({ id }) => id);
    expect(await ids()).toEqual([slight, under]);
    sandbox.control.setFaults({ irregularHoldsDisputes: true });
    expect(await ids()).toEqual([disputed, slight, under]);
    sandbox.control.setFaults({ irregularHoldsDisputes: true, hideFromIrregular: true });
    expect(await ids()).toEqual([slight]);
    expect(await sandbox.list('')).toHaveLength(3);
  });

  it('totalCount: left out, or half of it', async () => {
    const sandbox = await underFaults({});
    const count = async (totalCount: Faults['totalCount']): Promise<string | null> => {
      sandbox.control.setFaults({ totalCount });
      const { headers } = await sandbox.call('GET', '/v1/accounts/transactions?page=1');
      return headers.get('x-total-count');
    };
    expect([await count('right'), await count('missing'), await count('wrong')]).toEqual(['12', null, '6']);
  });

  it('churn: the feed gets new rows between two of its pages', async () => {
    const sandbox = await underFaults({ churn: 1 });
    const ids = async (page: number): Promise<string[]> =>
      (await sandbox.call<Row[]>('GET', `/v1/accounts/transactions?page=${page}&take=6`)).body.map(({ id }) => id);
    const first = await ids(1);
    expect(await ids(1)).toEqual(first);
    expect((await ids(2))[0]).toBe(first.at(-1));
    expect((await ids(1)).slice(1)).toEqual(first.slice(0, -1));
  });

  it('churn: accounts are opened, and the cursor row changes, between two pages', async () => {
    const sandbox = await underFaults({ churn: 1 });
    const page = async (cursor = ''): Promise<Row[]> =>
      (await sandbox.call<Row[]>('GET', `/v1/accounts?take=3&status=active${cursor}`)).body;
    const first = await page();
    const next = await page(`&cursor=${first.at(-1)?.id}`);
    // The cursor row left the filter, and an ORM's cursor leaves out the next one in its place.
    expect(next).toHaveLength(2);
    const [newest, ...others] = await page();
    expect([newest?.label, others.map(({ id }) => id)]).toEqual(['churn-0', first.slice(0, 2).map(({ id }) => id)]);
  });

  it('payoutsList: there may be none', async () => {
    const sandbox = await underFaults({ payoutsList: false });
    expect((await sandbox.call('GET', '/v1/payouts')).status).toBe(404);
  });
});

describe('times', () => {
  it('timesWithoutZone: of records and events stand without their Z, and metadata as it is', async () => {
    const sandbox = await underFaults({ timesWithoutZone: true });
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url });
    const metadata = '{"day":"2027-01-31T12:00:00.000Z"}';
    const id = sandbox.control.createPayment({ ...PAYMENT, metadata });
    sandbox.control.pay(id);
    await sandbox.control.deliveriesIdle();
    const bare = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/;
    for (const path of ['payment-intents', 'accounts', 'accounts/transactions', 'settlement-accounts']) {
      const [row] = (await sandbox.call<Row[]>('GET', `/v1/${path}?take=1`)).body;
      expect(row?.createdAt).toMatch(bare);
    }
    const [row] = await sandbox.list('take=1');
    expect(row?.metadata).toEqual(JSON.parse(metadata));
    expect(rowsOf(row, 'statusHistory')[0]?.timestamp).toMatch(bare);
    expect(inbox.arrivals[0]?.envelope?.data.createdAt).toMatch(bare);
  });

  it('clockSkewSeconds: the Date header and all that is stamped are off, and nothing comes due by it', async () => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url, events: ['payment_intent.created'] });
    const early = sandbox.control.createPayment({ ...PAYMENT, expirySeconds: 60 });
    await sandbox.control.deliveriesIdle();
    for (const skew of [7200, -7200]) {
      inbox.arrivals.length = 0;
      expect((await sandbox.call('PUT', '/sandbox/faults', { clockSkewSeconds: skew })).status).toBe(200);
      const id = sandbox.control.createPayment({ ...PAYMENT, expirySeconds: 60 });
      await sandbox.control.deliveriesIdle();
      const { body, headers } = await sandbox.call<Row[]>('GET', '/v1/payment-intents');
      const off = (text: unknown): number => Math.round((Date.parse(String(text)) - Date.now()) / 60_000) * 60;
      expect(body[0]?.id).toBe(id);
      expect([off(body[0]?.createdAt), off(headers.get('date'))]).toEqual([skew, skew]);
      expect(off(new Date((inbox.arrivals[0]?.envelope?.timestamp ?? 0) * 1000).toISOString())).toBe(skew);
      expect(sandbox.control.paymentIntent(early)?.['status']).toBe('waiting_address_selection');
      sandbox.control.setFaults({});
      sandbox.control.advance(1);
      expect(sandbox.control.paymentIntent(id)?.['status']).toBe('waiting_address_selection');
    }
    sandbox.control.advance(60);
    expect((await sandbox.list('status=expired')).length).toBe(3);
  });
});

describe('access', () => {
  it('revokeToken: no token is good any more, and the public catalog needs none', async () => {
    const sandbox = await underFaults({ revokeToken: true });
    for (const headers of [{}, SESSION]) {
      const { status, body } = await sandbox.call('GET', '/v1/payment-intents', undefined, headers);
      expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    }
    expect((await sandbox.call('GET', '/v1/public/assets')).status).toBe(200);
    await sandbox.call('PUT', '/sandbox/faults', {});
    expect((await sandbox.call('GET', '/v1/payment-intents')).status).toBe(200);
  });
});

describe('PUT /sandbox/faults', () => {
  it.each<Record<string, unknown>>([
    { totalCount: 'none' },
    { repeatPage: 1 },
    { clockSkewSeconds: 1e12 },
    { clockSkewSeconds: 'late' },
    { constructor: 0.5 },
    { names: { toString: {} } },
  ])('refuses %j', async (faults) => {
    const sandbox = await openSandbox();
    expect((await sandbox.call('PUT', '/sandbox/faults', faults)).status).toBe(400);
  });
});
