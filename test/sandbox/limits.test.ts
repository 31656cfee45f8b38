import { beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';

/** Section 8 of the specification, at, below and above each limit. */
let sandbox: Sandbox;
let account: string;

beforeAll(async () => {
  sandbox = await startSandbox({ confirmationSeconds: 0, kytSeconds: 0, rateSwingBasisPoints: 0 });
  account = sandbox.control.createAccount();
  for (const asset of ['USDT.TRC20', 'XRP.XRPL']) {
    for (let n = 0; n < 5; n += 1) sandbox.control.deposit(account, asset, '999999999999999999.999999999999999999');
  }
  return () => sandbox.close();
});

async function post(path: string, body: Record<string, unknown>): Promise<number> {
  const { status } = await fetch(sandbox.url + path, {
    method: 'POST',
    headers: { authorization: 'Bearer sandbox-api-key', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(sandbox.control.ledgerProblems()).toEqual([]);
  return status;
}

const payout = (change: Record<string, unknown>) =>
  post(`/v1/accounts/${account}/payouts`, {
    assetCode: 'USDT.TRC20',
    amount: '0.01',
    destinationAddress: 'Tabc',
    ...change,
  });
const transfer = (change: Record<string, unknown>) =>
  post(`/v1/accounts/${account}/transfers`, { assetCode: 'USDT.TRC20', amount: '0.01', toOperating: true, ...change });
const direct = (change: Record<string, unknown>) =>
  post('/v1/payment-intents/direct', { requestedCoin: 'USDT.TRC20', amount: '1', customer: {}, ...change });
const invoice = (change: Record<string, unknown>) =>
  post('/v1/invoices', { customerEmail: 'a@b.c', amount: '1', currency: 'USD', ...change });
const refund = async (amount: unknown) => {
  const paymentIntentId = sandbox.control.createPayment({
    amount: '999999999999999999.999999999999999999',
    currency: 'USDT.TRC20',
    customerRefundAddress: 'Tback',
  });
  sandbox.control.pay(paymentIntentId);
  return post('/v1/payouts/refund', { paymentIntentId, amount });
};

const letters = (length: number): string => 'x'.repeat(length);

describe('amounts', () => {
  const GOOD = ['1', '0.000000000000000001', '999999999999999999.999999999999999999', '000000000000000001', '1.10'];
  const BAD = [
    '0',
    '0.0',
    '000',
    '-1',
    '+1',
    '1e3',
    '1,5',
    ' 1',
    '1 ',
    '',
    '.5',
    '5.',
    '0x1',
    'NaN',
    '1.0000000000000000001',
    '1234567890123456789',
    '0000000000000000001',
    10,
    0.1,
    null,
    true,
    ['1'],
    { amount: '1' },
    '１',
  ];

  it.each(GOOD)('%s is one', async (amount) => {
    for (const create of [payout, transfer, direct, invoice]) expect(await create({ amount })).toBe(201);
  });

  it.each(BAD)('%j is none', async (amount) => {
    for (const create of [payout, transfer, direct, invoice]) expect(await create({ amount })).toBe(400);
    if (amount !== null) expect(await transfer({ amount: '1', feeAmount: amount })).toBe(400);
  });

  it('of a refund may be zero', async () => {
    for (const amount of ['0', '0.0', '5', '5.000000000000000001'])
      expect([amount, await refund(amount)]).toEqual([amount, 201]);
    const refused = BAD.filter(
      (amount) => amount !== null && !(typeof amount === 'string' && /^0+(\.0+)?$/.test(amount)),
    );
    for (const amount of refused) expect([amount, await refund(amount)]).toEqual([amount, 400]);
    expect(await refund('0000000000000000000')).toBe(400);
  });
});

describe('texts', () => {
  it.each([
    ['destinationAddress', 2, 400],
    ['destinationAddress', 3, 201],
    ['destinationAddress', 4, 201],
    ['destinationAddress', 254, 201],
    ['destinationAddress', 255, 201],
    ['destinationAddress', 256, 400],
    ['note', 254, 201],
    ['note', 255, 201],
    ['note', 256, 400],
    ['merchantReference', 254, 201],
    ['merchantReference', 255, 201],
    ['merchantReference', 256, 400],
    ['idempotencyKey', 1, 201],
    ['idempotencyKey', 119, 201],
    ['idempotencyKey', 120, 201],
    ['idempotencyKey', 121, 400],
    ['fiatCurrency', 7, 201],
    ['fiatCurrency', 8, 201],
    ['fiatCurrency', 9, 400],
    ['totpCode', 6, 400],
  ])('%s of a payout with %i characters → %i', async (field, length, status) => {
    expect(await payout({ [field]: letters(length) })).toBe(status);
  });

  it.each([
    [119, 201],
    [120, 201],
    [121, 400],
  ])('destinationMemo with %i characters → %i', async (length, status) => {
    expect(await payout({ assetCode: 'XRP.XRPL', amount: '1', destinationMemo: letters(length) })).toBe(status);
  });

  it.each([
    ['12345', 400],
    ['123456', 201],
    ['1234567', 400],
    ['１２３４５６', 400],
  ])('totpCode %s → %i', async (totpCode, status) => {
    expect(await payout({ totpCode })).toBe(status);
    expect(await transfer({ totpCode })).toBe(status);
  });

  it.each([
    ['', 'VALIDATION_ERROR'],
    ['X'.repeat(31), 'ASSET_NOT_SUPPORTED'],
    ['X'.repeat(32), 'ASSET_NOT_SUPPORTED'],
    ['X'.repeat(33), 'VALIDATION_ERROR'],
    ['USDT-TRC20', 'ASSET_NOT_SUPPORTED'],
    ['usdt.trc20', 'VALIDATION_ERROR'],
    ['USDT TRC20', 'VALIDATION_ERROR'],
  ])('assetCode %j → %s', async (assetCode, code) => {
    for (const [path, more] of [
      ['payouts', { destinationAddress: 'Tabc' }],
      ['transfers', { toOperating: true }],
    ] as const) {
      const answer = await fetch(`${sandbox.url}/v1/accounts/${account}/${path}`, {
        method: 'POST',
        headers: { authorization: 'Bearer sandbox-api-key', 'content-type': 'application/json' },
        body: JSON.stringify({ assetCode, amount: '1', ...more }),
      });
      expect(await answer.json()).toMatchObject({ statusCode: 400, code });
    }
  });
});

describe('pages', () => {
  it.each([
    ['payment-intents', 100],
    ['invoices', 100],
    ['accounts', 100],
    ['accounts/transactions', 100],
    ['payouts', 100],
    ['webhook-endpoints/deliveries', 100],
  ])('of %s have 1 to %i rows', async (list, most) => {
    for (const [take, status] of [
      [0, 400],
      [1, 200],
      [most - 1, 200],
      [most, 200],
      [most + 1, 400],
    ]) {
      const answer = await fetch(`${sandbox.url}/v1/${list}?take=${take}`, {
        headers: { authorization: 'Bearer sandbox-api-key' },
      });
      expect([take, answer.status]).toEqual([take, status]);
    }
  });
});

describe('times', () => {
  it.each([
    [0, 201],
    [316_224_000, 201],
    [316_224_001, 400],
    [1e300, 400],
  ])('of a settlement account that matures in %d seconds → %i', async (maturesInSeconds, status) => {
    const account = { receptionAddress: '+22890123456', settlementPaymentMethodId: 'spm_mobile_money_tg' };
    expect(await post('/sandbox/settlement-accounts', { ...account, maturesInSeconds })).toBe(status);
    const list = await fetch(`${sandbox.url}/v1/settlement-accounts`, {
      headers: { authorization: 'Bearer sandbox-api-key' },
    });
    expect(list.status).toBe(200);
  });
});

describe('the public catalog', () => {
  it.each(['Bearer expired', 'Basic x', ''])('does not check the token: %j', async (authorization) => {
    const { status } = await fetch(`${sandbox.url}/v1/public/assets`, { headers: { authorization } });
    expect(status).toBe(200);
  });
});
