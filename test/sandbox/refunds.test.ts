import { describe, expect, it } from 'vitest';
import { openSandbox, operatingBalance, payHundred, type TestSandbox } from './support.js';

const REFUND_TO = { customerRefundAddress: 'TCustomer0000000001' };

function refund(sandbox: TestSandbox, body: Record<string, unknown>, headers?: Record<string, string>) {
  return sandbox.call('POST', '/v1/payouts/refund', body, headers);
}

describe('POST /v1/payouts/refund', () => {
  it('gives the whole net back to the recorded address, the customer bearing the fee', async () => {
    const sandbox = await openSandbox();
    const paymentIntentId = payHundred(sandbox, { ...REFUND_TO, merchantReference: 'o-1' });
    const { status, body } = await refund(sandbox, { paymentIntentId });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      payoutType: 'refund',
      amount: '99',
      feeAmount: '1',
      feeBearer: 'customer',
      assetCode: 'USDT.TRC20',
      destinationAddress: 'TCustomer0000000001',
      merchantReference: 'o-1',
      status: 'pending',
    });
    expect(body).not.toHaveProperty('paymentIntentId');
    expect(await operatingBalance(sandbox)).toEqual(['99', '99', '0']);
    sandbox.control.advancePayout(body.id, { step: 'approve' });
    sandbox.control.advancePayout(body.id, { step: 'broadcast' });
    sandbox.control.advancePayout(body.id, { step: 'confirm' });
    expect(await operatingBalance(sandbox)).toEqual(['0', '0', '0']);
  });

  it('may be partial, its fee borne by the merchant, to another address', async () => {
    const sandbox = await openSandbox();
    const paymentIntentId = payHundred(sandbox);
    const { body } = await refund(sandbox, {
      paymentIntentId,
      amount: '40',
      feeBearer: 'merchant',
      destinationAddress: 'Tab',
    });
    expect(body).toMatchObject({ amount: '40', feeBearer: 'merchant', destinationAddress: 'Tab' });
    expect(await operatingBalance(sandbox)).toEqual(['99', '41', '58']);
  });

  it('is one per payment: its default key replays it, any other key is refused', async () => {
    const sandbox = await openSandbox();
    const paymentIntentId = payHundred(sandbox, REFUND_TO);
    const first = await refund(sandbox, { paymentIntentId, amount: '10' });
    const again = await refund(sandbox, { paymentIntentId, amount: '20' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const named = await refund(sandbox, { paymentIntentId: 'x', idempotencyKey: `refund-${paymentIntentId}` });
    expect(named.body.id).toBe(first.body.id);
    const other = await refund(sandbox, { paymentIntentId, idempotencyKey: 'k' });
    expect([other.status, other.body.code]).toEqual([409, 'ALREADY_REFUNDED']);
    sandbox.control.advancePayout(first.body.id, { step: 'fail' });
    expect((await refund(sandbox, { paymentIntentId, idempotencyKey: 'k' })).status).toBe(201);
  });

  it('takes any text as its key: only withdrawals and transfers have a rule for it', async () => {
    const sandbox = await openSandbox();
    const paymentIntentId = payHundred(sandbox, REFUND_TO);
    const first = await refund(sandbox, { paymentIntentId, idempotencyKey: 'order 7/refund é' });
    expect(first.status).toBe(201);
    const again = await refund(sandbox, { paymentIntentId, idempotencyKey: 'order 7/refund é' });
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
  });

  it('of zero moves nothing and is the one refund all the same', async () => {
    const sandbox = await openSandbox();
    const paymentIntentId = payHundred(sandbox, REFUND_TO);
    const { status, body } = await refund(sandbox, { paymentIntentId, amount: '0.00' });
    expect([status, body.amount, body.feeAmount]).toEqual([201, '0', '0']);
    sandbox.control.advancePayout(body.id, { step: 'approve' });
    sandbox.control.advancePayout(body.id, { step: 'confirm', manual: true });
    expect(await operatingBalance(sandbox)).toEqual(['99', '0', '99']);
    expect((await refund(sandbox, { paymentIntentId, idempotencyKey: 'k' })).body.code).toBe('ALREADY_REFUNDED');
  });

  it.each([
    ['more than the net', { amount: '99.000001' }, 400, 'VALIDATION_ERROR'],
    ['nothing left after the fee', { amount: '1' }, 400, 'AMOUNT_TOO_SMALL'],
    ['a negative amount', { amount: '-1' }, 400, 'VALIDATION_ERROR'],
    ['an amount that is no text', { amount: 10 }, 400, 'VALIDATION_ERROR'],
    ['an address that is too short', { destinationAddress: 'T1' }, 400, 'VALIDATION_ERROR'],
    ['an unknown payment', { paymentIntentId: 'pi_none' }, 404, 'NOT_FOUND'],
    ['no payment', { paymentIntentId: undefined }, 400, 'VALIDATION_ERROR'],
  ])('refuses %s', async (_, change, status, code) => {
    const sandbox = await openSandbox();
    const paymentIntentId = payHundred(sandbox, REFUND_TO);
    const refused = await refund(sandbox, { paymentIntentId, ...change });
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect(await operatingBalance(sandbox)).toEqual(['99', '0', '99']);
    expect((await refund(sandbox, { paymentIntentId })).status).toBe(201);
  });

  it('refuses without any address, of a payment that is not collected, disputed, of somebody else, or spent', async () => {
    const sandbox = await openSandbox();
    const code = async (paymentIntentId: string, headers?: Record<string, string>): Promise<unknown> =>
      (await refund(sandbox, { paymentIntentId }, headers)).body.code;
    expect(await code(payHundred(sandbox))).toBe('DESTINATION_REQUIRED');
    const open = sandbox.control.createPayment({ amount: '5', currency: 'USDT.TRC20', ...REFUND_TO });
    expect(await code(open)).toBe('PAYMENT_NOT_COLLECTED');
    sandbox.control.pay(open, { percent: 50 });
    expect(await code(open)).toBe('PAYMENT_NOT_COLLECTED');
    const disputed = payHundred(sandbox, REFUND_TO);
    sandbox.control.dispute(disputed, '10');
    expect(await code(disputed)).toBe('DISPUTE_IN_PROGRESS');
    sandbox.control.decide(disputed, 'encash');
    const mine = payHundred(sandbox, REFUND_TO);
    expect(await code(mine, { authorization: 'Bearer sandbox-other-key' })).toBe('NOT_FOUND');
    sandbox.control.createPayout({ assetCode: 'USDT.TRC20', amount: '290', destinationAddress: 'Taway' });
    expect(await code(mine)).toBe('INSUFFICIENT_BALANCE');
    expect(await code(disputed)).toBe('INSUFFICIENT_BALANCE');
  });
});

