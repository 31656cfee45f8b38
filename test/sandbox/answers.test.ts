import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openInbox, openSandbox, openWallet, type Row, type TestSandbox } from './support.js';

type Json = Record<string, unknown>;

interface Document {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, { content: Json }> }>>;
  components: { schemas: Record<string, Json> };
}

/** The schema with every reference replaced by what it refers to. */
function whole(schema: unknown, document: Document): unknown {
  if (Array.isArray(schema)) return schema.map((one) => whole(one, document));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref } = schema as Json;
  if (typeof $ref === 'string') return whole(document.components.schemas[$ref.split('/').at(-1) ?? ''], document);
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, whole(value, document)]));
}

interface Checked {
  sandbox: TestSandbox;
  /** Calls, and holds the answer against the schema that the document has for it. */
  ask: (operationId: string, path: Record<string, string> | string, body?: unknown) => Promise<Row & Row[]>;
  asked: Set<string>;
  /** Fields of answers that had a value other than null, as `Schema.field`. */
  filled: Set<string>;
}

async function open(sandbox: TestSandbox): Promise<Checked & { operations: string[]; document: Document }> {
  const document = (await sandbox.call<Document>('GET', '/sandbox/openapi.json')).body;
  const operations = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, responses }]) => {
        const done = responses['200'] ?? responses['201'];
        const media = done?.content['application/json'] as { schema: Json };
        return [operationId, { path, method, schema: z.fromJSONSchema(whole(media.schema, document) as never) }];
      }),
    ),
  );
  const asked = new Set<string>();
  const filled = new Set<string>();
  const ask: Checked['ask'] = async (operationId, given, body) => {
    const operation = operations.get(operationId);
    if (!operation) throw new Error(`there is no operation ${operationId}`);
    const names = typeof given === 'string' ? {} : given;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
    const query = typeof given === 'string' ? given : '';
    const reply = await sandbox.call<Row & Row[]>(operation.method.toUpperCase(), `${path}?${query}`, body);
    expect(reply.status, `${operationId} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    const checked = operation.schema.safeParse(reply.body);
    expect(checked.error?.issues, operationId).toBeUndefined();
    asked.add(operationId);
    const rows = [reply.body].flat();
    for (const row of rows) {
      for (const [field, value] of Object.entries(row)) if (value !== null) filled.add(`${operationId}.${field}`);
    }
    return reply.body;
  };
  return { sandbox, ask, asked, filled, operations: [...operations.keys()], document };
}

const USDT = { assetCode: 'USDT.TRC20' };
const OUT = { ...USDT, amount: '10', destinationAddress: 'TXyz1234567890' };

/** Payments of every kind, and what becomes of them. */
async function pay({ sandbox, ask }: Checked): Promise<void> {
  const direct = { customer: { email: 'a@b.c', refundAddress: 'rRefund00000000001' }, amount: '30' };
  const xrp = { ...direct, requestedCoin: 'XRP.XRPL', metadata: { cart: 1 }, merchantReference: 'o-1' };
  const { id } = await ask('createDirectPayment', {}, xrp);
  const { control } = sandbox;
  const payin = control.pay(id);
  await ask('getPayin', { id: payin });
  await ask('createRefund', {}, { paymentIntentId: id, amount: '0' });
  const fiat = { ...direct, requestedCoin: 'BTC', requestedCurrencyType: 'fiat', currencyRequested: 'EUR' };
  const over = (await ask('createDirectPayment', {}, fiat)).id;
  control.pay(over, { percent: 130 });
  control.decide(over, 'refund');
  control.pay((await ask('createDirectPayment', {}, fiat)).id, { percent: 40 });
  for (const input of [{ posTerminalId: 'pos_1', source: 'pos' }, { returnUrl: 'https://shop.example/back' }]) {
    control.createPayment({ amount: '5', currency: 'USD', ...input });
  }
  await ask('listPaymentIntents', 'take=100');
}

async function sell({ sandbox, ask }: Checked): Promise<void> {
  const items = [{ name: 'tea', quantity: 2, unitPrice: '5', description: 'green' }];
  const full = { description: 'Tea', expiresAt: '2099-01-01T00:00:00Z', assetCode: 'BTC', meta: { items, notes: 'n' } };
  const invoice = { customerEmail: 'ann@example.com', customerName: 'Ann', amount: '10', currency: 'EUR' };
  const { id } = await ask('createInvoice', {}, { ...invoice, ...full });
  await ask('createInvoice', {}, { ...invoice, customerEmail: 'ann@nowhere.invalid' });
  await sandbox.call('POST', `/sandbox/invoices/${id}/pay`, USDT);
  await ask('listInvoices', 'take=100');
  const product = {
    name: 'Tea',
    description: 'd',
    amount: '5',
    currency: 'EUR',
    imageUrl: 'https://shop.example/t.png',
  };
  const made = (await sandbox.call('POST', '/sandbox/products', { ...product, ...USDT })).body;
  await sandbox.call('POST', `/sandbox/products/${made.id}/open`);
  await ask('getProduct', { id: made.id });
}

async function send({ sandbox, ask }: Checked): Promise<void> {
  const { control } = sandbox;
  const id = await openWallet(sandbox, { label: 'l', externalRef: 'e', email: 'a@b.c', phoneNumber: '+1' });
  const xrp = { assetCode: 'XRP.XRPL', amount: '1', destinationAddress: 'rSomebody', destinationMemo: '7' };
  const payouts = [
    await ask('createPayout', { id }, { ...OUT, note: 'rent', merchantReference: 'w-1' }),
    await ask('createPayout', { id }, xrp),
    await ask('createPayout', { id }, OUT),
  ];
  const steps = ['approve', 'broadcast', 'confirm'] as const;
  for (const step of steps) control.advancePayout(payouts[0]?.id ?? '', { step });
  for (const step of ['review', 'fail'] as const) control.advancePayout(payouts[1]?.id ?? '', { step });
  control.advancePayout(payouts[2]?.id ?? '', { step: 'approve' });
  control.advancePayout(payouts[2]?.id ?? '', { step: 'confirm', manual: true });
  control.createPayout({ ...OUT, destinationType: 'internal_email', destinationAddress: 'x@y.z' });
  await ask('listPayouts', 'take=100');
  await ask('getPayin', { id: control.deposit(id, 'BTC', '1') });
  await ask('getPayin', { id: control.deposit(null, 'BTC', '1') });
  await ask('createTransfer', { id }, { ...USDT, amount: '5', toOperating: true, feeAmount: '1', note: 'n' });
  await ask('createTransfer', { id }, { ...USDT, amount: '5', fromOperating: true });
  await ask('updateAccount', { id }, { label: 'other' });
  for (const operation of ['listAccounts', 'listTransactions']) await ask(operation, 'take=100');
  await ask('listTransactions', 'page=1');
  await ask('listAccountTransactions', { id });
  await ask('closeAccount', { id });
  await ask('archiveAccount', { id });
}

async function readAll({ ask }: Checked): Promise<void> {
  await ask('updateMerchantAsset', { assetCode: 'BTC' }, { isActive: true });
  await ask('getBalance', { assetCode: 'BTC' });
  await ask('listSettlementPaymentMethods', 'assetCode=USDT.TRC20');
  for (const operation of ['listSettlementAccounts', 'listPublicAssets', 'listWebhookEndpoints'])
    await ask(operation, '');
  await ask('listWebhookDeliveries', 'take=100');
}

describe('real answers', () => {
  it('have the fields that the OpenAPI document declares, no other, and all that are not optional', async () => {
    const sandbox = await openSandbox({ payments: 300 });
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url });
    const checked = await open(sandbox);
    sandbox.control.deposit(null, 'USDT.TRC20', '500');
    for (const act of [pay, sell, send]) await act(checked);
    await sandbox.control.deliveriesIdle();
    await readAll(checked);
    expect(checked.asked).toEqual(new Set(checked.operations));
    const { properties } = checked.document.components.schemas['PaymentIntent'] as { properties: Json };
    const empty = Object.keys(properties).filter((field) => !checked.filled.has(`listPaymentIntents.${field}`));
    expect(empty, 'fields that were null in every row').toEqual([]);
    const payout = checked.document.components.schemas['Payout'] as { properties: Json };
    expect(Object.keys(payout.properties).filter((field) => !checked.filled.has(`listPayouts.${field}`))).toEqual([
      'paymentIntentId',
    ]);
  });

  it('fit too where the faults change their shape', async () => {
    const sandbox = await openSandbox({ payments: 50 });
    const inbox = await openInbox();
    sandbox.control.setFaults({ links: true, accountsShape: 'page', eventId: 'envelope' });
    sandbox.control.addEndpoint({ url: inbox.url });
    const checked = await open(sandbox);
    for (const act of [pay, sell, send]) await act(checked);
    await sandbox.control.deliveriesIdle();
    await readAll(checked);
    expect(checked.filled).toContain('listPayouts.paymentIntentId');
    expect(checked.filled).toContain('listAccounts.items');
  });

  it('would not fit with a field more or less', async () => {
    const checked = await open(await openSandbox({ payments: 5 }));
    const row = (await checked.ask('listPaymentIntents', 'take=1'))[0] ?? {};
    const schema = z.fromJSONSchema(
      whole(checked.document.components.schemas['PaymentIntent'], checked.document) as never,
    );
    expect(schema.safeParse(row).success).toBe(true);
    expect(schema.safeParse({ ...row, more: 1 }).success).toBe(false);
    expect(schema.safeParse({ ...row, totalAmountReceived: 1 }).success).toBe(false);
    for (const field of Object.keys(row)) {
      const { [field]: _, ...less } = row as Json;
      expect(schema.safeParse(less).success, field).toBe(false);
    }
  });
});
