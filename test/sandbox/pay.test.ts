import { describe, expect, it } from 'vitest';
import { openSandbox, type Row, rowsOf, type TestSandbox } from './support.js';

interface Started {
  sandbox: TestSandbox;
  id: string;
  show: () => Promise<Row>;
  pay: (amount?: string) => Promise<Row>;
}

/** A payment of 100 USDT, one percent of which is the fee. */
async function startPayment(): Promise<Started> {
  const sandbox = await openSandbox();
  const created = await sandbox.call('POST', '/sandbox/payment-intents', {
    amount: '100',
    currency: 'USDT.TRC20',
    merchantReference: 'o-1',
  });
  const { id } = created.body;
  return {
    sandbox,
    id,
    show: async () => (await sandbox.list()).find((row) => row.id === id) ?? { id: 'missing' },
    async pay(amount) {
      const { status, body } = await sandbox.call('POST', `/sandbox/payment-intents/${id}/pay`, {
        assetCode: 'USDT.TRC20',
        amount,
      });
      expect(status).toBe(201);
      return body;
    },
  };
}

const states = (row: Row): unknown[] => rowsOf(row, 'statusHistory').map(({ status }) => status);

describe('a payment', () => {
  it('paid exactly is completed, its fee taken', async () => {
    const { pay, show } = await startPayment();
    await pay();
    const row = await show();
    expect(row).toMatchObject({
      status: 'completed',
      irregularStatus: 'none',
      assetCode: 'USDT.TRC20',
      totalAmountReceived: '100',
      amountNetMerchant: '99',
      feeAmountTotal: '1',
      amountInRange: '100',
      amountRejected: null,
    });
    expect(states(row)).toEqual(['waiting_address_selection', 'pending', 'confirming', 'completed']);
  });

  it('within the tolerance is completed, and listed as irregular', async () => {
    const { sandbox, pay, show } = await startPayment();
    await pay('99.6');
    expect(await show()).toMatchObject({ status: 'completed', irregularStatus: 'none', totalAmountReceived: '99.6' });
    expect(await sandbox.list('status=irregular')).toHaveLength(1);
  });

  it('paid too little is unmatched and waits for a decision; topped up it completes', async () => {
    const { pay, show } = await startPayment();
    await pay('60');
    expect(await show()).toMatchObject({
      status: 'unmatched',
      irregularStatus: 'pending_decision',
      totalAmountReceived: '60',
      amountInRange: '0',
      amountRejected: '60',
      amountToRefund: '60',
      amountNetMerchant: '0',
      feeAmountTotal: '0',
      feeAmountOnRejected: '0.6',
    });
    await pay('40');
    expect(await show()).toMatchObject({
      status: 'completed',
      irregularStatus: 'none',
      amountNetMerchant: '99',
      amountRejected: null,
    });
  });

  it('paid too much is completed, with a decision about the excess', async () => {
    const { pay, show } = await startPayment();
    await pay('130.000000000000000001');
    expect(await show()).toMatchObject({
      status: 'completed',
      irregularStatus: 'pending_decision',
      totalAmountReceived: '130.000000000000000001',
      amountInRange: '100',
      amountRejected: '30.000000000000000001',
      feeAmountOnRange: '1',
      feeAmountOnRejected: '0.3',
      amountNetMerchant: '99',
    });
  });

  it('paid twice has two payins and the second in question', async () => {
    const { pay, show } = await startPayment();
    await pay();
    await pay();
    const row = await show();
    expect(row).toMatchObject({
      status: 'completed',
      irregularStatus: 'pending_decision',
      totalAmountReceived: '200',
      amountRejected: '100',
    });
    expect(row.payins).toHaveLength(2);
  });

  it('not paid expires by the clock; paid late it is unmatched, to the last cent in question', async () => {
    const { sandbox, pay, show } = await startPayment();
    sandbox.control.advance(3599);
    expect((await show()).status).toBe('waiting_address_selection');
    sandbox.control.advance(1);
    expect((await show()).status).toBe('expired');
    const payin = await pay();
    expect(payin.status).toBe('unmatched');
    const row = await show();
    expect(row).toMatchObject({
      status: 'unmatched',
      irregularStatus: 'pending_decision',
      amountRejected: '100',
      amountNetMerchant: '0',
    });
    expect(states(row)).toEqual(['waiting_address_selection', 'expired', 'unmatched']);
  });

  it('seen in time stays open past its end until the chain has settled it', async () => {
    const sandbox = await openSandbox({ confirmationSeconds: 600 });
    const id = sandbox.control.createPayment({ amount: '100', currency: 'USDT.TRC20' });
    sandbox.control.advance(3590);
    sandbox.control.pay(id);
    sandbox.control.advance(20);
    expect(sandbox.control.paymentIntent(id)?.status).toBe('pending');
    sandbox.control.advance(1800);
    expect(sandbox.control.paymentIntent(id)).toMatchObject({ status: 'completed', irregularStatus: 'none' });
  });

  it('paid late and encashed is completed, its payin confirmed', async () => {
    const { sandbox, id, pay, show } = await startPayment();
    sandbox.control.advance(3600);
    await pay();
    sandbox.control.decide(id, 'encash');
    const row = await show();
    expect(row).toMatchObject({ status: 'completed', irregularStatus: 'encashed', amountNetMerchant: '99' });
    expect(rowsOf(row, 'payins').map(({ status }) => status)).toEqual(['confirmed']);
  });

  it('encashed credits what was in question; refunded names the payout that sends it back', async () => {
    const { sandbox, id, pay, show } = await startPayment();
    await pay('60');
    expect((await sandbox.call('POST', `/sandbox/payment-intents/${id}/decide`, { decision: 'maybe' })).status).toBe(
      400,
    );
    await sandbox.call('POST', `/sandbox/payment-intents/${id}/decide`, { decision: 'encash' });
    expect(await show()).toMatchObject({
      status: 'completed',
      irregularStatus: 'encashed',
      amountNetMerchant: '59.4',
      feeAmountTotal: '0.6',
      irregularActionBy: expect.any(String),
      irregularActionAt: expect.any(String),
    });
    const second = await startPayment();
    await second.pay('130');
    await second.sandbox.call('POST', `/sandbox/payment-intents/${second.id}/decide`, { refund: true });
    expect(await second.show()).toMatchObject({
      status: 'completed',
      irregularStatus: 'refunded',
      amountNetMerchant: '99',
      irregularRefundPayoutId: expect.stringMatching(/^po_/),
    });
    expect((await sandbox.call('POST', `/sandbox/payment-intents/${id}/decide`, { decision: 'encash' })).status).toBe(
      409,
    );
  });

  it('completed can be disputed, and only then', async () => {
    const { sandbox, id, pay, show } = await startPayment();
    const dispute = () => sandbox.call('POST', `/sandbox/payment-intents/${id}/dispute`, { amount: '25' });
    expect((await dispute()).status).toBe(409);
    await pay();
    expect((await dispute()).status).toBe(200);
    expect(await show()).toMatchObject({
      status: 'completed',
      irregularStatus: 'pending_decision',
      amountInRange: '75',
      amountRejected: '25',
      amountNetMerchant: '74.25',
    });
    expect(await sandbox.list('status=irregular')).toHaveLength(0);
    sandbox.control.setFaults({ irregularHoldsDisputes: true });
    expect(await sandbox.list('status=irregular')).toHaveLength(1);
  });

  it('can be cancelled while it is open', async () => {
    const { sandbox, id, show } = await startPayment();
    expect((await sandbox.call('POST', `/sandbox/payment-intents/${id}/cancel`)).body.status).toBe('cancelled');
    expect((await sandbox.call('POST', `/sandbox/payment-intents/${id}/cancel`)).status).toBe(409);
    expect((await show()).status).toBe('cancelled');
  });

  it('in fiat is met by the locked crypto amount', async () => {
    const sandbox = await openSandbox();
    const id = sandbox.control.createPayment({ amount: '50', currency: 'EUR' });
    expect(sandbox.control.paymentIntent(id)).toMatchObject({ amountCryptoExpected: null, assetCode: null });
    sandbox.control.pay(id, { assetCode: 'USDT.ERC20' });
    expect(sandbox.control.paymentIntent(id)).toMatchObject({
      status: 'completed',
      amountCryptoExpected: '54',
      totalAmountReceived: '54',
    });
  });

  it('takes no other asset than its own', async () => {
    const { sandbox, id } = await startPayment();
    const wrong = await sandbox.call('POST', `/sandbox/payment-intents/${id}/pay`, { assetCode: 'BTC' });
    expect(wrong.status).toBe(400);
    expect((await sandbox.call('POST', '/sandbox/payment-intents/pi_none/pay', {})).status).toBe(404);
  });
});

