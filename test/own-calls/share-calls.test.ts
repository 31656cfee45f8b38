import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  ConfigError,
  createKeyStore,
  MerchantClient,
  type MerchantClientOptions,
  NotSentError,
  SchemaError,
  TooLateError,
} from '../../src/index.js';
import { bindInstallation } from '../../src/records/installation.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { rederiveSlice } from '../../src/records/orders/rederive-releases.js';
import { getRecord } from '../../src/records/rows.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { rejection } from '../service-api/test-client.js';
import { useDatabase } from '../support/database.js';

const ADDRESS = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
const ASSET = 'USDT.TRC20';
const ADOPTED = new Date('2020-01-01T00:00:00Z');

const database = useDatabase();
let sandbox: Sandbox;
const open: MerchantClient[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ confirmationSeconds: 0, kytSeconds: 0 });
});
afterAll(async () => {
  for (const client of open) await client.close();
  await sandbox.close();
});

function store(given: Partial<MerchantClientOptions> = {}): MerchantClient {
  const client = new MerchantClient({
    baseUrl: sandbox.url,
    apiKey: 'sandbox-api-key',
    databaseUrl: database.url,
    callsPerSecond: 1_000,
    ...given,
  });
  open.push(client);
  return client;
}

const order = (merchantReference: string, more: object = {}) => ({
  requestedCoin: ASSET,
  amount: '25',
  customer: { refundAddress: ADDRESS },
  merchantReference,
  ...more,
});
const bind = () => bindInstallation(database.db, { adoptedAt: ADOPTED, serviceBaseUrl: sandbox.url });
const written = (key: string) => database.db('service_writes').where({ key }).first();

/** What the schedulers do by their settings. */
async function derived(requiresRegistration: boolean): Promise<void> {
  const rules = {
    kytWords: defaultContract.kyt,
    payoutWords: defaultContract.movements.words.payoutType,
    requiresRegistration,
    adoptedAt: ADOPTED,
  };
  while (await database.db.transaction((trx) => rederiveSlice(trx, rules)));
}

it('an answer is kept under its key by this process, and known to the next', async () => {
  const first = store();
  const made = await first.createDirectPayment(order('k-1'), { idempotencyKey: 'k-1' });
  await first.close();
  expect(await written('k-1')).toMatchObject({ status: 'done', object_id: made.data.id, merchant_reference: 'k-1' });
  const again = await store().createDirectPayment(order('k-1'), { idempotencyKey: 'k-1' });
  expect(again.data.id).toBe(made.data.id);
});

it('before Tallyhook derived any order, what a call made is left to the scheduler', async () => {
  await bind();
  const { data } = await store().createDirectPayment(order('left'), { idempotencyKey: 'left' });
  expect(await getOrder(database.db, 'left')).toBeNull();
  expect(await written('left')).toMatchObject({ object_id: data.id, taken_in_at: null });
});

it.each([false, true])(
  'it becomes part of the records by the rules of the installation: registration %s',
  async (required) => {
    await bind();
    await derived(required);
    const reference = `taken-${required}`;
    const { data } = await store().createDirectPayment(order(reference, { metadata: { cart: 12 } }), {
      idempotencyKey: reference,
    });
    expect(data.metadata?.['cart']).toBe(12);
    expect(await getRecord(database.db, 'payment_intent', data.id)).toMatchObject({
      depositAddress: data.depositAddress,
      observedBy: { type: 'api_response', ref: 'createDirectPayment' },
    });
    expect(await getOrder(database.db, reference)).toMatchObject({
      paymentIntents: [data.id],
      release: { safe: false },
    });
    expect((await written(reference)).taken_in_at).not.toBeNull();
  },
);

it('under other rules than those of the installation an order is not derived here', async () => {
  await bind();
  await derived(false);
  const contract = { ...defaultContract, kyt: { ...defaultContract.kyt, passed: ['fine'] } };
  await store({ contract }).createDirectPayment(order('other'), { idempotencyKey: 'other' });
  expect(await getOrder(database.db, 'other')).toBeNull();
});

it('what changes no key is seen too: a sub-wallet that was closed', async () => {
  await bind();
  await derived(false);
  const id = sandbox.control.createAccount({ label: 'Ann' });
  await store().closeAccount(id);
  expect(await getRecord(database.db, 'account', id)).toMatchObject({
    status: 'closed',
    observedBy: { ref: 'closeAccount' },
  });
});

