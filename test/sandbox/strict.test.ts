import { describe, expect, it } from 'vitest';
import { openInbox, openSandbox, openWallet, payHundred, type Row, rowsOf, type TestSandbox } from './support.js';

/** Section 2 of the specification, word for word. */
const FIELDS = {
  paymentIntent:
    'id status amountRequested currencyRequested requestedCurrencyType amountCryptoExpected assetCode acceptedCoins totalAmountReceived amountNetMerchant feeAmountTotal amountInRange amountRejected amountToRefund feeAmountOnRange feeAmountOnRejected source merchantReference invoiceId productId posTerminalId irregularStatus paymentResult customerRefundAddress irregularActionBy irregularActionAt irregularRefundPayoutId customerEmail returnUrl createdAt expiresAt paymentLink statusHistory payins',
  direct: 'depositAddress memo memoType amountToSend amountCryptoExpected expiresAt expiryHours',
  payinSummary: 'id amountGross amountNet feeAmount assetCode status txid createdAt',
  payin:
    'id paymentIntentId payinType txid amountGross amountNet feeAmount assetCode depositAddress senderAddress addressPurpose status kytStatus confirmations createdAt kytRiskScore statusHistory',
  invoice:
    'id customerEmail customerName amount currency assetCode description meta status paymentIntentId expiresAt createdAt paymentLink',
  payout:
    'id merchantReference payoutType amount assetCode destinationAddress destinationType destinationMemo feeAmount networkFeeAmount networkFeeAssetCode networkFeeUsdEquivalent txid txUrl status failureReason feeBearer kytStatus createdAt updatedAt statusHistory',
  // The specification names what an account has, not the record's fields (2.5).
  account: 'id label externalRef email phoneNumber status balances depositAddresses',
  settlementAccount:
    'id receptionAddress label isDefault settlementPaymentMethodId createdAt maturedAt isMatured revokedAt settlementPaymentMethod paymentMethod',
  balance:
    'assetCode coinCode coin name network balance frozen available usdRate displayDecimals onChainDecimals color',
  product:
    'id name description amount currency assetCode permanentLinkSlug imageUrl isActive paymentLink createdAt stats',
  publicAsset: 'assetCode name code network blockchainName category memoRequired fees icon',
  endpoint: 'id url events isActive createdAt',
  delivery:
    'id endpointId endpointUrl eventType status httpStatus responseBody responseHeaders payload attempts lastAttemptAt nextRetryAt createdAt attemptsList',
} as const;

const fields = (...kinds: (keyof typeof FIELDS)[]): string[] =>
  [...new Set(kinds.flatMap((kind) => FIELDS[kind].split(' ')))].toSorted();
const named = (record: unknown): string[] => Object.keys(record as object).toSorted();

const DIRECT = {
  requestedCoin: 'XRP.XRPL',
  amount: '30',
  customer: { email: 'a@b.c', refundAddress: 'rRefund00000000001' },
  merchantReference: 'o-1',
  metadata: { cart: 1 },
};
const INVOICE = {
  customerEmail: 'ann@example.com',
  customerName: 'Ann',
  amount: '10',
  currency: 'EUR',
  merchantReference: 'i-1',
};

async function openStrict(): Promise<TestSandbox> {
  const sandbox = await openSandbox({ strict: true, payments: 20, wallets: 2 });
  sandbox.control.deposit(null, 'USDT.TRC20', '500');
  return sandbox;
}

async function ask(sandbox: TestSandbox, method: string, path: string, body?: unknown): Promise<Row & Row[]> {
  const reply = await sandbox.call<Row & Row[]>(method, path, body);
  expect(reply.status, `${method} ${path}`).toBeLessThan(300);
  return reply.body;
}

