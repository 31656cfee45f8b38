import { describe, expect, it } from 'vitest';
import { openInbox, openSandbox, openWallet, payHundred, type Row, rowsOf } from './support.js';

/** What the specification leaves open, each way that a service might do it. */
describe('another name', () => {
  it.each([
    ['paymentIntents', 'status', '/v1/payment-intents', 'completed'],
    ['paymentIntents', 'assetCode', '/v1/payment-intents', 'BTC'],
    ['invoices', 'merchantReference', '/v1/invoices', 'none'],
    ['accounts', 'search', '/v1/accounts', 'none'],
    ['accounts', 'take', '/v1/accounts', '0'],
    ['transactions', 'page', '/v1/accounts/transactions', '9'],
    ['transactions', 'from', '/v1/accounts/transactions', '2999-01-01'],
    ['transactions', 'to', '/v1/accounts/transactions', '2001-01-01'],
    ['accountTransactions', 'take', '/v1/accounts/{id}/transactions', '0'],
    ['payouts', 'status', '/v1/payouts', 'failed'],
    ['deliveries', 'payoutId', '/v1/webhook-endpoints/deliveries', 'none'],
    ['deliveries', 'depositId', '/v1/webhook-endpoints/deliveries', 'none'],
    ['deliveries', 'accountId', '/v1/webhook-endpoints/deliveries', 'none'],
  ])('for %s.%s takes its place; the old one is ignored, or refused', async (list, parameter, path, value) => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url });
    const id = await openWallet(sandbox);
    const out = { assetCode: 'USDT.TRC20', amount: '1', destinationAddress: 'Tabc' };
    await sandbox.call('POST', `/v1/accounts/${id}/payouts`, out);
    await sandbox.call('POST', '/v1/invoices', { customerEmail: 'a@b.c', amount: '1', currency: 'USD' });
    sandbox.control.createPayment({ amount: '1', currency: 'USD' });
    const ask = async (name: string): Promise<unknown> => {
      const { status, body } = await sandbox.call('GET', `${path.replace('{id}', id)}?${name}=${value}`);
      const rows = Array.isArray(body) ? body : body.items;
      return Array.isArray(rows) ? rows.length : status;
    };
    const filtered = await ask(parameter);
    sandbox.control.setFaults({ names: { [list]: { [parameter]: 'renamed' } } });
    const unfiltered = await ask(parameter);
    expect(unfiltered).toBeGreaterThan(0);
    expect(filtered).not.toBe(unfiltered);
    expect(await ask('renamed')).toBe(filtered);
    sandbox.control.setFaults({ names: { [list]: { [parameter]: 'renamed' } }, unknownParameters: 'refuse' });
    expect(await ask(parameter)).toBe(400);
  });
});

describe('another shape', () => {
  it('of errors', async () => {
    const sandbox = await openSandbox();
    sandbox.control.setFaults({ errorBody: 'nested' });
    expect((await sandbox.call('GET', '/v1/payments/payins/none')).body).toEqual({
      error: { statusCode: 404, code: 'NOT_FOUND', message: 'payin not found' },
    });
  });

  it('of links: a refund names its payment, an invoice its reference', async () => {
    const sandbox = await openSandbox();
    sandbox.control.setFaults({ links: true });
    const paymentIntentId = payHundred(sandbox, { customerRefundAddress: 'Tback' });
    expect((await sandbox.call('POST', '/v1/payouts/refund', { paymentIntentId })).body.paymentIntentId).toBe(
      paymentIntentId,
    );
  });

  it.each([
    ['wrapped', ['payout']],
    ['bare', ['payoutId']],
    ['partial', ['amount', 'assetCode', 'failureReason', 'id', 'merchantReference', 'status']],
  ] as const)('of events: %s', async (shape, keys) => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url, events: ['payout.created'] });
    sandbox.control.setFaults({ shape });
    sandbox.control.deposit(null, 'USDT.TRC20', '5');
    sandbox.control.createPayout({ assetCode: 'USDT.TRC20', amount: '1', destinationAddress: 'Tabc' });
    await sandbox.control.deliveriesIdle();
    expect(Object.keys(inbox.arrivals[0]?.envelope?.data ?? {}).sort()).toEqual(keys);
  });

  it.each([{ payoutsPath: 'v1' }, { payoutsPath: 5 }, { accountsShape: 'rows' }, { links: 1 }, { feedBounds: 'open' }])(
    'that is none is refused: %j',
    async (faults) => {
      const sandbox = await openSandbox();
      expect((await sandbox.call('PUT', '/sandbox/faults', faults)).status).toBe(400);
    },
  );
});

