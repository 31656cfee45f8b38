import { describe, expect, it } from 'vitest';
import { openInbox, openSandbox, openWallet, operatingBalance, type Row, rowsOf, walletBalance } from './support.js';

const OUT = { assetCode: 'USDT.TRC20', amount: '100', destinationAddress: 'TXyz1234567890' };

async function start(account: Record<string, unknown> = {}) {
  const sandbox = await openSandbox();
  const id = await openWallet(sandbox, account);
  const withdraw = (body: Record<string, unknown> = {}, headers?: Record<string, string>) =>
    sandbox.call('POST', `/v1/accounts/${id}/payouts`, { ...OUT, ...body }, headers);
  const step = (payout: Row, name: string, body: unknown = {}) =>
    sandbox.call('POST', `/sandbox/payouts/${payout.id}/${name}`, body);
  return { sandbox, id, withdraw, step };
}

describe('a withdrawal from a sub-wallet', () => {
  it('freezes, runs through its states, and debits when it is confirmed', async () => {
    const { sandbox, id, withdraw, step } = await start();
    const { status, body } = await withdraw({ merchantReference: 'w-1', note: 'rent' });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(
      'id merchantReference payoutType amount assetCode destinationAddress destinationType destinationMemo feeAmount networkFeeAmount networkFeeAssetCode networkFeeUsdEquivalent txid txUrl status failureReason feeBearer kytStatus createdAt updatedAt statusHistory'.split(
        ' ',
      ),
    );
    expect(body).toMatchObject({
      status: 'pending',
      amount: '100',
      feeAmount: '1',
      feeBearer: 'merchant',
      merchantReference: 'w-1',
      destinationType: 'blockchain',
      networkFeeAmount: null,
      txid: null,
      failureReason: null,
    });
    expect(rowsOf(body, 'statusHistory')).toEqual([
      { status: 'pending', timestamp: body.createdAt, source: 'api', note: 'rent' },
    ]);
    expect(await walletBalance(sandbox, id)).toEqual(['990', '101', '889']);
    expect((await step(body, 'approve')).body).toMatchObject({ status: 'approved', txid: null, kytStatus: 'approved' });
    const sent = (await step(body, 'broadcast')).body;
    expect(sent).toMatchObject({ networkFeeAssetCode: 'TRX.TRC20', networkFeeUsdEquivalent: null });
    expect(sent.networkFeeAmount).toMatch(/^\d+(\.\d+)?$/);
    expect(sent.txUrl).toBe(`https://tronscan.org/#/transaction/${String(sent.txid)}`);
    expect(await walletBalance(sandbox, id)).toEqual(['990', '101', '889']);
    const confirmed = (await step(body, 'confirm')).body;
    expect(confirmed).toMatchObject({ status: 'confirmed', txid: sent.txid, failureReason: null });
    expect(confirmed.networkFeeUsdEquivalent).toMatch(/^\d+(\.\d+)?$/);
    expect(await walletBalance(sandbox, id)).toEqual(['889', '0', '889']);
    expect(rowsOf(confirmed, 'statusHistory').map(({ status }) => status)).toEqual([
      'pending',
      'approved',
      'broadcast',
      'confirmed',
    ]);
  });

  it('that fails or is reviewed says why, and what failed gives the money back', async () => {
    const { sandbox, id, withdraw, step } = await start();
    const { body } = await withdraw();
    expect((await step(body, 'review', { reason: 'sanctions list' })).body).toMatchObject({
      status: 'under_review',
      failureReason: 'sanctions list',
    });
    expect((await step(body, 'approve')).body).toMatchObject({ status: 'approved', failureReason: null });
    expect((await step(body, 'fail', { reason: 'no energy' })).body).toMatchObject({
      status: 'failed',
      failureReason: 'no energy',
    });
    expect(await walletBalance(sandbox, id)).toEqual(['990', '0', '990']);
    for (const name of ['approve', 'broadcast', 'confirm', 'fail', 'review']) {
      expect((await step(body, name)).status).toBe(409);
    }
  });

  it('confirmed by hand has no hash, and can only follow an approval', async () => {
    const { withdraw, step } = await start();
    const { body } = await withdraw();
    expect((await step(body, 'confirm', { manual: true })).status).toBe(409);
    await step(body, 'approve');
    expect((await step(body, 'confirm')).status).toBe(409);
    expect((await step(body, 'confirm', { manual: true })).body).toMatchObject({
      status: 'confirmed',
      txid: null,
      txUrl: null,
      networkFeeAmount: null,
      networkFeeUsdEquivalent: null,
    });
  });

  it.each([
    ['merchant', {}, '990', '101'],
    ['merchant', { feeBearer: 'customer' }, '990', '100'],
    ['customer', {}, '990', '100'],
    ['customer', { feeBearer: 'merchant' }, '990', '101'],
  ])(
    'of an account that lets the %s bear fees, with %j, freezes what it will debit',
    async (feeBearer, more, balance, frozen) => {
      const { sandbox, id, withdraw } = await start({ feeBearer });
      await withdraw(more);
      expect((await walletBalance(sandbox, id)).slice(0, 2)).toEqual([balance, frozen]);
    },
  );

  it('can take all that is there and not a unit more', async () => {
    const { sandbox, id, withdraw } = await start();
    const refused = await withdraw({ amount: '989.000000000000000001' });
    expect([refused.status, refused.body.code]).toEqual([409, 'INSUFFICIENT_BALANCE']);
    expect((await withdraw({ amount: '989' })).status).toBe(201);
    expect(await walletBalance(sandbox, id)).toEqual(['990', '990', '0']);
  });

  it('in fiat sends what the amount buys at the rate of the moment, rounded down', async () => {
    const sandbox = await openSandbox();
    const id = await openWallet(sandbox);
    sandbox.control.deposit(id, 'BTC', '1');
    const body = { ...OUT, assetCode: 'BTC', amountType: 'fiat', fiatCurrency: 'EUR', amount: '100' };
    const made = await sandbox.call('POST', `/v1/accounts/${id}/payouts`, body);
    // 108 dollars at 64250.5.
    expect(made.body).toMatchObject({ amount: '0.00168092', assetCode: 'BTC' });
    const bad = async (change: Record<string, unknown>): Promise<unknown> =>
      (await sandbox.call('POST', `/v1/accounts/${id}/payouts`, { ...body, ...change })).body.code;
    expect(await bad({ fiatCurrency: undefined })).toBe('VALIDATION_ERROR');
    expect(await bad({ fiatCurrency: 'ARS' })).toBe('VALIDATION_ERROR');
    expect(await bad({ amount: '0.0000001' })).toBe('AMOUNT_TOO_SMALL');
    expect(await bad({ assetCode: 'BTT.TRC20' })).toBe('ASSET_NOT_PRICED');
    const ignored = { ...OUT, fiatCurrency: 'ARS' };
    expect((await sandbox.call('POST', `/v1/accounts/${id}/payouts`, ignored)).body.amount).toBe('100');
  });

  it('needs a memo where the chain does, and takes none elsewhere', async () => {
    const { withdraw } = await start();
    const xrp = { assetCode: 'XRP.XRPL', amount: '1' };
    expect((await withdraw(xrp)).body.code).toBe('MEMO_REQUIRED');
    expect((await withdraw({ ...xrp, destinationMemo: '' })).body.code).toBe('MEMO_REQUIRED');
    expect((await withdraw({ ...xrp, destinationMemo: '77' })).body.destinationMemo).toBe('77');
    expect((await withdraw({ destinationMemo: '77' })).body.code).toBe('MEMO_NOT_SUPPORTED');
  });

  it.each([
    ['an unknown asset', { assetCode: 'DOGE' }, 'ASSET_NOT_SUPPORTED'],
    ['an asset that the account does not have', { assetCode: 'BTC' }, 'ASSET_NOT_SUPPORTED'],
    ['nothing left after the fee', { amount: '1', feeBearer: 'customer' }, 'AMOUNT_TOO_SMALL'],
  ])('refuses %s', async (_, change, code) => {
    const { withdraw } = await start({ supportedAssets: ['USDT.TRC20', 'XRP.XRPL'] });
    expect((await withdraw(change)).body.code).toBe(code);
  });

  it('belongs to its merchant alone', async () => {
    const { sandbox, withdraw, id } = await start();
    expect((await withdraw({}, { authorization: 'Bearer sandbox-other-key' })).status).toBe(404);
    expect((await sandbox.call('POST', '/v1/accounts/wa_none/payouts', OUT)).status).toBe(404);
    expect((await walletBalance(sandbox, id))[1]).toBe('0');
  });

  it('goes its way by itself where the settings say so, until it is reviewed', async () => {
    const sandbox = await openSandbox({ payoutStepSeconds: 10 });
    const id = await openWallet(sandbox);
    const [first, second] = [
      await sandbox.call('POST', `/v1/accounts/${id}/payouts`, OUT),
      await sandbox.call('POST', `/v1/accounts/${id}/payouts`, OUT),
    ];
    await sandbox.call('POST', `/sandbox/payouts/${second.body.id}/review`);
    const seen: unknown[] = [];
    for (let n = 0; n < 4; n += 1) {
      seen.push(sandbox.control.payout(first.body.id)?.['status']);
      sandbox.control.advance(10);
    }
    expect(seen).toEqual(['pending', 'approved', 'broadcast', 'confirmed']);
    expect(sandbox.control.payout(second.body.id)?.['status']).toBe('under_review');
    expect(await walletBalance(sandbox, id)).toEqual(['889', '101', '788']);
  });
});

