import { LosslessNumber } from 'lossless-json';
import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/errors.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { ContractViolationError, InvalidRequestError } from '../../src/service-api/service-errors.js';
import { withoutNetwork } from './no-network.js';
import { API_KEY, BASE_URL, rejection, testClient } from './test-client.js';

const intent = {
  id: 'pi_1',
  status: 'completed',
  amountRequested: '10.50',
  currencyRequested: 'EUR',
  amountCryptoExpected: null,
  payins: [{ id: 'in_1', amountGross: '0.000000000000000001', status: 'confirmed' }],
};

withoutNetwork();

describe('requests', () => {
  it('asks for payment intents with the key, and with no parameter that the caller left out', async () => {
    nock(BASE_URL, { reqheaders: { authorization: `Bearer ${API_KEY}`, accept: 'application/json' } })
      .get((path) => path === '/v1/payment-intents')
      .reply(200, [intent]);
    const { data } = await testClient().listPaymentIntents();
    expect(data).toEqual([intent]);
  });

  it('sends the cursor, the page size and every filter under its default name', async () => {
    const query = { cursor: 'pi_9', take: '100', status: 'irregular', assetCode: 'USDT.TRON' } as const;
    nock(BASE_URL)
      .get('/v1/payment-intents')
      .query({ ...query, productId: 'a', posTerminalId: 'b', invoiceId: 'c' })
      .reply(200, []);
    await testClient().listPaymentIntents({
      ...query,
      take: 100,
      productId: 'a',
      posTerminalId: 'b',
      invoiceId: 'c',
    });
  });

  it('sends filters under the names of the contract', async () => {
    const contract = structuredClone(defaultContract);
    contract.query.listPaymentIntents.status = 'state';
    contract.query.listWebhookDeliveries.take = 'limit';
    contract.query.listWebhookDeliveries.payoutId = 'filter[payout]';
    nock(BASE_URL).get('/v1/payment-intents').query({ state: 'pending', take: '5' }).reply(200, []);
    nock(BASE_URL)
      .get('/v1/webhook-endpoints/deliveries')
      .query((given) => given['limit'] === '7' && JSON.stringify(given).includes('po_1'))
      .reply(200, { items: [], nextCursor: null });
    const client = testClient({ contract });
    await client.listPaymentIntents({ status: 'pending', take: 5 });
    await client.listWebhookDeliveries({ take: 7, payoutId: 'po_1' });
  });

  it('reads a payin, whatever characters its id has', async () => {
    nock(BASE_URL)
      .get((path) => path === '/v1/payments/payins/in%2F..%2F1%3F')
      .reply(200, { id: 'in/../1?', confirmations: 3, kytRiskScore: '12.5' });
    const { data } = await testClient().getPayin('in/../1?');
    expect(data).toMatchObject({ confirmations: 3, kytRiskScore: '12.5' });
  });

  it('keeps the key away from the public catalog', async () => {
    nock(BASE_URL, { badheaders: ['authorization'] })
      .get('/v1/public/assets')
      .reply(200, [{ assetCode: 'BTC', memoRequired: false, fees: { payin: '1 %' } }]);
    const { data } = await testClient().listPublicAssets();
    expect(data[0]?.fees?.payin).toBe('1 %');
  });

  it('appends its paths to a base address with a path and a slash at its end', async () => {
    nock(BASE_URL).get('/merchant/v1/webhook-endpoints').reply(200, []);
    await testClient({ baseUrl: `${BASE_URL}/merchant/` }).listWebhookEndpoints();
  });

  it.each([
    ['take', { take: 0 }, '1 to 100'],
    ['take', { take: 101 }, '1 to 100'],
    ['take', { take: 1.5 }, '1 to 100'],
    ['take', { take: '1e2' }, '1 to 100'],
    ['cursor', { cursor: '' }, 'not empty'],
    ['cursor', { cursor: '\ud800' }, 'surrogates'],
    ['colour', { colour: 'red' }, 'known are cursor, take, status'],
    ['__proto__', JSON.parse('{"__proto__": "x"}'), 'not known'],
    ['toString', { toString: 'x' }, 'not known'],
  ])('refuses a wrong %s before anything is sent', async (field, query, rule) => {
    const error = await rejection(testClient().reply('listPaymentIntents', { query }), InvalidRequestError);
    expect(error.message).toContain(`listPaymentIntents: ${field} `);
    expect(error.message).toContain(rule);
    expect(error.retryable).toBe(false);
  });

  it.each(['', '.', '..', '\udc00'])('refuses %j as an id, which would ask for another path', async (id) => {
    await rejection(testClient().getPayin(id), InvalidRequestError);
  });

  it.each([
    { apiKey: 'two\nlines' },
    { apiKey: '' },
    { baseUrl: 'ftp://service.test' },
    { baseUrl: 'http://user:secret-word@service.test' },
    { baseUrl: 'nothing' },
  ])('refuses the settings %j without repeating them', (options) => {
    const attempt = () => testClient(options);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).not.toThrow(/lines|secret-word/);
  });
});

