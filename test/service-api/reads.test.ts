import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { toJsonText } from '../../src/domain/json.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { ContractViolationError, NotFoundError } from '../../src/service-api/service-errors.js';
import { withoutNetwork } from './no-network.js';
import { BASE_URL, rejection, testClient } from './test-client.js';

const get = (path: string, query: Record<string, string> = {}) => nock(BASE_URL).get(path).query(query);

withoutNetwork();

describe('each call that reads', () => {
  const client = testClient();
  const invoice = { id: 'inv_1', amount: '1', status: 'sent', expiresAt: null, meta: { notes: 'n' } };
  const account = { id: 'acc_1', label: 'Ann', status: 'frozen', color: 'blue' };
  const transaction = { id: 'm_1', amount: '-1.5', assetCode: 'BTC' };
  const settlement = { id: 'sa_1', isDefault: true, settlementPaymentMethod: { id: 'pm_1', displayName: 'Mobile' } };
  const methods = { provider: { id: 'p', name: 'P' }, paymentMethods: [{ id: 'pm_1', minimumAmount: '5' }] };
  const balance = { assetCode: 'USDT.TRON', balance: '1', frozen: '0', available: '1', usdRate: '0' };
  const product = { id: 'pr_1', amount: '5', permanentLinkSlug: 'tea', isActive: true };
  const payout = { id: 'po_1', txid: null, networkFeeAmount: null, statusHistory: [{ status: 'pending' }] };

  it.each([[{ items: { a: 1 } }], [{ items: ['x'] }], [{ items: [{ unitPrice: 5 }] }], [[]], ['text'], [true]])(
    '4.3: a page is whole whatever the free metadata of an invoice are, such as %j',
    async (meta) => {
      get('/v1/invoices').reply(200, [{ id: 'inv_1', meta }, invoice]);
      const { data } = await client.listInvoices();
      expect(data.map(({ id }) => id)).toEqual(['inv_1', 'inv_1']);
      expect(JSON.parse(toJsonText(data[0]?.meta ?? null))).toEqual(meta);
    },
  );

  it.each([
    ['4.3', '/v1/invoices', { cursor: 'c', take: '100', status: 'sent', merchantReference: 'ord' }, [invoice]],
    ['4.10', '/v1/accounts', { cursor: 'c', take: '5', status: 'frozen', search: 'ann' }, [account]],
    ['4.11', '/v1/accounts/acc_1/transactions', { cursor: 'c', take: '5' }, [transaction]],
    [
      '4.12',
      '/v1/accounts/transactions',
      { from: '2026-01-01', to: '2026-02-01', page: '2', take: '9' },
      [transaction],
    ],
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
    ['a payin', '/v1/payments/payins/a', { id: 'b' }, () => client.getPayin('a')],
    ['a product', '/v1/products/a/manage', { id: 'b' }, () => client.getProduct('a')],
    ['a balance', '/v1/wallet/balances/USDT.TRON', { assetCode: 'BTC' }, () => client.getBalance('USDT.TRON')],
  ])('refuses %s that was not asked for', async (_, path, answer, call) => {
    get(path).reply(200, answer);
    const error = await rejection<ContractViolationError>(call(), ContractViolationError);
    expect(error.message).toContain('the answer is about another record than was asked for');
  });

  it('takes the balance of a network where the coin alone was asked for', async () => {
    get('/v1/wallet/balances/USDT').reply(200, { ...balance, assetCode: 'USDT.TRON' });
    expect((await client.getBalance('USDT')).data.assetCode).toBe('USDT.TRON');
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