describe('a payout made in the dashboard', () => {
  it('takes from the operating balance', async () => {
    const sandbox = await openSandbox();
    sandbox.control.deposit(null, 'USDT.TRC20', '50');
    const { status, body } = await sandbox.call('POST', '/sandbox/payouts', { ...OUT, amount: '20' });
    expect([status, body.payoutType]).toEqual([201, 'withdrawal']);
    expect(await operatingBalance(sandbox)).toEqual(['50', '21', '29']);
  });

  it.each([
    ['internal_email', 'ann@example.com'],
    ['merchant_account', 'mer_123'],
  ])('to %s is free and never has a hash', async (destinationType, destinationAddress) => {
    const sandbox = await openSandbox();
    sandbox.control.deposit(null, 'USDT.TRC20', '50');
    const request = { ...OUT, amount: '20', destinationType, destinationAddress };
    const { body } = await sandbox.call('POST', '/sandbox/payouts', request);
    expect(body).toMatchObject({ payoutType: 'internal_transfer', feeAmount: '0', destinationType, kytStatus: null });
    await sandbox.call('POST', `/sandbox/payouts/${body.id}/approve`);
    expect((await sandbox.call('POST', `/sandbox/payouts/${body.id}/broadcast`)).status).toBe(409);
    expect((await sandbox.call('POST', `/sandbox/payouts/${body.id}/confirm`)).body).toMatchObject({
      status: 'confirmed',
      txid: null,
      networkFeeUsdEquivalent: null,
    });
    expect(await operatingBalance(sandbox)).toEqual(['30', '0', '30']);
  });
});