describe('a dispute', () => {
  it('decided for a refund makes a payout out of what was held, less its fee', async () => {
    const sandbox = await openSandbox();
    const id = sandbox.control.createPayment({ amount: '100', currency: 'USDT.TRC20' });
    sandbox.control.pay(id, { percent: 130 });
    sandbox.control.decide(id, 'refund');
    const payoutId = String(sandbox.control.paymentIntent(id)?.['irregularRefundPayoutId']);
    expect(sandbox.control.payout(payoutId)).toMatchObject({
      payoutType: 'refund',
      amount: '30',
      feeAmount: '0.3',
      feeBearer: 'customer',
    });
    sandbox.control.advancePayout(payoutId, { step: 'approve' });
    sandbox.control.advancePayout(payoutId, { step: 'broadcast' });
    sandbox.control.advancePayout(payoutId, { step: 'confirm' });
    expect(await operatingBalance(sandbox)).toEqual(['99', '0', '99']);
    expect(() => sandbox.control.pay(id)).toThrow(/decided/);
  });

  it('takes back what was credited, and is refused when that is spent or given back', async () => {
    const sandbox = await openSandbox();
    const id = payHundred(sandbox, REFUND_TO);
    sandbox.control.dispute(id, '50');
    expect(await operatingBalance(sandbox)).toEqual(['49.5', '0', '49.5']);
    sandbox.control.decide(id, 'encash');
    expect(await operatingBalance(sandbox)).toEqual(['99', '0', '99']);
    const spent = sandbox.control.createPayout({ assetCode: 'USDT.TRC20', amount: '60', destinationAddress: 'Taway' });
    expect(() => sandbox.control.dispute(id, '50')).toThrow(/too small/);
    sandbox.control.advancePayout(spent, { step: 'fail' });
    await refund(sandbox, { paymentIntentId: id });
    expect(() => sandbox.control.dispute(id, '50')).toThrow(/given back/);
  });

  it('whose refund is refused, because its fee would eat it up, stays open', async () => {
    const sandbox = await openSandbox();
    const id = payHundred(sandbox);
    sandbox.control.dispute(id, '0.000000000000000001');
    const before = sandbox.control.paymentIntent(id);
    expect(() => sandbox.control.decide(id, 'refund')).toThrow(/nothing would be left/);
    expect(sandbox.control.paymentIntent(id)).toEqual(before);
    sandbox.control.decide(id, 'encash');
    expect(await operatingBalance(sandbox)).toEqual(['99', '0', '99']);
  });

  it('is not decided while a payin is on its way', async () => {
    const sandbox = await openSandbox({ confirmationSeconds: 10 });
    const id = sandbox.control.createPayment({ amount: '100', currency: 'USDT.TRC20' });
    sandbox.control.pay(id, { percent: 130 });
    sandbox.control.advance(40);
    sandbox.control.pay(id);
    expect(() => sandbox.control.decide(id, 'refund')).toThrow(/being confirmed/);
    sandbox.control.advance(40);
    sandbox.control.decide(id, 'refund');
    expect(sandbox.control.ledgerProblems()).toEqual([]);
  });
});