describe('a payin', () => {
  it('gathers confirmations with the clock and then settles the payment', async () => {
    const sandbox = await openSandbox({ confirmationSeconds: 10, kytSeconds: 15 });
    const id = sandbox.control.createPayment({ amount: '100', currency: 'USDT.TRC20' });
    const payinId = sandbox.control.pay(id);
    const statesAfter = async (seconds: number): Promise<unknown[]> => {
      sandbox.control.advance(seconds);
      const { body } = await sandbox.call('GET', `/v1/payments/payins/${payinId}`);
      return [body.status, body.confirmations, body.kytStatus, sandbox.control.paymentIntent(id)?.status];
    };
    expect(await statesAfter(0)).toEqual(['pending', 0, 'pending', 'pending']);
    expect(await statesAfter(10)).toEqual(['confirming', 1, 'pending', 'confirming']);
    expect(await statesAfter(10)).toEqual(['confirming', 2, 'approved', 'confirming']);
    expect(await statesAfter(10)).toEqual(['confirmed', 3, 'approved', 'completed']);
  });

  it('carries every field of the specification', async () => {
    const sandbox = await openSandbox();
    const id = sandbox.control.createPayment({ amount: '100', currency: 'USDT.TRC20' });
    const { body } = await sandbox.call('GET', `/v1/payments/payins/${sandbox.control.pay(id)}`);
    expect(Object.keys(body)).toEqual(
      'id paymentIntentId payinType txid amountGross amountNet feeAmount assetCode depositAddress senderAddress addressPurpose status kytStatus confirmations createdAt kytRiskScore statusHistory'.split(
        ' ',
      ),
    );
    expect(body).toMatchObject({
      paymentIntentId: id,
      payinType: 'blockchain',
      addressPurpose: 'PAYMENT_INTENT',
      amountGross: '100',
      amountNet: '99',
      feeAmount: '1',
    });
    expect(Number(body.kytRiskScore)).toBeLessThanOrEqual(100);
    expect((await sandbox.call('GET', '/v1/payments/payins/payin_none')).status).toBe(404);
  });

  it('may be rejected by compliance, or never judged', async () => {
    const sandbox = await openSandbox();
    const kyt = async (): Promise<unknown> => {
      const payin = sandbox.control.pay(sandbox.control.createPayment({ amount: '1', currency: 'BTC' }));
      return (await sandbox.call('GET', `/v1/payments/payins/${payin}`)).body.kytStatus;
    };
    sandbox.control.setFaults({ kytRejected: 1 });
    expect(await kyt()).toBe('rejected');
    sandbox.control.setFaults({ kytPending: 1 });
    expect(await kyt()).toBe('pending');
  });
});
