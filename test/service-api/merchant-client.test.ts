import nock from 'nock';
import { expect, it, vi } from 'vitest';
import {
  type Answered,
  items,
  MerchantClient,
  type MerchantClientOptions,
  OutcomeUnknownError,
  pages,
} from '../../src/client.js';
import { operationNames } from '../../src/service-api/operations.js';
import { made, PAYOUTS, payout, post, useScriptedWrites } from './scripted-writes.js';
import { API_KEY, BASE_URL, rejection } from './test-client.js';

useScriptedWrites();

const direct = { requestedCoin: 'BTC', amount: '1', customer: {} };
const log = { warn: vi.fn() };
const merchant = (given: Partial<MerchantClientOptions> = {}) =>
  new MerchantClient({ baseUrl: BASE_URL, apiKey: API_KEY, log, retryPolicy: { retries: 0, pauseMs: 1 }, ...given });

it('has a method for each endpoint, and no more than is for a store', () => {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(merchant())).toSorted();
  expect(own).toEqual(['close', 'constructor', 'settleWrites', ...operationNames].toSorted());
  expect(Object.keys(merchant())).toEqual([]);
});

it('numbers of an answer are numbers; one that a double would change is its text', async () => {
  post('/v1/payment-intents/direct').reply(
    201,
    '{"id":"pi_1","metadata":{"cart":12,"big":12345678901234567890,"rate":0.10,"deep":[{"n":1e2}]},"expiryHours":24}',
  );
  const { data } = await merchant().createDirectPayment(direct);
  expect(data).toEqual({
    id: 'pi_1',
    metadata: { cart: 12, big: '12345678901234567890', rate: 0.1, deep: [{ n: 100 }] },
    expiryHours: 24,
  });
  expect(JSON.parse(JSON.stringify(data))).toEqual(data);
});

it('so are those of lists, page by page, and of bodies that the specification does not show', async () => {
  nock(BASE_URL).get('/v1/invoices?take=1').reply(200, '[{"id":"inv_2","meta":{"items":[{"quantity":3}]}}]');
  nock(BASE_URL).get('/v1/invoices?take=1&cursor=inv_2').reply(200, '[]');
  const client = merchant();
  const found = [];
  for await (const invoice of items(pages((query) => client.listInvoices(query), { take: 1 }))) found.push(invoice);
  expect(found).toEqual([{ id: 'inv_2', meta: { items: [{ quantity: 3 }] } }]);
  post('/v1/accounts/acc_1/close').reply(200, '{"id":"acc_1","status":"closed","entries":2}');
  post('/v1/accounts/acc_1/archive').reply(200, '[7]');
  expect((await client.closeAccount('acc_1')).data).toEqual({ id: 'acc_1', status: 'closed', entries: 2 });
  expect(await client.archiveAccount('acc_1')).toMatchObject({ data: null, body: [7] });
});

it('what is handed over is plain too: to onAnswer, and of an invoice that it may be', async () => {
  const answers: Answered[] = [];
  const client = merchant({ onAnswer: async (answered) => void answers.push(answered) });
  post(PAYOUTS).reply(201, { ...made, retries: 2 });
  await client.createPayout('acc_1', payout);
  expect(answers).toMatchObject([{ path: { id: 'acc_1' }, request: payout, reply: { data: { retries: 2 } } }]);

  const shown = [1, 2].map((n) => ({ id: `inv_${n}`, amount: '1', createdAt: new Date().toISOString(), meta: { n } }));
  post('/v1/invoices').reply(500, '');
  nock(BASE_URL)
    .get('/v1/invoices?take=100')
    .reply(200, [...shown, { id: 'old', amount: '1', createdAt: '2020-01-01' }]);
  const call = client.createInvoice({ customerEmail: 'a@example.com', amount: '1', currency: 'EUR' });
  const error = await rejection(call, OutcomeUnknownError);
  expect(error.candidates).toEqual(shown);
});

it('settles what is unknown, and has nothing to close without a database', async () => {
  const client = merchant();
  post(PAYOUTS).reply(500, '');
  await rejection(client.createPayout('acc_1', payout, { idempotencyKey: 'a' }), OutcomeUnknownError);
  post(PAYOUTS).reply(201, made);
  expect(await client.settleWrites()).toMatchObject([{ key: 'a', outcome: 'done' }]);
  await client.close();
});