describe('answers', () => {
  const given = (body: string) => nock(BASE_URL).get('/v1/payment-intents').reply(200, body);

  it('keeps unknown fields, unknown states and every digit', async () => {
    const body =
      '[{"id":"pi_1","status":"on_the_moon","extra":{"n":12345678901234567890.10},"metadata":{"k":[1e400]}}]';
    given(body);
    const { data } = await testClient().listPaymentIntents();
    expect(data).toEqual([
      {
        id: 'pi_1',
        status: 'on_the_moon',
        extra: { n: new LosslessNumber('12345678901234567890.10') },
        metadata: { k: [new LosslessNumber('1e400')] },
      },
    ]);
  });

  it('takes __proto__ for a key like any other', async () => {
    given('[{"id":"pi_1","__proto__":{"polluted":true},"metadata":{"__proto__":{"polluted":true}}}]');
    const { data } = await testClient().reply('listPaymentIntents');
    const [item] = data as object[];
    expect(Object.keys(item ?? {})).toContain('__proto__');
    expect((item as { polluted?: boolean }).polluted).toBeUndefined();
    given('[{"id":"pi_1","__proto__":{"polluted":true}}]');
    const typed = await testClient().listPaymentIntents();
    expect((typed.data[0] as { polluted?: boolean }).polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    ['an item without an id', '[{"id":"a"},{"status":"pending"}]', '/1/id'],
    ['an id that is a number', '[{"id":7}]', '/0/id'],
    ['an empty id', '[{"id":""}]', '/0/id'],
    ['an item that is no object', '[{"id":"a"},{"id":"b"},null]', '/2'],
    ['an amount that is a number', '[{"id":"a","amountRequested":12.5}]', '/0/amountRequested'],
    ['an amount with a sign', '[{"id":"a","totalAmountReceived":"-1"}]', '/0/totalAmountReceived'],
    ['an amount in a payin', '[{"id":"a","payins":[{"id":"p","amountNet":1}]}]', '/0/payins/0/amountNet'],
  ])('refuses %s by its place, and hands it over verbatim to whoever asks for the reply', async (_, body, place) => {
    given(body);
    const error = await rejection(testClient().listPaymentIntents(), ContractViolationError);
    expect(error.message).toContain(`at ${place}:`);
    expect(error.retryable).toBe(false);
    given(body);
    const { data } = await testClient().reply('listPaymentIntents');
    expect((data as object[]).length).toBe(JSON.parse(body).length);
  });

  it.each(['{"items":[]}', '"[]"', 'null', '7'])('refuses %s in place of a list, in either way', async (body) => {
    given(body);
    const error = await rejection(testClient().reply('listPaymentIntents'), ContractViolationError);
    expect(error.message).toBe('listPaymentIntents: the answer is not an array');
  });

  it('reads webhook endpoints and the pages of their deliveries', async () => {
    const endpoint = { id: 'we_1', url: 'https://shop.example/hooks', events: ['payout.failed'], isActive: true };
    const delivery = { id: 'd_1', status: 'pending', attempts: 2, httpStatus: 503, payload: { event: 'x' } };
    nock(BASE_URL).get('/v1/webhook-endpoints').reply(200, [endpoint]);
    nock(BASE_URL)
      .get('/v1/webhook-endpoints/deliveries')
      .reply(200, { items: [delivery], nextCursor: 'abc' });
    const client = testClient();
    expect((await client.listWebhookEndpoints()).data).toEqual([endpoint]);
    expect((await client.listWebhookDeliveries()).data).toEqual({ items: [delivery], nextCursor: 'abc' });
  });

  it('hands over X-Total-Count, and nothing where it is not a count', async () => {
    for (const [header, count] of [
      ['120', 120],
      ['many', null],
    ] as const) {
      nock(BASE_URL).get('/v1/accounts/transactions').query({ page: '1' }).reply(200, [], { 'X-Total-Count': header });
      expect((await testClient().reply('listTransactions', { query: { page: 1 } })).totalCount).toBe(count);
    }
  });
});

describe('queries', () => {
  const pageSizes: [string, string, (take: number) => Promise<unknown>][] = [
    ['4.3', '/v1/invoices', (take) => testClient().listInvoices({ take })],
    ['4.10', '/v1/accounts', (take) => testClient().listAccounts({ take })],
    ['4.11', '/v1/accounts/a/transactions', (take) => testClient().listAccountTransactions('a', { take })],
    ['4.12', '/v1/accounts/transactions', (take) => testClient().listTransactions({ take })],
    ['4.14', '/v1/payment-intents', (take) => testClient().listPaymentIntents({ take })],
    ['4.22', '/v1/webhook-endpoints/deliveries', (take) => testClient().listWebhookDeliveries({ take })],
  ];
  it.each(pageSizes)('of %s take 1 to 100 per page', async (section, path, call) => {
    const answer = section === '4.22' ? { items: [] } : [];
    for (const take of [1, 99, 100]) {
      nock(BASE_URL).get(path).query({ take }).reply(200, answer);
      await call(take);
    }
    for (const take of [0, 101, 1.5, -1, Number.NaN]) {
      expect((await rejection(call(take), InvalidRequestError)).message).toContain(': take is to be a whole number');
    }
  });

  it.each([
    ['status', () => testClient().listInvoices({ status: 'open' as never })],
    ['take', () => testClient().listInvoices({ take: 101 })],
    ['status', () => testClient().listAccounts({ status: 'gone' as never })],
    ['status', () => testClient().listPaymentIntents({ status: 'done' as never })],
    ['from', () => testClient().listTransactions({ from: 'yesterday' })],
    ['to', () => testClient().listTransactions({ to: '1' })],
    ['page', () => testClient().listTransactions({ page: 0 })],
    ['page', () => testClient().listTransactions({ page: 1.5 })],
    ['take', () => testClient().listWebhookDeliveries({ take: 0 })],
    ['assetCode', () => testClient().listSettlementPaymentMethods({} as never)],
    ['colour', () => testClient().listPayouts({ colour: 'red' } as never)],
    ['id', () => testClient().closeAccount('..')],
  ])('with a wrong %s are refused before anything is sent', async (field, call) => {
    const error = await rejection(call(), InvalidRequestError);
    expect(error.message).toContain(`: ${field} `);
  });
});