describe('a test send', () => {
  it.each([
    'payout.failed',
    'payout.confirmed',
    'invoice.paid',
    'wallet_account.deposit.completed',
    'wallet_account.transfer.completed',
  ])('of %s has every field of a real one', async (event) => {
    const sandbox = await openSandbox();
    const inbox = await openInbox();
    const { id } = sandbox.control.addEndpoint({ url: inbox.url });
    const account = await openWallet(sandbox);
    const money = { assetCode: 'USDT.TRC20', amount: '5' };
    for (const final of ['confirm', 'fail'] as const) {
      const payout = { ...money, destinationAddress: 'Tabc' };
      const { body } = await sandbox.call('POST', `/v1/accounts/${account}/payouts`, payout);
      for (const step of ['approve', 'broadcast', final] as const) sandbox.control.advancePayout(body.id, { step });
    }
    await sandbox.call('POST', `/v1/accounts/${account}/transfers`, { ...money, toOperating: true });
    const invoice = { customerEmail: 'a@b.c', amount: '1', currency: 'USD' };
    const { body } = await sandbox.call('POST', '/v1/invoices', invoice);
    await sandbox.call('POST', `/sandbox/invoices/${body.id}/pay`, {});
    await sandbox.control.deliveriesIdle();
    const real = inbox.arrivals.find((one) => one.event === event)?.envelope?.data;
    expect((await sandbox.call('POST', `/sandbox/webhook-endpoints/${id}/test`, { event })).status).toBe(201);
    await sandbox.control.deliveriesIdle();
    const sent = inbox.arrivals.at(-1)?.envelope?.data;
    expect(Object.keys(sent ?? {}).sort()).toEqual(Object.keys(real ?? { none: 1 }).sort());
    expect([sent?.status, sent?.id === real?.id]).toEqual([real?.status, false]);
  });
});

describe('the truth', () => {
  it('holds every record just as the service answers it', async () => {
    const sandbox = await openSandbox();
    const id = await openWallet(sandbox);
    await sandbox.call('POST', `/v1/accounts/${id}/transfers`, {
      assetCode: 'USDT.TRC20',
      amount: '5',
      toOperating: true,
    });
    sandbox.control.createPayout({ assetCode: 'USDT.TRC20', amount: '1', destinationAddress: 'Tabc' });
    await sandbox.call('POST', '/v1/invoices', { customerEmail: 'a@b.c', amount: '1', currency: 'USD' });
    await sandbox.call('POST', '/sandbox/products', { name: 'x', amount: '1', currency: 'USD' });
    const truth = (await sandbox.call('GET', '/sandbox/truth')).body;
    for (const [name, path] of [
      ['invoices', 'invoices'],
      ['payouts', 'payouts'],
      ['accounts', 'accounts'],
      ['transactions', 'accounts/transactions'],
      ['settlementAccounts', 'settlement-accounts'],
    ] as const) {
      const rows = rowsOf(truth, name);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows).toEqual((await sandbox.call('GET', `/v1/${path}`)).body);
    }
    for (const row of rowsOf(truth, 'balances') as unknown as (Row & { assetCode: string })[]) {
      expect(row).toEqual((await sandbox.call('GET', `/v1/wallet/balances/${row.assetCode}`)).body);
    }
    for (const row of rowsOf(truth, 'products')) {
      expect(row).toEqual((await sandbox.call('GET', `/v1/products/${row.id}/manage`)).body);
    }
    const sums = new Map<unknown, number>();
    for (const entry of rowsOf(truth, 'ledger')) {
      for (const { amount } of rowsOf(entry, 'lines')) {
        sums.set(entry.number, Math.round(((sums.get(entry.number) ?? 0) + Number(amount)) * 1e6) / 1e6);
      }
    }
    expect(new Set(sums.values())).toEqual(new Set([0]));
    expect((await sandbox.call('GET', '/sandbox/ledger-problems')).body).toEqual([]);
    expect([rowsOf(truth, 'deposits').length, rowsOf(truth, 'transfers').length]).toEqual([2, 1]);
  });
});
