import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { items, pages } from '../../src/service-api/pages.js';
import {
  ForbiddenError,
  NotFoundError,
  OutcomeUnknownError,
  RefusalError,
  RefusedError,
} from '../../src/service-api/service-errors.js';
import { rejection, testClient } from './test-client.js';

const ADDRESS = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
const ASSET = 'USDT.TRC20';
const customer = { firstName: 'Ann', lastName: 'Lee', email: 'ann@example.com', refundAddress: ADDRESS };
const invoice = { customerEmail: 'ann@example.com', customerName: 'Ann', amount: '30.3', currency: 'EUR' };

let sandbox: Sandbox;
let account: string;
let other: string;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 5, payments: 30, confirmationSeconds: 0, kytSeconds: 0 });
  const { control } = sandbox;
  control.addEndpoint({ url: 'http://127.0.0.1:9/webhooks' });
  [account, other] = ['Ann', 'Bob'].map((label) => control.createAccount({ label })) as [string, string];
  control.deposit(account, ASSET, '1000');
  control.deposit(null, ASSET, '1000');
});
afterAll(() => sandbox.close());

const client = (options: Parameters<typeof testClient>[0] = {}) =>
  testClient({ baseUrl: sandbox.url, apiKey: 'sandbox-api-key', ...options });

async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of from) found.push(one);
  return found;
}