describe('the strict sandbox', () => {
  it('shows payments, payins, invoices and payouts with the fields of section 2, and no other', async () => {
    const sandbox = await openStrict();
    const direct = await ask(sandbox, 'POST', '/v1/payment-intents/direct', DIRECT);
    // The metadata of the request comes back in its answer (4.1).
    expect(named(direct)).toEqual([...fields('paymentIntent', 'direct'), 'metadata'].toSorted());
    const payin = sandbox.control.pay(direct.id);
    expect(named(await ask(sandbox, 'GET', `/v1/payments/payins/${payin}`))).toEqual(fields('payin'));
    const deposit = sandbox.control.deposit(await openWallet(sandbox), 'BTC', '1');
    expect(named(await ask(sandbox, 'GET', `/v1/payments/payins/${deposit}`))).toEqual(fields('payin'));
    for (const row of await ask(sandbox, 'GET', '/v1/payment-intents?take=100')) {
      expect(named(row)).toEqual(fields('paymentIntent'));
      for (const one of rowsOf(row, 'payins')) expect(named(one)).toEqual(fields('payinSummary'));
    }
    const invoice = await ask(sandbox, 'POST', '/v1/invoices', INVOICE);
    expect(named(invoice)).toEqual([...fields('invoice'), 'emailDelivery'].toSorted());
    const invoices = await ask(sandbox, 'GET', '/v1/invoices?merchantReference=i-1');
    expect(invoices.map(({ id }) => id)).toEqual([invoice.id]);
    for (const row of invoices) expect(named(row)).toEqual(fields('invoice'));
    const paymentIntentId = payHundred(sandbox, { customerRefundAddress: 'Tback' });
    const refund = await ask(sandbox, 'POST', '/v1/payouts/refund', { paymentIntentId });
    expect(named(refund)).toEqual(fields('payout'));
  });

  it('shows everything else with the fields of section 2 too', async () => {
    const sandbox = await openStrict();
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url });
    payHundred(sandbox);
    await sandbox.control.deliveriesIdle();
    const product = await ask(sandbox, 'POST', '/sandbox/products', { name: 'Tea', amount: '5', currency: 'EUR' });
    const lists: [string, string[]][] = [
      ['/v1/accounts?take=100', fields('account')],
      ['/v1/settlement-accounts', fields('settlementAccount')],
      ['/v1/public/assets', fields('publicAsset')],
      ['/v1/webhook-endpoints', fields('endpoint')],
    ];
    for (const [path, expected] of lists) {
      const rows = await ask(sandbox, 'GET', path);
      expect(rows.length, path).toBeGreaterThan(0);
      for (const row of rows) expect(named(row), path).toEqual(expected);
    }
    const page = await ask(sandbox, 'GET', '/v1/webhook-endpoints/deliveries');
    for (const row of rowsOf(page, 'items')) expect(named(row)).toEqual(fields('delivery'));
    expect(named(await ask(sandbox, 'GET', '/v1/wallet/balances/BTC'))).toEqual(fields('balance'));
    expect(named(await ask(sandbox, 'GET', `/v1/products/${product.id}/manage`))).toEqual(fields('product'));
  });

  it('has no list of payouts, in the document neither, and goes on so when other faults are set', async () => {
    const sandbox = await openStrict();
    const document = async (): Promise<string> => JSON.stringify(await ask(sandbox, 'GET', '/sandbox/openapi.json'));
    for (const faults of [null, { drop: 0.1 }]) {
      if (faults !== null) await ask(sandbox, 'PUT', '/sandbox/faults', faults);
      expect((await sandbox.call('GET', '/v1/payouts')).status).toBe(404);
      expect(await document()).not.toContain('listPayouts');
      for (const field of ['isArchived', 'accountId":{"anyOf']) expect(await document()).not.toContain(field);
    }
    sandbox.control.setFaults({ duplicate: 0.1 });
    expect((await sandbox.call('GET', '/v1/payouts')).status).toBe(404);
    sandbox.control.setFaults({ payoutsList: true });
    expect((await sandbox.call('GET', '/v1/payouts')).status).toBe(200);
  });

  it('echoes metadata and reference in events (6.2), and names no account of a payin', async () => {
    const sandbox = await openStrict();
    const inbox = await openInbox();
    sandbox.control.addEndpoint({
      url: inbox.url,
      events: ['payment_intent.completed', 'wallet_account.deposit.completed', 'payout.created'],
    });
    const { id } = await ask(sandbox, 'POST', '/v1/payment-intents/direct', DIRECT);
    sandbox.control.pay(id);
    sandbox.control.deposit(await openWallet(sandbox), 'BTC', '1');
    await ask(sandbox, 'POST', '/v1/payouts/refund', { paymentIntentId: id });
    await sandbox.control.deliveriesIdle();
    const dataOf = (event: string) => inbox.arrivals.findLast((one) => one.event === event)?.envelope?.data;
    expect(dataOf('payment_intent.completed')).toMatchObject({ metadata: { cart: 1 }, merchantReference: 'o-1' });
    expect(named(dataOf('wallet_account.deposit.completed'))).toEqual(fields('payin'));
    expect(named(dataOf('payout.created'))).toEqual(fields('payout'));
  });
});
