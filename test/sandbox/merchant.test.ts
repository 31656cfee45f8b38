import { describe, expect, it } from 'vitest';
import { OTHER, openSandbox, openWallet, operatingBalance, payHundred, type Row, rowsOf } from './support.js';

const FIAT_PAYMENT = { amount: '100', currency: 'USD', assetCode: 'USDT.TRC20' };
const AUTO = {
  enabled: true,
  settlementAccountAddress: '+22890123456',
  settlementPaymentMethodId: 'spm_mobile_money_tg',
};
const DIRECT = { requestedCoin: 'USDT.TRC20', amount: '100', customer: {} };

describe('a balance', () => {
  it('has every field, and zeros for an asset that was never received', async () => {
    const sandbox = await openSandbox();
    expect((await sandbox.call('GET', '/v1/wallet/balances/XRP.XRPL')).body).toEqual({
      assetCode: 'XRP.XRPL',
      coinCode: 'XRP',
      coin: 'XRP',
      name: 'XRP',
      network: 'XRPL',
      balance: '0',
      frozen: '0',
      available: '0',
      usdRate: '0.5241',
      displayDecimals: 6,
      onChainDecimals: 6,
      color: expect.stringMatching(/^#[0-9A-F]{6}$/),
    });
    expect((await sandbox.call('GET', '/v1/wallet/balances/BTT.TRC20')).body.usdRate).toBe('0');
    expect((await sandbox.call('GET', '/v1/wallet/balances/DOGE')).status).toBe(404);
  });

  it('is what payments brought, less fees; another merchant sees its own', async () => {
    const sandbox = await openSandbox();
    payHundred(sandbox);
    const under = sandbox.control.createPayment({ amount: '100', currency: 'USDT.TRC20' });
    sandbox.control.pay(under, { percent: 50 });
    expect(await operatingBalance(sandbox)).toEqual(['99', '0', '99']);
    sandbox.control.decide(under, 'encash');
    expect(await operatingBalance(sandbox)).toEqual(['148.5', '0', '148.5']);
    expect((await sandbox.call('GET', '/v1/wallet/balances/USDT.TRC20', undefined, OTHER)).body.balance).toBe('0');
  });

  it('follows rates that move from minute to minute, stablecoins apart', async () => {
    const sandbox = await openSandbox({ rateSwingBasisPoints: 100 });
    const rates = new Set<unknown>();
    for (let n = 0; n < 20; n += 1) {
      const { usdRate } = (await sandbox.call('GET', '/v1/wallet/balances/BTC')).body;
      // One percent beside 64,250.5 on either side.
      expect(Number(usdRate)).toBeGreaterThanOrEqual(63_607.995);
      expect(Number(usdRate)).toBeLessThanOrEqual(64_893.005);
      rates.add(usdRate);
      expect((await sandbox.call('GET', '/v1/wallet/balances/USDT.TRC20')).body.usdRate).toBe('1');
      sandbox.control.advance(60);
    }
    expect(rates.size).toBeGreaterThan(15);
  });

  it('of a merchant with a past opens with what the past left', async () => {
    const sandbox = await openSandbox({ payments: 200 });
    expect(await operatingBalance(sandbox)).toEqual(['25000', '0', '25000']);
    const [open] = (await sandbox.list('status=irregular&take=100')).filter(
      ({ irregularStatus, assetCode }) => irregularStatus === 'pending_decision' && assetCode !== null,
    );
    if (open) await sandbox.call('POST', `/sandbox/payment-intents/${open.id}/decide`, { decision: 'refund' });
  });
});

describe('the public catalog', () => {
  it('needs no token and shows what the platform supports', async () => {
    const sandbox = await openSandbox();
    const answer = await fetch(`${sandbox.url}/v1/public/assets`);
    const rows = (await answer.json()) as Row[];
    expect(answer.status).toBe(200);
    expect(rows.map(({ assetCode }) => assetCode)).toContain('BTC');
    expect(rows.find(({ assetCode }) => assetCode === 'XRP.XRPL')).toEqual({
      assetCode: 'XRP.XRPL',
      name: 'XRP',
      code: 'XRP',
      network: 'XRPL',
      blockchainName: 'XRP Ledger',
      category: 'crypto',
      memoRequired: true,
      fees: { payin: '1%', payout: '0.2 XRP', settlement: '1.5%' },
      icon: expect.stringMatching(/^http/),
    });
    const icon = await fetch(String(rows[0]?.icon));
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  });
});

describe('a disabled asset', () => {
  it('can not be selected, and leaves a coin with one network as the one', async () => {
    const sandbox = await openSandbox();
    const set = (code: string, isActive: unknown) => sandbox.call('PATCH', `/v1/merchant-assets/${code}`, { isActive });
    const id = await openWallet(sandbox);
    expect((await set('USDT.TRC20', false)).body).toEqual({ assetCode: 'USDT.TRC20', isActive: false });
    const direct = (requestedCoin: string) =>
      sandbox.call('POST', '/v1/payment-intents/direct', { ...DIRECT, requestedCoin });
    expect((await direct('USDT.TRC20')).status).toBe(400);
    expect((await direct('USDT')).body.assetCode).toBe('USDT.ERC20');
    const out = { assetCode: 'USDT.TRC20', amount: '1', destinationAddress: 'Txyz' };
    expect((await sandbox.call('POST', `/v1/accounts/${id}/payouts`, out)).body.code).toBe('ASSET_DISABLED');
    const methods = await sandbox.call('GET', '/v1/settlements/payment-methods?assetCode=USDT.TRC20');
    expect(methods.status).toBe(400);
    const standard = await sandbox.call('POST', '/sandbox/payment-intents', { amount: '1', currency: 'USD' });
    expect(standard.body.acceptedCoins).not.toContain('USDT.TRC20');
    expect((await sandbox.call('POST', `/sandbox/accounts/${id}/deposit`, out)).status).toBe(201);
    const fresh = await sandbox.call('POST', '/sandbox/accounts', {});
    expect((await sandbox.call('POST', `/sandbox/accounts/${fresh.body.id}/deposit`, out)).status).toBe(409);
    await set('USDT.TRC20', true);
    expect((await direct('USDT')).body.code).toBe('NETWORK_REQUIRED');
    expect((await set('USDT.TRC20', 'no')).status).toBe(400);
    expect((await set('DOGE', true)).status).toBe(404);
  });
});

describe('settlement accounts', () => {
  it('are listed newest first, with their method twice and without the id in the alias', async () => {
    const sandbox = await openSandbox();
    const added = await sandbox.call('POST', '/sandbox/settlement-accounts', {
      receptionAddress: 'FR7630006000011234567890189',
      settlementPaymentMethodId: 'spm_sepa',
    });
    expect(added.status).toBe(201);
    const { body } = await sandbox.call<Row[]>('GET', '/v1/settlement-accounts');
    expect(body.map((row) => [row.receptionAddress, row.isDefault, row.isMatured, row.revokedAt])).toEqual([
      ['FR7630006000011234567890189', false, false, null],
      ['+22890123456', true, true, null],
    ]);
    const { id, ...rest } = rowsOf({ id: '', rows: [body[0]?.settlementPaymentMethod] }, 'rows')[0] ?? { id: 'none' };
    expect(id).toBe('spm_sepa');
    expect(body[0]?.paymentMethod).toEqual(rest);
    expect(Object.keys(rest)).toEqual(['displayName', 'accountType', 'country', 'network', 'currency']);
    sandbox.control.advance(86_400);
    await sandbox.call('POST', `/sandbox/settlement-accounts/${added.body.id}/default`);
    await sandbox.call('POST', `/sandbox/settlement-accounts/${body[1]?.id}/revoke`);
    const { body: later } = await sandbox.call<Row[]>('GET', '/v1/settlement-accounts');
    expect(later.map((row) => [row.isDefault, row.isMatured, typeof row.revokedAt])).toEqual([
      [true, true, 'object'],
      [false, true, 'string'],
    ]);
    const { body: theirs } = await sandbox.call<Row[]>('GET', '/v1/settlement-accounts', undefined, OTHER);
    expect(theirs.map((row) => row.receptionAddress)).toEqual(['+22899876543']);
  });

  it('refuse an address that is none of the method', async () => {
    const sandbox = await openSandbox();
    const add = (receptionAddress: string, settlementPaymentMethodId: string) =>
      sandbox.call('POST', '/sandbox/settlement-accounts', { receptionAddress, settlementPaymentMethodId });
    expect((await add('+33', 'spm_mobile_money_tg')).status).toBe(400);
    expect((await add('+22890123456', 'spm_none')).status).toBe(404);
  });

  it('methods for a crypto come with their provider', async () => {
    const sandbox = await openSandbox();
    const methods = async (query: string) => sandbox.call('GET', `/v1/settlements/payment-methods?${query}`);
    const { body } = await methods('assetCode=USDT.TRC20');
    expect(body.provider).toEqual({ id: expect.any(String), name: expect.any(String) });
    const fields =
      'accountType addressFormatExample addressPattern country currency displayName id minimumAmount network providerPaymentMethodCode providerPaymentMethodId';
    expect(Object.keys(rowsOf(body, 'paymentMethods')[0] ?? {}).sort()).toEqual(fields.split(' '));
    expect(rowsOf((await methods('assetCode=BTC')).body, 'paymentMethods').map(({ id }) => id)).toEqual(['spm_sepa']);
    expect((await methods('assetCode=ETH')).body.paymentMethods).toEqual([]);
    expect((await methods('')).status).toBe(400);
    expect((await methods('assetCode=USDT')).status).toBe(400);
    sandbox.control.setFaults({ names: { settlementMethods: { assetCode: 'coin' } }, unknownParameters: 'refuse' });
    expect((await methods('coin=BTC')).status).toBe(200);
    expect((await methods('assetCode=BTC')).status).toBe(400);
  });
});

describe('a settlement', () => {
  it('by hand gives crypto for fiat, matured or not, less a fee', async () => {
    const sandbox = await openSandbox();
    sandbox.control.deposit(null, 'USDT.TRC20', '1000');
    const settle = (body: Record<string, unknown>) =>
      sandbox.call('POST', '/sandbox/settlements', { assetCode: 'USDT.TRC20', ...body });
    const { status, body } = await settle({ amount: '100' });
    expect([status, body.amount, body.feeAmount, body.fiatCurrency, body.fiatAmount]).toEqual([
      201,
      '98.5',
      '1.5',
      'XOF',
      '59696.96',
    ]);
    expect(await operatingBalance(sandbox)).toEqual(['900', '0', '900']);
    expect(sandbox.control.payout(String(body.payoutId))).toMatchObject({
      payoutType: 'settlement',
      status: 'confirmed',
      amount: '98.5',
      feeAmount: '1.5',
    });
    expect((await settle({ amount: '0.5' })).body.code).toBe('AMOUNT_TOO_SMALL');
    expect((await settle({ amount: '901' })).body.code).toBe('INSUFFICIENT_BALANCE');
    expect((await settle({ amount: '1', assetCode: 'ETH' })).body.code).toBe('COIN_NOT_SUPPORTED');
    expect((await settle({ amount: '100', settlementAccountId: 'sa_none' })).status).toBe(404);
    expect((await sandbox.call<Row[]>('GET', '/sandbox/settlements')).body).toEqual([body]);
  });

  it('follows a completed payment that asked for it', async () => {
    const sandbox = await openSandbox();
    const { body } = await sandbox.call('POST', '/v1/payment-intents/direct', { ...DIRECT, autoSettlement: AUTO });
    sandbox.control.pay(body.id);
    expect(await operatingBalance(sandbox)).toEqual(['0', '0', '0']);
    const { body: rows } = await sandbox.call<Row[]>('GET', '/sandbox/settlements');
    expect(rows.map((row) => [row.paymentIntentId, row.amount])).toEqual([[body.id, '97.515']]);
    const invoice = await sandbox.call('POST', '/v1/invoices', {
      customerEmail: 'a@b.c',
      amount: '50',
      currency: 'USD',
      autoSettlement: { enabled: true },
    });
    await sandbox.call('POST', `/sandbox/invoices/${invoice.body.id}/pay`, { assetCode: 'USDT.TRC20' });
    const widget = await sandbox.call('POST', '/sandbox/payment-intents', { ...FIAT_PAYMENT, autoSettlement: AUTO });
    await sandbox.call('POST', `/sandbox/payment-intents/${widget.body.id}/pay`, {});
    expect((await sandbox.call<Row[]>('GET', '/sandbox/settlements')).body).toHaveLength(3);
  });

  it('that is no longer possible leaves the money where it is', async () => {
    const sandbox = await openSandbox();
    const { body } = await sandbox.call('POST', '/v1/payment-intents/direct', { ...DIRECT, autoSettlement: AUTO });
    const [account] = (await sandbox.call<Row[]>('GET', '/v1/settlement-accounts')).body;
    await sandbox.call('POST', `/sandbox/settlement-accounts/${account?.id}/revoke`);
    sandbox.control.pay(body.id);
    expect(await operatingBalance(sandbox)).toEqual(['99', '0', '99']);
    const refused = await sandbox.call('POST', '/v1/payment-intents/direct', { ...DIRECT, autoSettlement: AUTO });
    expect(refused.body.code).toBe('AUTO_SETTLEMENT_DESTINATION_UNUSABLE');
    const noDefault = { ...DIRECT, autoSettlement: { enabled: true } };
    expect((await sandbox.call('POST', '/v1/payment-intents/direct', noDefault)).status).toBe(400);
    expect(
      (await sandbox.call('POST', '/v1/payment-intents/direct', { ...DIRECT, autoSettlement: { enabled: false } }))
        .status,
    ).toBe(201);
  });

  it('waits for the account to mature', async () => {
    const sandbox = await openSandbox();
    const receptionAddress = '+22891000000';
    const added = { receptionAddress, settlementPaymentMethodId: 'spm_mobile_money_tg' };
    await sandbox.call('POST', '/sandbox/settlement-accounts', added);
    const direct = () =>
      sandbox.call('POST', '/v1/payment-intents/direct', {
        ...DIRECT,
        autoSettlement: { ...AUTO, settlementAccountAddress: receptionAddress },
      });
    expect((await direct()).body.code).toBe('AUTO_SETTLEMENT_DESTINATION_NOT_MATURED');
    sandbox.control.advance(86_400);
    expect((await direct()).status).toBe(201);
  });
});

describe('a product', () => {
  it('shows its sales', async () => {
    const sandbox = await openSandbox();
    const { status, body } = await sandbox.call('POST', '/sandbox/products', {
      name: 'Tea',
      amount: '20',
      currency: 'USD',
      permanentLinkSlug: 'green-tea',
    });
    expect([status, body.stats]).toEqual([201, { totalIntents: 0, completedIntents: 0, totalRevenue: '0' }]);
    for (const percent of [100, 100, 50]) {
      const intent = await sandbox.call('POST', `/sandbox/products/${body.id}/open`);
      sandbox.control.pay(intent.body.id, { assetCode: 'USDT.TRC20', percent });
    }
    await sandbox.call('POST', `/sandbox/products/${body.id}/open`);
    const { body: shown } = await sandbox.call('GET', `/v1/products/${body.id}/manage`);
    expect(shown).toEqual({
      id: body.id,
      name: 'Tea',
      description: null,
      amount: '20',
      currency: 'USD',
      assetCode: null,
      permanentLinkSlug: 'green-tea',
      imageUrl: null,
      isActive: true,
      paymentLink: `${sandbox.url}/product/green-tea`,
      createdAt: expect.any(String),
      stats: { totalIntents: 4, completedIntents: 2, totalRevenue: '39.6' },
    });
    await sandbox.call('PATCH', `/sandbox/products/${body.id}`, { isActive: false });
    expect((await sandbox.call('POST', `/sandbox/products/${body.id}/open`)).status).toBe(409);
    expect((await sandbox.call('GET', '/v1/products/prod_none/manage')).status).toBe(404);
    expect((await sandbox.call('GET', `/v1/products/${body.id}/manage`, undefined, OTHER)).status).toBe(404);
  });

  it.each([{ permanentLinkSlug: 'Green' }, { amount: '0' }, { currency: 'shells' }, { name: '' }, { imageUrl: 'x' }])(
    'refuses %j',
    async (change) => {
      const sandbox = await openSandbox();
      const product = { name: 'Tea', amount: '20', currency: 'USD', ...change };
      expect((await sandbox.call('POST', '/sandbox/products', product)).status).toBe(400);
    },
  );
});
