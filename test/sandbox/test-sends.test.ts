import { expect, it } from 'vitest';
import { openInbox, openSandbox, openWallet, payHundred, type Row, type TestSandbox } from './support.js';

const CRYPTO = { amount: '25', currency: 'USDT.TRC20' };

/** Makes each event of a payment, a payout, a payin and a transfer happen. */
async function happen(sandbox: TestSandbox): Promise<void> {
  const { control } = sandbox;
  await sandbox.call('POST', '/v1/payment-intents/direct', { requestedCoin: 'USDT.TRC20', amount: '25', customer: {} });
  const open = await sandbox.call('POST', '/sandbox/payment-intents', { amount: '25', currency: 'USDT.TRC20' });
  control.pay(open.body.id);
  const under = control.createPayment({ ...CRYPTO, assetCode: 'USDT.TRC20' });
  control.pay(under, { percent: 40 });
  for (const decision of ['encash', 'refund'] as const) {
    const disputed = payHundred(sandbox, { assetCode: 'USDT.TRC20' });
    control.dispute(disputed);
    control.decide(disputed, decision);
  }
  control.cancel(control.createPayment({ ...CRYPTO, assetCode: 'USDT.TRC20' }));
  control.createPayment({ ...CRYPTO, assetCode: 'USDT.TRC20', expirySeconds: 1 });
  const account = await openWallet(sandbox);
  const money = { assetCode: 'USDT.TRC20', amount: '25' };
  for (const steps of [
    ['review', 'approve', 'fail'],
    ['approve', 'broadcast', 'confirm'],
    ['approve', 'broadcast', 'fail'],
  ] as const) {
    const { body } = await sandbox.call('POST', `/v1/accounts/${account}/payouts`, {
      ...money,
      destinationAddress: 'Tabc',
    });
    for (const step of steps) control.advancePayout(body.id, { step });
  }
  await sandbox.call('POST', `/v1/accounts/${account}/transfers`, { ...money, toOperating: true });
  control.advance(10);
}

/** What a reader of the event knows it by: states, and which fields hold something. */
function face(event: string, data: Row): Record<string, unknown> {
  const shown: Record<string, unknown> = { event };
  for (const [name, value] of Object.entries(data)) {
    const plain = name === 'status' || name.endsWith('Status') || name === 'payinType';
    if (name === 'customerEmail' || name === 'source' || name === 'merchantReference' || name === 'note') continue;
    if (Array.isArray(value)) shown[name] = value.map((one) => (isRecord(one) ? (one['status'] ?? '') : ''));
    else shown[name] = plain ? value : value === null ? null : typeof value;
  }
  return shown;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const EVENTS = [
  'payment_intent.created',
  'payment_intent.pending',
  'payment_intent.confirming',
  'payment_intent.completed',
  'payment_intent.expired',
  'payment_intent.unmatched',
  'payment_intent.cancelled',
  'payment_intent.dispute_opened',
  'payment_intent.dispute_encashed',
  'payment_intent.dispute_refunded',
  'payout.created',
  'payout.under_review',
  'payout.approved',
  'payout.broadcast',
  'payout.confirmed',
  'payout.failed',
  'wallet_account.deposit.completed',
  'wallet_account.transfer.completed',
];

it('a test send shows what a real event shows', async () => {
  const sandbox = await openSandbox();
  const inbox = await openInbox();
  const { id } = sandbox.control.addEndpoint({ url: inbox.url });
  await happen(sandbox);
  await sandbox.control.deliveriesIdle();
  const happened = inbox.arrivals.splice(0);
  for (const event of EVENTS) {
    const real = happened.filter((one) => one.event === event).map((one) => one.envelope?.data ?? { id: '' });
    await sandbox.call('POST', `/sandbox/webhook-endpoints/${id}/test`, { event });
    await sandbox.control.deliveriesIdle();
    const [arrival] = inbox.arrivals.splice(0);
    const sent = arrival?.envelope?.data ?? { id: '' };
    expect(real.map((one) => face(event, one))).toContainEqual(face(arrival?.event ?? '', sent));
    expect(real.map((one) => one.id)).not.toContain(sent.id);
  }
});
