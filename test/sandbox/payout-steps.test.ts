import { describe, expect, it } from 'vitest';
import { openSandbox, openWallet, rowsOf, walletBalance } from './support.js';

const OUT = { assetCode: 'USDT.TRC20', amount: '100', destinationAddress: 'TXyz1234567890' };

describe('a payout that goes its way by itself', () => {
  it('has taken every step that a clock that jumps ahead passed', async () => {
    const sandbox = await openSandbox({ payoutStepSeconds: 10 });
    const id = await openWallet(sandbox);
    const { body } = await sandbox.call('POST', `/v1/accounts/${id}/payouts`, OUT);
    sandbox.control.advance(25);
    expect(sandbox.control.payout(body.id)?.['status']).toBe('broadcast');
    sandbox.control.advance(1000);
    expect(sandbox.control.payout(body.id)?.['status']).toBe('confirmed');
    expect(await walletBalance(sandbox, id)).toEqual(['889', '0', '889']);
  });

  it('goes on once a review let it pass, and takes each step once', async () => {
    const sandbox = await openSandbox({ payoutStepSeconds: 10 });
    const id = await openWallet(sandbox);
    const { body } = await sandbox.call('POST', `/v1/accounts/${id}/payouts`, OUT);
    sandbox.control.advancePayout(body.id, { step: 'review' });
    sandbox.control.advance(60);
    expect(sandbox.control.payout(body.id)?.['status']).toBe('under_review');
    sandbox.control.advancePayout(body.id, { step: 'approve' });
    sandbox.control.advance(60);
    const { statusHistory } = sandbox.control.payout(body.id) ?? {};
    const steps = rowsOf({ id: '', statusHistory }, 'statusHistory').map(({ status }) => status);
    expect(steps).toEqual(['pending', 'under_review', 'approved', 'broadcast', 'confirmed']);
  });

  it('is not hurried by a review that was over before its next step', async () => {
    const sandbox = await openSandbox({ payoutStepSeconds: 10 });
    const id = await openWallet(sandbox);
    const { body } = await sandbox.call('POST', `/v1/accounts/${id}/payouts`, OUT);
    sandbox.control.advance(5);
    sandbox.control.advancePayout(body.id, { step: 'review' });
    sandbox.control.advancePayout(body.id, { step: 'approve' });
    sandbox.control.advance(6);
    expect(sandbox.control.payout(body.id)?.['status']).toBe('approved');
    sandbox.control.advance(5);
    expect(sandbox.control.payout(body.id)?.['status']).toBe('broadcast');
  });
});

describe('the gas of a payout', () => {
  it.each([
    ['BTC', 8, {}],
    ['LTC', 8, {}],
    ['XRP.XRPL', 6, { destinationMemo: '1' }],
    ['XLM.STELLAR', 7, { destinationMemo: '1' }],
    ['USDT.TRC20', 6, {}],
  ])('of %s has no more than the %i decimals of the coin that it is paid in', async (assetCode, decimals, more) => {
    const sandbox = await openSandbox({ payoutStepSeconds: 1 });
    sandbox.control.deposit(null, assetCode, '1000');
    for (let n = 0; n < 5; n += 1) {
      const id = sandbox.control.createPayout({ assetCode, amount: '5', destinationAddress: 'somewhere', ...more });
      sandbox.control.advance(3);
      const fee = String(sandbox.control.payout(id)?.['networkFeeAmount']);
      expect(fee).toMatch(/^\d+(\.\d+)?$/);
      expect((fee.split('.')[1] ?? '').length).toBeLessThanOrEqual(decimals);
      expect(fee).not.toBe('0');
    }
  });
});