/** As if the call had been made long ago. */
const ago = (key: string) =>
  database
    .db('service_writes')
    .where({ key })
    .update({ begun_at: new Date(Date.now() - 3_600_000) });

it('long after its call a key is answered with the record as Tallyhook knows it, and nothing is sent', async () => {
  await bind();
  await derived(false);
  const client = store();
  const made = await client.createDirectPayment(order('late'), { idempotencyKey: 'late' });
  await ago('late');
  const sent = vi.fn();
  const late = await store({ onRequest: sent }).createDirectPayment(order('late'), { idempotencyKey: 'late' });
  expect(late.data).toMatchObject({
    id: made.data.id,
    depositAddress: made.data.depositAddress,
    amountRequested: '25',
  });
  expect(sent).not.toHaveBeenCalled();
  await expect(client.createDirectPayment(order('late', { amount: '26' }), { idempotencyKey: 'late' })).rejects.toThrow(
    `was used for another request; it made ${made.data.id}`,
  );
});

it.each([
  ['its record is not read yet', () => database.db('payment_intents').delete()],
  ['the service denies it', () => database.db('payment_intents').update({ absent_since: new Date() })],
  ['what says who somebody is was struck out', () => database.db('payment_intents').update({ masked: true })],
  ['only webhooks tell of it', () => database.db('payment_intents').update({ known: false })],
])('or, where %s, with an error that names what it made', async (reason, change) => {
  await bind();
  await derived(false);
  const client = store();
  const made = await client.createDirectPayment(order(reason), { idempotencyKey: reason });
  await ago(reason);
  await change();
  const late = await rejection(client.createDirectPayment(order(reason), { idempotencyKey: reason }), TooLateError);
  expect(late).toMatchObject({ objectId: made.data.id, idempotencyKey: reason });
  expect(late.remedy).toContain('another key would do it twice');
});

it('a key of which nobody knows what it made says so', async () => {
  const client = store({ retryPolicy: { retries: 0 } });
  sandbox.control.setFaults({ serverError: 1 });
  await client.createDirectPayment(order('lost'), { idempotencyKey: 'lost' }).catch(() => {});
  sandbox.control.setFaults({});
  await ago('lost');
  const late = await rejection(client.createDirectPayment(order('lost'), { idempotencyKey: 'lost' }), TooLateError);
  expect(late).toMatchObject({ objectId: null, remedy: 'look for what the key made before you use another' });
});

it('its calls, reads among them, take turns with all others on the database', async () => {
  const before = await database.db('service_rate').first();
  await store().listPublicAssets();
  const after = await database.db('service_rate').first();
  expect(after.name).toBe('merchant-api');
  expect(after.next_at).not.toEqual(before?.next_at);
});

it('a call that gets no turn, or whose database is away, was not sent', async () => {
  const inTwoMinutes = { name: 'merchant-api', next_at: new Date(Date.now() + 120_000) };
  await database.db('service_rate').insert(inTwoMinutes).onConflict('name').merge();
  const client = store({ callsPerSecond: 0.01 });
  const error = await rejection(client.listPublicAssets(), NotSentError);
  expect(error.cause).toMatchObject({ code: 'rate_wait' });
  await database.db('service_rate').delete();
  const away = store({ databaseUrl: database.url.replace(/:\d+\//, ':1/') });
  const unsent = await rejection(away.createDirectPayment(order('away')), NotSentError);
  expect(unsent).toMatchObject({ operation: 'createDirectPayment', cause: { code: 'ECONNREFUSED' } });
});

it('another service’s database, an older one, or two places for keys are refused, and nothing is sent', async () => {
  await bindInstallation(database.db, { adoptedAt: ADOPTED, serviceBaseUrl: 'https://another.example' });
  const sent = vi.fn();
  const error = await rejection(
    store({ onRequest: sent, baseUrl: 'https://one.example' }).listPublicAssets(),
    ConfigError,
  );
  expect(error.message).toContain('SERVICE_BASE_URL');
  const databaseUrl = database.url.replace(/\/[^/?]+(\?|$)/, '/postgres$1');
  await rejection(store({ onRequest: sent, databaseUrl }).createDirectPayment(order('x')), SchemaError);
  expect(sent).not.toHaveBeenCalled();
  const keyStore = await createKeyStore({ databaseUrl: database.url });
  expect(() => store({ keyStore })).toThrow(ConfigError);
  expect(() => store({ databaseUrl: '' })).toThrow(ConfigError);
  await keyStore.close();
});
