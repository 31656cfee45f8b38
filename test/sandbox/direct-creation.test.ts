import { describe, expect, it } from 'vitest';
import { openSandbox, type Reply, type Row, type TestSandbox } from './support.js';

const GOOD = { requestedCoin: 'USDT.TRC20', amount: '25.5', customer: { email: 'ann@example.com' } };

function direct(sandbox: TestSandbox, body: unknown, headers?: Record<string, string>): Promise<Reply<Row>> {
  return sandbox.call('POST', '/v1/payment-intents/direct', body, headers);
}

describe('POST /v1/payment-intents/direct', () => {
  it('allocates an address for a crypto amount, which is exactly what must be sent', async () => {
    const sandbox = await openSandbox({ expirySeconds: 7200 });
    const { status, body } = await direct(sandbox, {
      ...GOOD,
      merchantReference: 'order 1 ',
      amount: '0.000000000000000001',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: 'pending',
      amountRequested: '0.000000000000000001',
      amountToSend: '0.000000000000000001',
      amountCryptoExpected: null,
      assetCode: 'USDT.TRC20',
      currencyRequested: 'USDT.TRC20',
      depositAddress: expect.stringMatching(/^T\w{33}$/),
      memo: null,
      memoType: null,
      merchantReference: 'order 1 ',
      customerEmail: 'ann@example.com',
      expiryHours: 2,
    });
    const [row] = await sandbox.list();
    expect(row?.id).toBe(body.id);
    expect(row).not.toHaveProperty('depositAddress');
  });

  it('converts a fiat amount and locks it', async () => {
    const sandbox = await openSandbox();
    const { body } = await direct(sandbox, {
      ...GOOD,
      requestedCoin: 'BTC',
      requestedCurrencyType: 'fiat',
      currencyRequested: 'USD',
      amount: '64250.50',
    });
    expect(body).toMatchObject({
      currencyRequested: 'USD',
      amountRequested: '64250.5',
      amountToSend: '1',
      amountCryptoExpected: '1',
    });
    const third = await direct(sandbox, {
      ...GOOD,
      requestedCoin: 'BTC',
      requestedCurrencyType: 'fiat',
      currencyRequested: 'USD',
      amount: '100',
    });
    expect(third.body.amountToSend).toBe('0.00155641');
  });

  it('never asks for less than the fiat amount is worth', async () => {
    const sandbox = await openSandbox();
    const fiat = { requestedCoin: 'ETH', requestedCurrencyType: 'fiat', currencyRequested: 'USD', amount: '100' };
    const { body } = await direct(sandbox, { ...GOOD, ...fiat });
    const units = BigInt(String(body.amountToSend).replace('.', ''));
    expect(String(body.amountToSend)).toMatch(/^0\.\d{18}$/);
    // At 3120.75 dollars: one unit less would be worth less than 100 dollars.
    expect([units * 312_075n >= 10_000n * 10n ** 18n, (units - 1n) * 312_075n < 10_000n * 10n ** 18n]).toEqual([
      true,
      true,
    ]);
  });

  it('gives a memo on chains that need one', async () => {
    const sandbox = await openSandbox();
    const one = await direct(sandbox, { ...GOOD, requestedCoin: 'XRP' });
    const two = await direct(sandbox, { ...GOOD, requestedCoin: 'XRP.XRPL' });
    expect(one.body).toMatchObject({ assetCode: 'XRP.XRPL', memoType: 'tag', memo: expect.stringMatching(/^\d+$/) });
    expect(two.body.depositAddress).toBe(one.body.depositAddress);
    expect(two.body.memo).not.toBe(one.body.memo);
  });

  it.each(['1', '0.1', '123456789012345678', '123456789012345678.123456789012345678', '00.10'])(
    'takes the amount %s',
    async (amount) => {
      const sandbox = await openSandbox();
      expect((await direct(sandbox, { ...GOOD, amount })).status).toBe(201);
    },
  );

  it.each([
    10,
    '0',
    '0.0',
    '-1',
    '+1',
    '1.',
    '.5',
    '1e3',
    '1,5',
    ' 1',
    '',
    '1234567890123456789',
    '1.1234567890123456789',
    null,
    undefined,
  ])('refuses the amount %j', async (amount) => {
    const sandbox = await openSandbox();
    const { status, body } = await direct(sandbox, { ...GOOD, amount });
    expect(status).toBe(400);
    expect(body).toMatchObject({ statusCode: 400, code: 'VALIDATION_ERROR' });
    expect(await sandbox.list()).toEqual([]);
  });

  it.each([
    ['no customer', { customer: undefined }, 'VALIDATION_ERROR'],
    ['a customer that is no object', { customer: 'ann' }, 'VALIDATION_ERROR'],
    ['a coin with several networks', { requestedCoin: 'USDT' }, 'NETWORK_REQUIRED'],
    ['an unknown coin', { requestedCoin: 'DOGE' }, 'ASSET_NOT_SUPPORTED'],
    ['fiat without its currency', { requestedCurrencyType: 'fiat' }, 'VALIDATION_ERROR'],
    ['another type', { requestedCurrencyType: 'shells' }, 'VALIDATION_ERROR'],
    ['metadata that is no object', { metadata: [1] }, 'VALIDATION_ERROR'],
    ['a reference that is no text', { merchantReference: 5 }, 'VALIDATION_ERROR'],
    [
      'an unusable settlement account',
      { autoSettlement: { enabled: true, settlementAccountAddress: 'x', settlementPaymentMethodId: 'y' } },
      'AUTO_SETTLEMENT_DESTINATION_UNUSABLE',
    ],
  ])('refuses %s', async (_, change, code) => {
    const sandbox = await openSandbox();
    const { status, body } = await direct(sandbox, { ...GOOD, ...change });
    expect([status, body.code]).toEqual([400, code]);
  });

  it('refuses to settle a coin that the partner cannot reverse', async () => {
    const sandbox = await openSandbox();
    const autoSettlement = {
      enabled: true,
      settlementAccountAddress: '+22890123456',
      settlementPaymentMethodId: 'spm_mobile_money_tg',
    };
    expect((await direct(sandbox, { ...GOOD, autoSettlement })).status).toBe(201);
    const refused = await direct(sandbox, { ...GOOD, requestedCoin: 'BTC', autoSettlement });
    expect(refused.body.code).toBe('AUTO_SETTLEMENT_COIN_NOT_SUPPORTED');
  });

  it.each(['', '[]', 'null', '{', '"x"'])('refuses the body %j', async (body) => {
    const sandbox = await openSandbox();
    expect((await direct(sandbox, body)).status).toBe(400);
  });

  it('wants JSON named as JSON', async () => {
    const sandbox = await openSandbox();
    expect((await direct(sandbox, GOOD, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('replays a key, from body or header, instead of creating a second payment', async () => {
    const sandbox = await openSandbox();
    const first = await direct(sandbox, { ...GOOD, idempotencyKey: 'k-1' });
    const inHeader = await direct(sandbox, { ...GOOD, amount: '99' }, { 'Idempotency-Key': 'k-1' });
    const inBody = await direct(sandbox, { idempotencyKey: 'k-1' });
    expect([inHeader.body, inBody.body]).toEqual([first.body, first.body]);
    const other = await direct(sandbox, GOOD, { 'idempotency-key': 'k-1', authorization: 'Bearer sandbox-other-key' });
    expect(other.body.id).not.toBe(first.body.id);
    expect(await sandbox.list()).toHaveLength(1);
  });

  it('gives metadata back as it came, to the last digit', async () => {
    const sandbox = await openSandbox();
    const metadata = '{"__proto__":1,"n":12345678901234567890.10,"a": [1e400,"\\ud800 } \\" ,"],"a":2}';
    const body = `{"metadata" : ${metadata} ,"requestedCoin":"BTC","amount":"1","customer":{}}`;
    const headers = { authorization: 'Bearer sandbox-api-key', 'content-type': 'application/json' };
    await fetch(`${sandbox.url}/v1/payment-intents/direct`, { method: 'POST', body, headers });
    const text = await (await fetch(`${sandbox.url}/v1/payment-intents`, { headers })).text();
    expect(text).toContain(`"metadata":${metadata}`);
  });
});
