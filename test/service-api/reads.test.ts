import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultContract } from '../../src/service-api/contract.js';
import { items, pages } from '../../src/service-api/pages.js';
import { ContractViolationError, NotFoundError } from '../../src/service-api/service-errors.js';
import { BASE_URL, rejection, testClient } from './test-client.js';

const get = (path: string, query: Record<string, string> = {}) => nock(BASE_URL).get(path).query(query);

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  expect(pending).toEqual([]);
});

async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of from) found.push(one);
  return found;
}

describe('each call that reads', () => {
  const client = testClient();
  const invoice = { id: 'inv_1', amount: '1', status: 'sent', expiresAt: null, meta: { notes: 'n' } };
  const account = { id: 'acc_1', label: 'Ann', status: 'frozen', color: 'blue' };
  const movement = { id: 'm_1', amount: '-1.5', assetCode: 'BTC' };
  const settlement = { id: 'sa_1', isDefault: true, settlementPaymentMethod: { id: 'pm_1', displayName: 'Mobile' } };
  const methods = { provider: { id: 'p', name: 'P' }, paymentMethods: [{ id: 'pm_1', minimumAmount: '5' }] };
  const balance = { assetCode: 'BTC', balance: '1', frozen: '0', available: '1', usdRate: '0' };
  const product = { id: 'pr_1', amount: '5', permanentLinkSlug: 'tea', isActive: true };
  const payout = { id: 'po_1', txid: null, networkFeeAmount: null, statusHistory: [{ status: 'pending' }] };

  it.each([
    ['4.3', '/v1/invoices', { cursor: 'c', take: '100', status: 'sent', merchantReference: 'ord' }, [invoice]],
    ['4.10', '/v1/accounts', { cursor: 'c', take: '5', status: 'frozen', search: 'ann' }, [account]],
    ['4.11', '/v1/accounts/acc_1/transactions', { cursor: 'c', take: '5' }, [movement]],
    ['4.12', '/v1/accounts/transactions', { from: '2026-01-01', to: '2026-02-01', page: '2', take: '9' }, [movement]],
    ['4.16', '/v1/settlement-accounts', {}, [settlement]],
    ['4.17', '/v1/settlements/payment-methods', { assetCode: 'BTC' }, methods],
    ['4.18', '/v1/wallet/balances/USDT.TRON', {}, balance],
    ['4.19', '/v1/products/pr_1/manage', {}, product],
    ['payouts', '/v1/payouts', { cursor: 'c', take: '5', status: 'confirmed' }, [payout]],
  ])('%s: %s with every parameter, and with none', async (section, path, query, answer) => {
    const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));
    const calls: Record<string, (given: Record<string, string>) => Promise<{ data: unknown }>> = {
      '4.3': ({ take, ...rest }) => client.listInvoices({ ...rest, take: number(take) }),
      '4.10': ({ take, ...rest }) => client.listAccounts({ ...rest, take: number(take) }),
      '4.11': ({ take, ...rest }) => client.listAccountTransactions('acc_1', { ...rest, take: number(take) }),
      '4.12': ({ take, page, ...rest }) => client.listTransactions({ ...rest, page: number(page), take: number(take) }),
      '4.16': () => client.listSettlementAccounts(),
      '4.17': () => client.listSettlementPaymentMethods({ assetCode: 'BTC' }),
      '4.18': () => client.getBalance('USDT.TRON'),
      '4.19': () => client.getProduct('pr_1'),
      payouts: ({ take, ...rest }) => client.listPayouts({ ...rest, take: number(take) }),
    };
    const isNotShown = ['4.10', '4.11', '4.12'].includes(section);
    const last = Array.isArray(answer) ? answer.at(-1) : null;
    const expected = isNotShown ? { items: answer, nextCursor: (last as { id: string }).id } : answer;
    for (const given of section === '4.17' ? [query] : [query, {}]) {
      get(path, given).reply(200, answer);
      expect((await calls[section]?.(given as Record<string, string>))?.data).toEqual(expected);
    }
  });

  it('keeps what the service calls otherwise in its lists that are not shown', async () => {
    get('/v1/accounts').reply(200, { items: [account], nextCursor: 'next' });
    expect((await client.listAccounts()).data).toEqual({ items: [account], nextCursor: 'next' });
    get('/v1/accounts').reply(200, []);
    expect((await client.listAccounts()).data).toEqual({ items: [], nextCursor: null });
  });

  it.each(['{"data":[]}', '7', '[1]', '{"items":[null]}'])('refuses %s in place of such a list', async (body) => {
    get('/v1/accounts').reply(200, body);
    await rejection(client.listAccounts(), ContractViolationError);
  });

  it.each([
    ['/v1/invoices', '[{"id":"i","amount":1}]', '/0/amount', () => client.listInvoices()],
    ['/v1/accounts/transactions', '[{"id":"m"},{"amount":1}]', '/1/amount', () => client.listTransactions()],
    ['/v1/wallet/balances/BTC', '{"assetCode":"BTC","frozen":0}', '/frozen', () => client.getBalance('BTC')],
    ['/v1/payouts', '[{"id":"p","networkFeeAmount":0.1}]', '/0/networkFeeAmount', () => client.listPayouts()],
    [
      '/v1/products/p/manage',
      '{"id":"p","stats":{"totalRevenue":1}}',
      '/stats/totalRevenue',
      () => client.getProduct('p'),
    ],
  ])('refuses an amount of %s that is a number: %s', async (path, body, place, call) => {
    get(path).reply(200, body);
    const error = await rejection<ContractViolationError>(call(), ContractViolationError);
    expect(error.message).toContain(`at ${place}:`);
  });

  it('says when the service has no list of payouts', async () => {
    get('/v1/payouts').reply(404, '');
    await rejection(client.listPayouts(), NotFoundError);
    const contract = structuredClone(defaultContract);
    contract.paths.listPayouts = '/v1/withdrawals';
    get('/v1/withdrawals').reply(200, []);
    expect((await testClient({ contract }).listPayouts()).data).toEqual([]);
  });
});

