import { describe, expect, it } from 'vitest';
import { OTHER, openSandbox, operatingBalance, type Row, type TestSandbox } from './support.js';

const OUT = { assetCode: 'USDT.TRC20', amount: '20' };
const KEYS = ['internal_email', 'merchant_account'] as const;
const OTHER_MERCHANT = { internal_email: 'other@merchant.example', merchant_account: 'mer_sandbox_other' };
const OWN = { internal_email: 'own@merchant.example', merchant_account: 'mer_sandbox' };

async function start(): Promise<TestSandbox> {
  const sandbox = await openSandbox();
  sandbox.control.deposit(null, 'USDT.TRC20', '50');
  return sandbox;
}

async function balanceOfOther(sandbox: TestSandbox): Promise<unknown> {
  return (await sandbox.call('GET', '/v1/wallet/balances/USDT.TRC20', undefined, OTHER)).body.balance;
}

describe.each(KEYS)('a payout to %s of another merchant of the platform', (destinationType) => {
  const request = { ...OUT, destinationType, destinationAddress: OTHER_MERCHANT[destinationType] };

  it('credits that merchant when it is confirmed, in full', async () => {
    const sandbox = await start();
    const { status, body } = await sandbox.call('POST', '/sandbox/payouts', request);
    expect([status, body.payoutType, body.feeAmount]).toEqual([201, 'internal_transfer', '0']);
    await sandbox.call('POST', `/sandbox/payouts/${body.id}/approve`);
    expect(await balanceOfOther(sandbox)).toBe('0');
    const confirmed = await sandbox.call('POST', `/sandbox/payouts/${body.id}/confirm`);
    expect(confirmed.body).toMatchObject({ status: 'confirmed', txid: null, txUrl: null, networkFeeAmount: null });
    expect(await operatingBalance(sandbox)).toEqual(['30', '0', '30']);
    expect(await balanceOfOther(sandbox)).toBe('20');
  });

  it('arrives as a payin of its own kind, which only that merchant sees', async () => {
    const sandbox = await start();
    const id = sandbox.control.createPayout(request);
    sandbox.control.advancePayout(id, { step: 'approve' });
    sandbox.control.advancePayout(id, { step: 'confirm' });
    const payinId = sandbox.control.internalPayins()[0] ?? '';
    const { body } = await sandbox.call<Row>('GET', `/v1/payments/payins/${payinId}`, undefined, OTHER);
    expect(body).toMatchObject({
      payinType: 'internal_transfer',
      paymentIntentId: null,
      txid: null,
      senderAddress: null,
      addressPurpose: null,
      amountGross: '20',
      amountNet: '20',
      feeAmount: '0',
      status: 'confirmed',
      kytStatus: null,
      kytRiskScore: null,
      confirmations: null,
    });
    expect((await sandbox.call('GET', `/v1/payments/payins/${payinId}`)).status).toBe(404);
  });

  it('that fails credits nobody', async () => {
    const sandbox = await start();
    sandbox.control.advancePayout(sandbox.control.createPayout(request), { step: 'fail' });
    expect([await balanceOfOther(sandbox), await operatingBalance(sandbox)]).toEqual(['0', ['50', '0', '50']]);
  });

  it('is refused to the merchant itself', async () => {
    const sandbox = await start();
    const own = {
      ...request,
      destinationAddress: OWN[destinationType].toUpperCase().replace('MER_SANDBOX', 'mer_sandbox'),
    };
    const { status, body } = await sandbox.call('POST', '/sandbox/payouts', own);
    expect([status, body.code]).toEqual([400, 'DESTINATION_INVALID']);
  });
});
