import { describe, expect, it } from 'vitest';
import { openSandbox, type Row, rowsOf, type TestSandbox } from './support.js';

const ids = (rows: Row[]): string[] => rows.map(({ id }) => id);

/** Each id in creation order. */
function createSome(sandbox: TestSandbox, count: number): string[] {
  return Array.from({ length: count }, (_, n) =>
    sandbox.control.createPayment({
      amount: '10',
      currency: 'USDT.TRC20',
      assetCode: 'USDT.TRC20',
      merchantReference: `o-${n}`,
    }),
  );
}

async function walk(sandbox: TestSandbox, query: string): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await sandbox.list(`${query}${cursor}`);
    seen.push(...ids(page));
    if (page.length === 0) return seen;
    cursor = `&cursor=${page.at(-1)?.id}`;
  }
}

describe('GET /v1/payment-intents', () => {
  it('gives 20 by default, newest first, and every row once when followed', async () => {
    const sandbox = await openSandbox();
    const created = createSome(sandbox, 45).toReversed();
    expect(ids(await sandbox.list())).toEqual(created.slice(0, 20));
    for (const cursor of ['key', 'orm', 'list'] as const) {
      sandbox.control.setFaults({ cursor });
      expect(await walk(sandbox, 'take=7')).toEqual(created);
    }
  });

  it('carries every field of the specification', async () => {
    const sandbox = await openSandbox();
    sandbox.control.pay(sandbox.control.createPayment({ amount: '10', currency: 'EUR', merchantReference: 'o-1' }));
    const [row] = await sandbox.list();
    const fields =
      'id status amountRequested currencyRequested requestedCurrencyType amountCryptoExpected assetCode acceptedCoins totalAmountReceived amountNetMerchant feeAmountTotal amountInRange amountRejected amountToRefund feeAmountOnRange feeAmountOnRejected source merchantReference invoiceId productId posTerminalId irregularStatus paymentResult customerRefundAddress irregularActionBy irregularActionAt irregularRefundPayoutId customerEmail returnUrl createdAt expiresAt paymentLink statusHistory payins metadata';
    expect(Object.keys(row ?? {}).sort()).toEqual(fields.split(' ').sort());
    const [payin] = rowsOf(row, 'payins');
    const summary = 'id amountGross amountNet feeAmount assetCode status txid createdAt';
    expect(Object.keys(payin ?? {}).sort()).toEqual(summary.split(' ').sort());
  });

  it('filters by status, asset and linked records, each under its own name or a configured one', async () => {
    const sandbox = await openSandbox();
    const base = { amount: '10', currency: 'USD' };
    const product = sandbox.control.createPayment({ ...base, productId: 'prod_1' });
    const terminal = sandbox.control.createPayment({ ...base, posTerminalId: 'pos_1', assetCode: 'BTC' });
    const invoice = sandbox.control.createPayment({ ...base, invoiceId: 'inv_1' });
    sandbox.control.pay(invoice, { assetCode: 'ETH' });
    expect(ids(await sandbox.list('productId=prod_1'))).toEqual([product]);
    expect(ids(await sandbox.list('posTerminalId=pos_1'))).toEqual([terminal]);
    expect(ids(await sandbox.list('invoiceId=inv_1'))).toEqual([invoice]);
    expect(ids(await sandbox.list('assetCode=BTC'))).toEqual([terminal]);
    expect(ids(await sandbox.list('assetCode=NOPE'))).toEqual([]);
    expect(ids(await sandbox.list('status=completed'))).toEqual([invoice]);
    expect(ids(await sandbox.list('status=waiting_address_selection&productId=prod_1'))).toEqual([product]);
    sandbox.control.setFaults({ names: { paymentIntents: { status: 'state' }, deliveries: {} } });
    expect(ids(await sandbox.list('state=pending'))).toEqual([terminal]);
    expect(await sandbox.list('status=pending')).toHaveLength(3);
    sandbox.control.setFaults({ unknownParameters: 'refuse' });
    expect((await sandbox.call('GET', '/v1/payment-intents?state=pending')).status).toBe(400);
  });

  it.each(['take=0', 'take=101', 'take=-1', 'take=x', 'take=1.5', 'status=paid', 'status=a&status=b'])(
    'refuses %s',
    async (query) => {
      const sandbox = await openSandbox();
      const { status, body } = await sandbox.call('GET', `/v1/payment-intents?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual({ statusCode: 400, code: 'VALIDATION_ERROR', message: expect.any(String) });
    },
  );

  it('keeps the place of a row that left the filter by key, skips one by orm, and loses the place by list', async () => {
    const sandbox = await openSandbox();
    const [oldest = '', second = '', third = ''] = createSome(sandbox, 3);
    sandbox.control.cancel(third);
    const after = async (cursor: 'key' | 'orm' | 'list'): Promise<string[]> => {
      sandbox.control.setFaults({ cursor });
      return ids(await sandbox.list(`status=pending&cursor=${third}`));
    };
    expect(await after('key')).toEqual([second, oldest]);
    expect(await after('orm')).toEqual([oldest]);
    expect(await after('list')).toEqual([]);
  });

  it('answers a cursor that is gone with an empty page by orm, and refuses an unknown one by key', async () => {
    const sandbox = await openSandbox();
    const [first = '', last = ''] = createSome(sandbox, 2);
    sandbox.control.remove(last);
    expect(ids(await sandbox.list())).toEqual([first]);
    expect(await sandbox.list(`cursor=${last}`)).toEqual([]);
    expect(await sandbox.list('cursor=pi_unknown')).toEqual([]);
    sandbox.control.setFaults({ cursor: 'key' });
    expect((await sandbox.call('GET', '/v1/payment-intents?cursor=pi_unknown')).status).toBe(400);
  });

  it('inserts and changes rows between two pages when the fault is set', async () => {
    const sandbox = await openSandbox();
    createSome(sandbox, 30);
    sandbox.control.setFaults({ churn: 1, cursor: 'key' });
    const page = await sandbox.list('status=pending&take=10');
    await sandbox.list(`status=pending&take=10&cursor=${page.at(-1)?.id}`);
    const now = await sandbox.list('take=100');
    expect(now.length).toBeGreaterThan(30);
    expect(now.find(({ id }) => id === page.at(-1)?.id)?.status).not.toBe('pending');
  });
});

describe('callers', () => {
  it.each([
    ['no header', {}],
    ['another scheme', { authorization: 'Basic abc' }],
    ['no token', { authorization: 'Bearer' }],
    ['an unknown token', { authorization: 'Bearer nobody' }],
  ])('are refused with %s', async (_, headers) => {
    const sandbox = await openSandbox();
    for (const path of ['payment-intents', 'payments/payins/x', 'webhook-endpoints', 'webhook-endpoints/deliveries']) {
      const response = await fetch(`${sandbox.url}/v1/${path}`, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ statusCode: 401, code: 'UNAUTHORIZED', message: expect.any(String) });
    }
  });

  it('see their own merchant only', async () => {
    const sandbox = await openSandbox();
    const id = sandbox.control.createPayment({ amount: '10', currency: 'USD' });
    const payin = sandbox.control.pay(id);
    const asking = (token: string, path: string) =>
      sandbox.call<Row[]>('GET', path, undefined, { authorization: `Bearer ${token}` });
    expect((await asking('sandbox-session-token', '/v1/payment-intents')).body).toHaveLength(1);
    expect((await asking('sandbox-other-key', '/v1/payment-intents')).body).toEqual([]);
    expect((await asking('sandbox-other-key', `/v1/payments/payins/${payin}`)).status).toBe(404);
    expect((await asking('sandbox-other-key', '/v1/webhook-endpoints')).body).toEqual([]);
  });

  it('read the sandbox clock in every answer', async () => {
    const sandbox = await openSandbox();
    await sandbox.call('POST', '/sandbox/clock', { advanceSeconds: 86_400 });
    const { headers } = await sandbox.call('GET', '/v1/payment-intents');
    const ahead = Date.parse(headers.get('date') ?? '') - Date.now();
    expect(Math.abs(ahead - 86_400_000)).toBeLessThan(10_000);
    expect((await sandbox.call('POST', '/sandbox/clock', { advanceSeconds: -1 })).status).toBe(400);
  });
});