describe('walking a list', () => {
  const client = testClient();

  it('goes on by the last item’s id until nothing new comes, and gives each item once', async () => {
    get('/v1/invoices', { take: '2' }).reply(200, [{ id: 'c' }, { id: 'b' }]);
    get('/v1/invoices', { take: '2', cursor: 'b' }).reply(200, [{ id: 'b' }, { id: 'a' }]);
    get('/v1/invoices', { take: '2', cursor: 'a' }).reply(200, []);
    const found = await all(items(pages((query) => client.listInvoices(query), { take: 2 })));
    expect(found.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  it('ends where a service that ignores the cursor answers the same page again', async () => {
    get('/v1/accounts').reply(200, [{ id: 'a' }]);
    get('/v1/accounts', { cursor: 'a' }).reply(200, [{ id: 'a' }]);
    expect(await all(items(pages((query) => client.listAccounts(query), {})))).toHaveLength(1);
  });

  it('goes on by the cursor that the service hands out, until there is none', async () => {
    get('/v1/webhook-endpoints/deliveries').reply(200, { items: [{ id: '2' }], nextCursor: 'x' });
    get('/v1/webhook-endpoints/deliveries', { cursor: 'x' }).reply(200, { items: [{ id: '1' }], nextCursor: null });
    const found = await all(pages((query) => client.listWebhookDeliveries(query), {}));
    expect(found.map(({ data }) => data.map(({ id }) => id))).toEqual([['2'], ['1']]);
  });

  it('goes on by page numbers where these are asked for, also through items without an id', async () => {
    get('/v1/accounts/transactions', { page: '1' }).reply(200, [{ amount: '2' }], { 'X-Total-Count': '2' });
    get('/v1/accounts/transactions', { page: '2' }).reply(200, [{ amount: '1' }], { 'X-Total-Count': '2' });
    get('/v1/accounts/transactions', { page: '3' }).reply(200, [], { 'X-Total-Count': '2' });
    const found = await all(pages((query) => client.listTransactions(query), {}, 'page'));
    expect(found.map(({ data, totalCount }) => [data.length, totalCount])).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('can be left at any item', async () => {
    get('/v1/invoices').reply(200, [{ id: 'b' }, { id: 'a' }]);
    for await (const { id } of items(pages((query) => client.listInvoices(query), {}))) {
      expect(id).toBe('b');
      break;
    }
  });
});