/** The dashboard's part, by plain HTTP. */
async function dashboard(path: string, body: object): Promise<{ id: string }> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${sandbox.url}/sandbox/${path}`, init);
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as { id: string };
}

describe('client and sandbox, which share no code, agree on', () => {
  it('createDirectPayment (4.1), in crypto and fiat', async () => {
    const { data } = await client().createDirectPayment({ requestedCoin: ASSET, amount: '25', customer });
    expect(data).toMatchObject({ status: 'pending', amountRequested: '25', assetCode: ASSET });
    expect(data.depositAddress).toBeTruthy();
    const fiat = {
      requestedCoin: ASSET,
      amount: '10',
      requestedCurrencyType: 'fiat',
      currencyRequested: 'EUR',
    } as const;
    const priced = await client().createDirectPayment({ ...fiat, customer, metadata: { cart: [1, { deep: true }] } });
    expect(priced.data).toMatchObject({ requestedCurrencyType: 'fiat', currencyRequested: 'EUR' });
    expect(priced.data.amountToSend).toMatch(/^\d+(\.\d+)?$/);
  });

  it('createInvoice (4.2) and listInvoices (4.3)', async () => {
    const meta = { items: [{ name: 'Tea', quantity: 3, unitPrice: '10.1' }], notes: 'thanks' };
    const made = await client().createInvoice({ ...invoice, meta, merchantReference: 'Ord-77' });
    expect(made.data).toMatchObject({ status: 'sent', emailDelivery: { sent: true } });
    const { data } = await client().listInvoices({ merchantReference: 'ord-7', status: 'sent', take: 5 });
    expect(data.map(({ id }) => id)).toEqual([made.data.id]);
  });

  it('createPayout (4.4), once per key', async () => {
    await client().listPublicAssets();
    const payout = { assetCode: ASSET, amount: '1.5', destinationAddress: ADDRESS, merchantReference: 'w-1' };
    const first = await client().createPayout(account, payout, { idempotencyKey: 'w-1' });
    const again = await client().createPayout(account, { ...payout, idempotencyKey: 'w-1' });
    expect(again.data.id).toBe(first.data.id);
    expect(first.data).toMatchObject({ amount: '1.5', assetCode: ASSET, merchantReference: 'w-1', txid: null });
    const other = await client().createPayout(account, payout);
    expect(other.data.id).not.toBe(first.data.id);
  });

  it('createRefund (4.5), one per payment', async () => {
    const { control } = sandbox;
    const paid = control.createPayment({ amount: '40', currency: ASSET, customerRefundAddress: ADDRESS });
    control.pay(paid, { assetCode: ASSET });
    const refund = await client().createRefund({ paymentIntentId: paid, amount: '10' });
    expect(refund.data).toMatchObject({ amount: '10', assetCode: ASSET });
    expect((await client().createRefund({ paymentIntentId: paid, amount: '10' })).data.id).toBe(refund.data.id);
    const unpaid = control.createPayment({ amount: '40', currency: ASSET });
    await rejection(client().createRefund({ paymentIntentId: unpaid }), RefusedError);
  });

  it.each([
    ['another sub-wallet', () => ({ toWalletAccountId: other })],
    ['the operating balance', () => ({ toOperating: true })],
    ['the sub-wallet, from the operating balance', () => ({ fromOperating: true })],
  ])('createTransfer (4.6) to %s', async (_, destination) => {
    const { data } = await client().createTransfer(account, { assetCode: ASSET, amount: '2', ...destination() });
    expect(data).toMatchObject({ assetCode: ASSET });
  });

  it('updateAccount (4.7), closeAccount (4.8), archiveAccount (4.9) and listAccounts (4.10)', async () => {
    const doomed = sandbox.control.createAccount({ label: 'Doomed' });
    const updated = await client().updateAccount(doomed, { label: 'Zoë', externalRef: 'u-9', status: 'frozen' });
    expect(updated.data).toMatchObject({ id: doomed, label: 'Zoë', status: 'frozen' });
    const listed = async (status: 'frozen' | 'closed') =>
      (await client().listAccounts({ status, search: 'zoë' })).data.items.map(({ id }) => id);
    expect(await listed('frozen')).toEqual([doomed]);
    await client().updateAccount(doomed, { status: 'active' });
    await client().closeAccount(doomed);
    expect(await listed('closed')).toEqual([doomed]);
    await client().archiveAccount(doomed);
    expect(await listed('closed')).toEqual([]);
    expect(await all(items(pages((query) => client().listAccounts(query), { take: 1 })))).toHaveLength(2);
  });

  it('listAccountTransactions (4.11) and listTransactions (4.12)', async () => {
    const own = await all(items(pages((query) => client().listAccountTransactions(account, query), { take: 2 })));
    expect(own.length).toBeGreaterThan(2);
    const counted = await all(pages((query) => client().listTransactions(query), { take: 2 }, 'page'));
    const seen = counted.flatMap(({ data }) => data);
    expect(new Set(counted.map(({ totalCount }) => totalCount))).toEqual(new Set([seen.length]));
    const none = await client().listTransactions({ from: '2999-01-01T00:00:00Z', page: 1 });
    expect(none).toMatchObject({ data: { items: [] }, totalCount: 0 });
  });

  it('updateMerchantAsset (4.13)', async () => {
    const off = await client().updateMerchantAsset('BTC', { isActive: false });
    expect(off.data).toEqual({ assetCode: 'BTC', isActive: false });
    await rejection(client().createDirectPayment({ requestedCoin: 'BTC', amount: '1', customer }), RefusedError);
    await client().updateMerchantAsset('BTC', { isActive: true });
    await rejection(client().updateMerchantAsset('NOPE.X', { isActive: true }), NotFoundError);
  });

  it('listPaymentIntents (4.14) and getPayin (4.15)', async () => {
    const { data } = await client().listPaymentIntents({ status: 'completed', take: 1 });
    const payin = data[0]?.payins?.[0];
    expect((await client().getPayin(payin?.id ?? '')).data).toMatchObject({
      id: payin?.id,
      paymentIntentId: data[0]?.id,
    });
    await rejection(client().getPayin('nobody'), NotFoundError);
  });

  it('listSettlementAccounts (4.16) and listSettlementPaymentMethods (4.17)', async () => {
    const { data } = await client().listSettlementPaymentMethods({ assetCode: ASSET });
    expect(data.provider?.name).toBeTruthy();
    expect(data.paymentMethods.length).toBeGreaterThan(0);
    const method = data.paymentMethods[0];
    const made = await dashboard('settlement-accounts', {
      settlementPaymentMethodId: method?.id,
      receptionAddress: method?.addressFormatExample,
    });
    const accounts = (await client().listSettlementAccounts()).data;
    expect(accounts.find(({ id }) => id === made.id)).toMatchObject({ settlementPaymentMethodId: method?.id });
  });

  it('getBalance (4.18), also of what was never received', async () => {
    const { data } = await client().getBalance(ASSET);
    expect(Number(data.balance)).toBeGreaterThan(0);
    const empty = await client({ apiKey: 'sandbox-other-key' }).getBalance('ETH');
    expect(empty.data).toMatchObject({ balance: '0', frozen: '0', available: '0' });
    await rejection(client().getBalance('NOPE.X'), NotFoundError);
  });

  it('getProduct (4.19)', async () => {
    const { id } = await dashboard('products', { name: 'Tea', amount: '5', currency: 'EUR', permanentLinkSlug: 'tea' });
    const { data } = await client().getProduct(id);
    expect(data).toMatchObject({ id, name: 'Tea', amount: '5', stats: { totalIntents: 0, completedIntents: 0 } });
  });

  it('listPublicAssets (4.20), without a key', async () => {
    const { data } = await client({ apiKey: 'nobody' }).listPublicAssets();
    expect(data.find(({ assetCode }) => assetCode === ASSET)).toMatchObject({ category: 'stablecoin' });
  });

  it('listWebhookEndpoints (4.21) and listWebhookDeliveries (4.22)', async () => {
    const { data } = await client().listWebhookEndpoints();
    expect(data).toHaveLength(1);
    await sandbox.control.deliveriesIdle();
    const endpointId = data[0]?.id ?? '';
    const deliveries = await all(
      items(pages((query) => client().listWebhookDeliveries(query), { endpointId, take: 3 })),
    );
    expect(deliveries.length).toBeGreaterThan(3);
    expect(new Set(deliveries.map((one) => one.endpointId))).toEqual(new Set([endpointId]));
    sandbox.control.setFaults({ businessAccount: false });
    await rejection(client().listWebhookEndpoints(), ForbiddenError);
    sandbox.control.setFaults({});
  });

  it('listPayouts, where there is one', async () => {
    const { data } = await client().listPayouts({ take: 2 });
    expect(data).toHaveLength(2);
    sandbox.control.setFaults({ payoutsList: false });
    await rejection(client().listPayouts(), NotFoundError);
    sandbox.control.setFaults({});
  });
});

describe('client and sandbox agree', () => {
  it('that a dashboard session needs its code, and an API key none', async () => {
    const session = client({ apiKey: 'sandbox-session-token' });
    const payout = { assetCode: ASSET, amount: '1', destinationAddress: ADDRESS };
    await rejection(session.createPayout(account, payout), RefusalError);
    await rejection(session.createPayout(account, { ...payout, totpCode: '000000' }), RefusalError);
    expect((await session.createPayout(account, { ...payout, totpCode: '123456' })).data.id).toBeTruthy();
  });

  it('that another merchant’s key sees nothing of this one', async () => {
    const foreign = client({ apiKey: 'sandbox-other-key' });
    await rejection(foreign.closeAccount(account), NotFoundError);
    expect((await foreign.listAccounts()).data.items).toEqual([]);
  });

  it('on one payout each, through a service that fails, babbles and breaks off', async () => {
    const chance = 0.15;
    const merchant = client({ retryPolicy: { retries: 8, failures: 50 } });
    const before = (await all(items(pages((query) => client().listPayouts(query), { take: 100 })))).length;
    sandbox.control.setFaults({ serverError: chance, html: chance, cut: chance, rateLimit: chance, retryAfter: 0 });
    const payout = { assetCode: ASSET, amount: '1', destinationAddress: ADDRESS };
    const runs = await Promise.allSettled(Array.from({ length: 30 }, () => merchant.createPayout(account, payout)));
    sandbox.control.setFaults({});
    for (const run of runs) if (run.status === 'rejected') expect(run.reason).toBeInstanceOf(OutcomeUnknownError);
    await merchant.settleWrites();
    const after = await all(items(pages((query) => client().listPayouts(query), { take: 100 })));
    expect(after.length - before).toBe(30);
    expect(sandbox.control.ledgerProblems()).toEqual([]);
  });

  it('on one invoice each, through such a service', async () => {
    sandbox.control.setFaults({ cut: 0.5 });
    const merchant = client({ retryPolicy: { retries: 8, failures: 50 } });
    const names = Array.from({ length: 10 }, (_, n) => `${n}@example.com`);
    for (const customerEmail of names)
      expect((await merchant.createInvoice({ ...invoice, customerEmail })).data.id).toBeTruthy();
    sandbox.control.setFaults({});
    const listed = (await client().listInvoices({ take: 100 })).data.map(({ customerEmail }) => customerEmail ?? '');
    expect(listed.filter((email) => names.includes(email)).toSorted()).toEqual(names);
  });
});
