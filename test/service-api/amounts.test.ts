import nock from 'nock';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../src/service-api/client.js';
import { ContractViolationError } from '../../src/service-api/service-errors.js';
import { withoutNetwork } from './no-network.js';
import { BASE_URL, rejection, testClient } from './test-client.js';

const client = testClient();

withoutNetwork();

/** A record with the value at the place, such as `payins/0/amountNet`. */
function recordWith(place: string, value: string, id: string): string {
  const [first = '', ...rest] = place.split('/');
  const inner = rest.reduceRight((text, step) => (step === '0' ? `[${text}]` : `{"id":"x","${step}":${text}}`), value);
  return `{"id":"${id}","assetCode":"${id}","${first}":${inner}}`;
}

const intent = [
  'amountRequested',
  'amountCryptoExpected',
  'totalAmountReceived',
  'amountNetMerchant',
  'feeAmountTotal',
  'amountInRange',
  'amountRejected',
  'amountToRefund',
  'feeAmountOnRange',
  'feeAmountOnRejected',
  'payins/0/amountGross',
  'payins/0/amountNet',
  'payins/0/feeAmount',
];
const invoice = ['amount'];
const payout = ['amount', 'feeAmount', 'networkFeeAmount', 'networkFeeUsdEquivalent'];
const transaction = ['amount', 'feeAmount'];
const direct = { requestedCoin: 'BTC', amount: '1', customer: {} };
const asked = { customerEmail: 'a@b.c', amount: '1', currency: 'EUR' };
const withdrawal = { assetCode: 'BTC', amount: '1', destinationAddress: 'abc' };

type Ask = () => Promise<Reply<unknown>>;
/** Each endpoint whose answer has amounts (specification 2), with their places in it. */
const endpoints: [string, 'GET' | 'POST', string, Ask, readonly string[], 'list' | 'one'][] = [
  [
    '4.1',
    'POST',
    '/v1/payment-intents/direct',
    () => client.createDirectPayment(direct),
    [...intent, 'amountToSend'],
    'one',
  ],
  ['4.2', 'POST', '/v1/invoices', () => client.createInvoice(asked), invoice, 'one'],
  ['4.3', 'GET', '/v1/invoices', () => client.listInvoices(), invoice, 'list'],
  ['4.4', 'POST', '/v1/accounts/a/payouts', () => client.createPayout('a', withdrawal), payout, 'one'],
  ['4.5', 'POST', '/v1/payouts/refund', () => client.createRefund({ paymentIntentId: 'p' }), payout, 'one'],
  ['4.11', 'GET', '/v1/accounts/a/transactions', () => client.listAccountTransactions('a'), transaction, 'list'],
  ['4.12', 'GET', '/v1/accounts/transactions', () => client.listTransactions(), transaction, 'list'],
  ['4.14', 'GET', '/v1/payment-intents', () => client.listPaymentIntents(), intent, 'list'],
  [
    '4.15',
    'GET',
    '/v1/payments/payins/BTC',
    () => client.getPayin('BTC'),
    ['amountGross', 'amountNet', 'feeAmount', 'kytRiskScore'],
    'one',
  ],
  [
    '4.17',
    'GET',
    '/v1/settlements/payment-methods',
    () => client.listSettlementPaymentMethods({ assetCode: 'BTC' }),
    ['paymentMethods/0/minimumAmount'],
    'one',
  ],
  [
    '4.18',
    'GET',
    '/v1/wallet/balances/BTC',
    () => client.getBalance('BTC'),
    ['balance', 'frozen', 'available', 'usdRate'],
    'one',
  ],
  ['4.19', 'GET', '/v1/products/BTC/manage', () => client.getProduct('BTC'), ['amount', 'stats/totalRevenue'], 'one'],
  [
    '4.20',
    'GET',
    '/v1/public/assets',
    () => client.listPublicAssets(),
    ['fees/payin', 'fees/payout', 'fees/settlement'],
    'list',
  ],
  ['payouts', 'GET', '/v1/payouts', () => client.listPayouts(), payout, 'list'],
];

const cases = endpoints.flatMap(([section, method, path, call, places, form]) =>
  places.map((place) => ({ section, method, path, call, place, places, form })),
);

describe('amounts in answers', () => {
  it.each(cases)('$section: $place is no JSON number', async ({ method, path, call, place, places, form }) => {
    const answer = (value: string) => {
      const record = recordWith(place, value, 'BTC');
      nock(BASE_URL)
        .intercept(path, method)
        .query(true)
        .reply(200, form === 'list' ? `[${record}]` : record);
    };
    for (const value of place === places[0] ? ['1', '1.5', '0', '1e3'] : ['1.5']) {
      answer(value);
      const error = await rejection(call(), ContractViolationError);
      expect(error.message).toContain(`/${place}:`);
    }
    answer('"1"');
    await call();
  });
});