describe('GET /v1/payouts', () => {
  it('lists newest first, by status, in pages, unless the service has no such list', async () => {
    const { sandbox, withdraw, step } = await start();
    const made: Row[] = [];
    for (let n = 0; n < 3; n += 1) made.push((await withdraw({ amount: '10' })).body);
    await step(made[1] as Row, 'approve');
    const list = async (query: string): Promise<unknown[]> =>
      (await sandbox.call<Row[]>('GET', `/v1/payouts?${query}`)).body.map(({ id }) =>
        made.findIndex((one) => one.id === id),
      );
    expect(await list('')).toEqual([2, 1, 0]);
    expect(await list('status=pending')).toEqual([2, 0]);
    expect(await list(`take=1&cursor=${made[2]?.id}`)).toEqual([1]);
    expect((await sandbox.call('GET', '/v1/payouts?status=lost')).status).toBe(400);
    sandbox.control.setFaults({ names: { payouts: { status: 'state' } }, payoutsPath: '/v1/withdrawals' });
    expect((await sandbox.call('GET', '/v1/payouts')).status).toBe(404);
    expect((await sandbox.call<Row[]>('GET', '/v1/withdrawals?state=approved')).body).toHaveLength(1);
    sandbox.control.setFaults({ payoutsList: false });
    expect((await sandbox.call('GET', '/v1/payouts')).status).toBe(404);
  });

  it('is reported by events, which the delivery history finds by the payout', async () => {
    const { sandbox, withdraw, step } = await start();
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url, events: ['*'] });
    const { body } = await withdraw();
    for (const name of ['approve', 'broadcast', 'fail']) await step(body, name);
    await sandbox.control.deliveriesIdle();
    expect(inbox.arrivals.map(({ event }) => event).sort()).toEqual([
      'payout.approved',
      'payout.broadcast',
      'payout.created',
      'payout.failed',
    ]);
    const failed = inbox.arrivals.find(({ event }) => event === 'payout.failed')?.envelope?.data;
    expect(failed).toEqual(sandbox.control.payout(body.id));
    const find = async (id: string): Promise<number> =>
      (await sandbox.call<{ items: Row[] }>('GET', `/v1/webhook-endpoints/deliveries?payoutId=${id}`)).body.items
        .length;
    expect([await find(body.id), await find('po_none')]).toEqual([4, 0]);
  });
});
